# Links programs so that they run on other systems too; docs/installing-without-root.md says on which.
#
#   scalediag_older_glibc(target)           an executable or shared library needs glibc 2.28 and nothing newer
#   scalediag_either(name shared static...) the library scalediag::name: `static...` in targets whose property
#                                           SCALEDIAG_STATIC is on, `shared` in all others
#   SCALEDIAG_PORTABLE                      there is all that a program of the tarball needs
option(SCALEDIAG_TARBALL "Link a second scalediag, with libraries linked in, for cpack -G TGZ" ON)

set(_portable ${PROJECT_SOURCE_DIR}/cmake/packaging/portable)
# Stand-ins for the libraries that glibc consisted of before 2.34, first on the linker's command line: without them it
# would look for their functions in libc.so.6, where an older loader does not find them.
set(_older_glibc_libraries libpthread.so.0 libdl.so.2 librt.so.1)
set(_older_glibc_folder ${PROJECT_BINARY_DIR}/older_glibc)
list(TRANSFORM _older_glibc_libraries PREPEND ${_older_glibc_folder}/ OUTPUT_VARIABLE _older_glibc_options)
set(_older_glibc_options -Wl,--no-as-needed ${_older_glibc_options} -Wl,--as-needed)
# A program that exported those functions would call itself.
set(_older_glibc_start -Wl,--wrap=__libc_start_main -Wl,--version-script=${_portable}/exports_nothing.map)

# Not every linker follows older_glibc.c (gold makes a program that hangs), and it is for x86-64 and glibc alone.
# Tried once, and again when a file that it depends on changes.
file(GLOB _tried_files ${_portable}/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_tried_files})
set(_tried "")
foreach(_file IN LISTS _tried_files)
  file(SHA256 ${_file} _digest)
  string(APPEND _tried ${_digest})
endforeach()
if(NOT SCALEDIAG_SANITIZE AND NOT CMAKE_CROSSCOMPILING AND NOT "${SCALEDIAG_OLDER_GLIBC_TRIED}" STREQUAL _tried)
  set(SCALEDIAG_OLDER_GLIBC OFF)
  file(MAKE_DIRECTORY ${_older_glibc_folder})
  set(_results "")
  foreach(_library IN LISTS _older_glibc_libraries)
    file(STRINGS ${_portable}/${_library}.map _lines REGEX "^  ")
    string(REGEX MATCHALL "[a-z_0-9]+" _functions "${_lines}")
    list(TRANSFORM _functions REPLACE "(.+)" ".globl \\1\n.type \\1,@function\n\\1:\n")
    string(JOIN "" _assembly ${_functions})
    file(WRITE ${_older_glibc_folder}/${_library}.s "${_assembly}")
    execute_process(COMMAND ${CMAKE_C_COMPILER} -shared -nostdlib -Wl,-soname,${_library}
                            -Wl,--version-script=${_portable}/${_library}.map ${_older_glibc_folder}/${_library}.s
                            -o ${_older_glibc_folder}/${_library}
      RESULT_VARIABLE _made OUTPUT_QUIET ERROR_QUIET)
    string(APPEND _results ${_made})
  endforeach()
  separate_arguments(_flags UNIX_COMMAND "${CMAKE_EXE_LINKER_FLAGS}")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -std=gnu11 -O2 -fPIC -DSCALEDIAG_PROGRAM -c ${_portable}/older_glibc.c
                          -o ${_older_glibc_folder}/older_glibc.o
    RESULT_VARIABLE _compiled OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -O1 ${_portable}/trial.cpp ${_older_glibc_folder}/older_glibc.o ${_flags}
                          ${_older_glibc_options} ${_older_glibc_start} -static-libstdc++ -static-libgcc
                          -o ${_older_glibc_folder}/trial
    RESULT_VARIABLE _linked OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${_older_glibc_folder}/trial TIMEOUT 20 RESULT_VARIABLE _ran OUTPUT_QUIET ERROR_QUIET)
  if("${_results}${_compiled}${_linked}${_ran}" STREQUAL "000000")
    set(SCALEDIAG_OLDER_GLIBC ON)
  else()
    message(STATUS "programs need the glibc that they are linked with: this compiler or linker cannot make others")
  endif()
  set(SCALEDIAG_OLDER_GLIBC ${SCALEDIAG_OLDER_GLIBC} CACHE INTERNAL "programs are linked for glibc 2.28")
  set(SCALEDIAG_OLDER_GLIBC_TRIED ${_tried} CACHE INTERNAL "the files that this was tried with")
endif()

if(SCALEDIAG_OLDER_GLIBC)
  add_library(scalediag_older_glibc OBJECT ${_portable}/older_glibc.c)
  add_library(scalediag_older_glibc_program OBJECT ${_portable}/older_glibc.c)
  target_compile_definitions(scalediag_older_glibc_program PRIVATE SCALEDIAG_PROGRAM)
  foreach(_objects scalediag_older_glibc scalediag_older_glibc_program)
    set_target_properties(${_objects} PROPERTIES POSITION_INDEPENDENT_CODE ON C_STANDARD 11 C_EXTENSIONS ON)
    target_compile_options(${_objects} PRIVATE -O2)
    scalediag_warnings(${_objects})
  endforeach()
endif()

function(scalediag_older_glibc target)
  if(NOT SCALEDIAG_OLDER_GLIBC)
    return()
  endif()
  target_link_options(${target} PRIVATE ${_older_glibc_options})
  target_link_libraries(${target} PRIVATE m)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:scalediag_older_glibc_program>)
    target_link_options(${target} PRIVATE ${_older_glibc_start})
  else()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:scalediag_older_glibc>)
  endif()
endfunction()

set(SCALEDIAG_PORTABLE OFF)
if(SCALEDIAG_TARBALL AND SCALEDIAG_OLDER_GLIBC)
  set(SCALEDIAG_PORTABLE ON)
endif()

function(scalediag_either name shared)
  set(files "")
  foreach(library IN LISTS ARGN)
    if(library MATCHES "\\.a$")
      string(MAKE_C_IDENTIFIER SCALEDIAG_STATIC_${library} variable)
      find_library(${variable} NAMES ${library})
      mark_as_advanced(${variable})
      if(NOT ${variable} AND SCALEDIAG_PORTABLE)
        message(STATUS "no tarball can be made here: ${library} is missing")
        set(SCALEDIAG_PORTABLE OFF PARENT_SCOPE)
        set(SCALEDIAG_PORTABLE OFF)
      endif()
      set(library ${${variable}})
    endif()
    list(APPEND files ${library})
  endforeach()
  set(static $<BOOL:$<TARGET_PROPERTY:SCALEDIAG_STATIC>>)
  add_library(scalediag_${name} INTERFACE)
  add_library(scalediag::${name} ALIAS scalediag_${name})
  target_link_libraries(scalediag_${name} INTERFACE $<$<NOT:${static}>:${shared}>)
  foreach(file IN LISTS files)
    target_link_libraries(scalediag_${name} INTERFACE $<${static}:${file}>)
  endforeach()
endfunction()
