# Runs COMMAND (a list) and compares both its exit status and its output with the expected ones: CTest's
# PASS_REGULAR_EXPRESSION alone would let a failing exit status through.
#   cmake -DEXPECT_STATUS=zero|nonzero -DEXPECT_OUTPUT=<regular expression> -DCOMMAND=... -P run_case.cmake
set(limit_s 300)  # a hang, even on a loaded machine
if(NOT COMMAND)
  message(FATAL_ERROR "run_case.cmake: no COMMAND")
endif()
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT ${limit_s})
message("${output}")
if(EXPECT_STATUS STREQUAL "zero" AND NOT status EQUAL 0)
  message(FATAL_ERROR "exit status is ${status}, expected 0")
elseif(EXPECT_STATUS STREQUAL "nonzero" AND NOT status MATCHES "^[1-9][0-9]*$")
  # A number is required: a time-out or a signal, which CMake reports in words, is not the expected refusal.
  message(FATAL_ERROR "exit status is '${status}', expected a refusal")
endif()
if(NOT output MATCHES "${EXPECT_OUTPUT}")
  message(FATAL_ERROR "the output does not match '${EXPECT_OUTPUT}'")
endif()
