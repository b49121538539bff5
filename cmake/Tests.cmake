# What the address and the thread sanitizer are built for: every unit test that runs under them.
add_custom_target(unit_tests)

# scalediag_unit_test(NAME name SOURCES ... [USES targets ...] [THREADS cases]): a GoogleTest program, labelled `unit`.
#
# Every case is a test of its own, except under the address sanitizer, whose start takes longer than most cases. (Under
# the thread sanitizer a case that forks hangs where another one had threads.) THREADS is GoogleTest's filter of the
# cases in which more than one thread is at work: under the thread sanitizer they are built and run, and no others.
# The optimiser spends more time on tests than they would save.
function(scalediag_unit_test)
  cmake_parse_arguments(T "" "NAME;THREADS" "SOURCES;USES" ${ARGN})
  add_executable(${T_NAME} ${T_SOURCES})
  target_include_directories(${T_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${T_NAME} PRIVATE ${T_USES} GTest::gtest_main)
  scalediag_warnings(${T_NAME})
  scalediag_sanitize(${T_NAME})
  target_compile_options(${T_NAME} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0$<SEMICOLON>-g1>)
  if(SCALEDIAG_SANITIZE MATCHES thread AND NOT T_THREADS)
    set_target_properties(${T_NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  add_dependencies(unit_tests ${T_NAME})
  if(SCALEDIAG_SANITIZE MATCHES address)
    add_test(NAME ${T_NAME} COMMAND ${T_NAME})
    set_tests_properties(${T_NAME} PROPERTIES LABELS unit)
  elseif(SCALEDIAG_SANITIZE MATCHES thread)
    gtest_discover_tests(${T_NAME} TEST_FILTER ${T_THREADS} PROPERTIES LABELS unit)
  else()
    gtest_discover_tests(${T_NAME} PROPERTIES LABELS unit)
  endif()
endfunction()
