# A room is one library target with an alias; what it may include is what it links.

# scalediag_room(NAME name [LIGHT] SOURCES ... [USES targets ...])
#   analysis code: static library scalediag_<name>, alias scalediag::<name>
#   LIGHT: its loops are short, so that the optimiser would take longer over it than it could ever save
# Builds of RelWithDebInfo have line numbers of our own code; descriptions of variables would take a third of the time.
function(scalediag_room)
  cmake_parse_arguments(ROOM "LIGHT" "NAME" "SOURCES;USES" ${ARGN})
  set(target scalediag_${ROOM_NAME})
  add_library(${target} STATIC ${ROOM_SOURCES})
  add_library(scalediag::${ROOM_NAME} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${ROOM_USES})
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-g1$<$<BOOL:${ROOM_LIGHT}>:$<SEMICOLON>-O1>>)
  scalediag_warnings(${target})
  scalediag_sanitize(${target})
endfunction()

# scalediag_injected_room(NAME name SOURCES ... [USES targets ...])
#   code that is loaded into the application: C++17, hidden, position independent. It is built as an
#   object library so that unit tests can link it as well.
function(scalediag_injected_room)
  cmake_parse_arguments(ROOM "" "NAME" "SOURCES;USES" ${ARGN})
  set(target scalediag_${ROOM_NAME})
  add_library(${target} OBJECT ${ROOM_SOURCES})
  add_library(scalediag::${ROOM_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 17 POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    UNITY_BUILD OFF)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O2 -fno-rtti>)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${ROOM_USES})
  scalediag_warnings(${target})
  scalediag_sanitize(${target})
endfunction()
