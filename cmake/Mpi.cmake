# Builds one source with every MPI of the machine. find_package(MPI) settles on a single MPI, and we need
# Open MPI and MPICH programs side by side in one build, so the compiler wrappers are asked instead.
#
# After include(Mpi):
#   SCALEDIAG_MPIS                 the flavours found: a list out of openmpi, mpich
#   SCALEDIAG_MPIRUN_<flavour>     launcher command as a list, to be followed by -n N PROGRAM ARGS...
#   scalediag_mpi::<flavour>_c, _cxx, _fortran
#                                  interface targets with that wrapper's flags
#   scalediag_mpi_program(...)     see below

set(SCALEDIAG_MPIS "")
set(_scalediag_mpi_wrapper_C mpicc)
set(_scalediag_mpi_wrapper_CXX mpicxx)
set(_scalediag_mpi_wrapper_Fortran mpifort)

# _scalediag_mpi_wrapper_flavour(WRAPPER VARIABLE): the MPI a compiler wrapper belongs to, or "".
function(_scalediag_mpi_wrapper_flavour wrapper variable)
  set(flavour "")
  execute_process(COMMAND ${wrapper} --showme:version OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE status)
  if(status EQUAL 0 AND said MATCHES "Open MPI")
    set(flavour openmpi)
  else()
    execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0 AND said MATCHES "-lmpich|-lmpi([^a-z]|$)")
      set(flavour mpich)
    endif()
  endif()
  set(${variable} ${flavour} PARENT_SCOPE)
endfunction()

# _scalediag_mpi_find_program(VARIABLE NAME FLAVOUR): NAME.FLAVOUR as Debian calls it, else a plain NAME that
# says it is of that flavour. Compiler wrappers can say so; a launcher has to lie beside its wrapper.
function(_scalediag_mpi_find_program variable name flavour)
  find_program(${variable} NAMES ${name}.${flavour})
  if(NOT ${variable})
    find_program(${variable}_PLAIN NAMES ${name})
    mark_as_advanced(${variable}_PLAIN)
    if(${variable}_PLAIN)
      _scalediag_mpi_wrapper_flavour(${${variable}_PLAIN} found)
      if(found STREQUAL flavour)
        set(${variable} ${${variable}_PLAIN} CACHE FILEPATH "${name} of ${flavour}" FORCE)
      endif()
    endif()
  endif()
  mark_as_advanced(${variable})
endfunction()

# _scalediag_mpi_interface(TARGET WRAPPER LANGUAGE): an interface target with what the wrapper would add.
# The wrapper's own optimisation and hardening flags are left out: those are our build type's affair.
function(_scalediag_mpi_interface target wrapper language)
  # Both libraries answer to -show with the full command of compiling and linking.
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE line ERROR_VARIABLE complaint RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(STATUS "MPI: ${wrapper} -show failed (${complaint}); its language is skipped")
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  list(POP_FRONT words)  # the compiler
  set(includes "")
  set(options "")
  set(link_options "")
  set(libraries "")
  set(pending "")
  foreach(word IN LISTS words)
    set(word "${pending}${word}")
    set(pending "")
    if(word MATCHES "^-(I|L|l|isystem)$")
      set(pending "${word}")
    elseif(word MATCHES "^-(I|isystem)(.+)$")
      list(APPEND includes "${CMAKE_MATCH_2}")
    elseif(word MATCHES "^-(L.+|Wl,.+)$")
      list(APPEND link_options "${word}")
    elseif(word MATCHES "^-l(.+)$")
      list(APPEND libraries "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-(pthread|D.+)$")
      list(APPEND options "${word}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES includes)

  add_library(${target} INTERFACE IMPORTED GLOBAL)
  if(language STREQUAL Fortran)
    # Fortran compilers look for .mod files in -I folders only, never in the -isystem folders that an
    # imported target's include directories become.
    list(TRANSFORM includes PREPEND "-I" OUTPUT_VARIABLE include_options)
    list(APPEND options ${include_options})
    if(CMAKE_Fortran_COMPILER_ID STREQUAL GNU AND CMAKE_Fortran_COMPILER_VERSION VERSION_GREATER_EQUAL 10)
      # mpif.h declares no interfaces, so the same routine is called with buffers of several types.
      list(APPEND options -fallow-argument-mismatch)
    endif()
  else()
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${includes}")
    # MPICH declares array_of_statuses as an array, and gcc takes MPI_STATUSES_IGNORE for one that is too short.
    list(APPEND options $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-stringop-overflow>
                        $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow>)
    # The C++ bindings left the standard with MPI-3; the headers still pull them in unless told not to.
    list(APPEND options $<$<COMPILE_LANGUAGE:CXX>:-DOMPI_SKIP_MPICXX=1>
                        $<$<COMPILE_LANGUAGE:CXX>:-DMPICH_SKIP_MPICXX=1>)
  endif()
  set_target_properties(${target} PROPERTIES
    INTERFACE_COMPILE_OPTIONS "${options}"
    INTERFACE_LINK_OPTIONS "${link_options}"
    INTERFACE_LINK_LIBRARIES "${libraries}")
endfunction()

foreach(_flavour openmpi mpich)
  string(TOUPPER ${_flavour} _upper)
  _scalediag_mpi_find_program(SCALEDIAG_MPICC_${_upper} mpicc ${_flavour})
  if(NOT SCALEDIAG_MPICC_${_upper})
    message(STATUS "MPI: ${_flavour} not found; its programs and tests are skipped")
    continue()
  endif()
  get_filename_component(_bin ${SCALEDIAG_MPICC_${_upper}} DIRECTORY)
  find_program(SCALEDIAG_MPIRUN_EXECUTABLE_${_upper} NAMES mpirun.${_flavour} mpirun HINTS ${_bin} NO_DEFAULT_PATH)
  mark_as_advanced(SCALEDIAG_MPIRUN_EXECUTABLE_${_upper})
  if(NOT SCALEDIAG_MPIRUN_EXECUTABLE_${_upper})
    message(STATUS "MPI: ${_flavour} has a compiler wrapper but no launcher in ${_bin}; skipped")
    continue()
  endif()
  list(APPEND SCALEDIAG_MPIS ${_flavour})
  set(SCALEDIAG_MPIRUN_${_flavour} ${SCALEDIAG_MPIRUN_EXECUTABLE_${_upper}})
  if(_flavour STREQUAL openmpi)
    # Open MPI refuses to start as root, as in containers, and to start more ranks than cores.
    list(APPEND SCALEDIAG_MPIRUN_${_flavour} --allow-run-as-root --oversubscribe)
  endif()
  set(_languages "")
  foreach(_language C CXX Fortran)
    string(TOLOWER ${_language} _lower)
    _scalediag_mpi_find_program(SCALEDIAG_MPI${_language}_${_upper} ${_scalediag_mpi_wrapper_${_language}} ${_flavour})
    if(SCALEDIAG_MPI${_language}_${_upper} AND NOT TARGET scalediag_mpi::${_flavour}_${_lower})
      _scalediag_mpi_interface(scalediag_mpi::${_flavour}_${_lower} ${SCALEDIAG_MPI${_language}_${_upper}} ${_language})
    endif()
    if(TARGET scalediag_mpi::${_flavour}_${_lower})
      list(APPEND _languages ${_language})
    endif()
  endforeach()
  list(JOIN _languages ", " _languages)
  message(STATUS "MPI: ${_flavour} (${_languages}), started by ${SCALEDIAG_MPIRUN_EXECUTABLE_${_upper}}")
endforeach()

# scalediag_mpi_program(NAME n SOURCES s... [LANGUAGE C|CXX|Fortran] [OPTIONS o...] [LIBRARIES l...])
#   One executable for each MPI found: targets n.openmpi and n.mpich, placed as
#   <current binary dir>/{openmpi,mpich}/n. Always with -O2 -g, whatever the build type, so that what is
#   measured is the same program everywhere. LANGUAGE, the wrapper to imitate, defaults to that of the first
#   source's extension. OPTIONS are added for compiling, LIBRARIES for linking.
#   Where an MPI lacks the language, its target is not made: test with if(TARGET n.mpich).
function(scalediag_mpi_program)
  cmake_parse_arguments(P "" "NAME;LANGUAGE" "SOURCES;OPTIONS;LIBRARIES" ${ARGN})
  if(P_UNPARSED_ARGUMENTS OR NOT P_NAME OR NOT P_SOURCES)
    message(FATAL_ERROR "scalediag_mpi_program(NAME n SOURCES s... [LANGUAGE l] [OPTIONS o...] [LIBRARIES l...])"
                        " does not know what to do with: ${ARGN}")
  endif()
  if(NOT P_LANGUAGE)
    list(GET P_SOURCES 0 first)
    get_filename_component(extension ${first} LAST_EXT)
    if(extension STREQUAL ".c")
      set(P_LANGUAGE C)
    elseif(extension MATCHES "^\\.[fF]")
      set(P_LANGUAGE Fortran)
    else()
      set(P_LANGUAGE CXX)
    endif()
  endif()
  string(TOLOWER ${P_LANGUAGE} lower)
  foreach(flavour IN LISTS SCALEDIAG_MPIS)
    if(NOT TARGET scalediag_mpi::${flavour}_${lower})
      message(STATUS "MPI: ${flavour} has no ${P_LANGUAGE} wrapper; ${P_NAME} is skipped for it")
      continue()
    endif()
    set(target ${P_NAME}.${flavour})
    add_executable(${target} ${P_SOURCES})
    target_compile_options(${target} PRIVATE -O2 -g ${P_OPTIONS})
    target_link_libraries(${target} PRIVATE ${P_LIBRARIES} scalediag_mpi::${flavour}_${lower})
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${P_NAME}
      LINKER_LANGUAGE ${P_LANGUAGE}
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${flavour}
      # Programs of the two MPIs may define modules of the same name.
      Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${flavour}/${P_NAME}.modules)
    scalediag_warnings(${target})
  endforeach()
endfunction()
