# scalediag_warnings(target): the warnings all our code is clean under.
function(scalediag_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
    $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<BOOL:${SCALEDIAG_WARNINGS_AS_ERRORS}>>:-Werror>)
endfunction()

# scalediag_sanitize(target): the sanitizers of SCALEDIAG_SANITIZE, ending the program at the first finding. Injected
# code has them for its unit tests; a library built so is not for loading into applications.
function(scalediag_sanitize target)
  if(SCALEDIAG_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SCALEDIAG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${SCALEDIAG_SANITIZE})
  endif()
endfunction()
