# cmake -DPROGRAM=p "-DARGUMENTS=a;b" -DOUTPUT=file -P Capture.cmake: the file becomes what the program prints.
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} OUTPUT_FILE ${OUTPUT}.partial RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ${ARGUMENTS} ended with ${status}")
endif()
file(RENAME ${OUTPUT}.partial ${OUTPUT})
