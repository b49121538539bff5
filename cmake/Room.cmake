# A room is one library target with an alias; what it may include is what it links.

# scalediag_room(NAME name [OPTIMISE level] SOURCES ... [USES targets ...])
#   analysis code: static library scalediag_<name>, alias scalediag::<name>
#   OPTIMISE: the level in place of -O2, where the optimiser would take longer than it could ever save
# Builds of RelWithDebInfo have line numbers of our own code; descriptions of variables would take a third of the time.
function(scalediag_room)
  cmake_parse_arguments(ROOM "" "NAME;OPTIMISE" "SOURCES;USES" ${ARGN})
  set(target scalediag_${ROOM_NAME})
  add_library(${target} STATIC ${ROOM_SOURCES})
  add_library(scalediag::${ROOM_NAME} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${ROOM_USES})
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-g1$<SEMICOLON>${ROOM_OPTIMISE}>)
  scalediag_warnings(${target})
  scalediag_sanitize(${target})
endfunction()

# scalediag_injected_room(NAME name SOURCES ... [USES targets ...])
#   code that is loaded into the application: C++17, hidden, position independent. It is built as an
#   object library so that unit tests can link it as well. It has no type information, which the sanitizer's check of
#   virtual calls asks for, so those who link it go without that check. With sanitizers the optimiser would take minutes
#   for the wrappers of MPI.
function(scalediag_injected_room)
  cmake_parse_arguments(ROOM "" "NAME" "SOURCES;USES" ${ARGN})
  set(target scalediag_${ROOM_NAME})
  add_library(${target} OBJECT ${ROOM_SOURCES})
  add_library(scalediag::${ROOM_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 17 POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set(level -O2)
  if(SCALEDIAG_SANITIZE)
    set(level -O0)
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${level} -fno-rtti>)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${ROOM_USES})
  scalediag_warnings(${target})
  scalediag_sanitize(${target})
  if(SCALEDIAG_SANITIZE MATCHES undefined)
    target_compile_options(${target} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>)
  endif()
endfunction()
