# scalediag_warnings(target): the warnings all our code is clean under.
function(scalediag_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
    $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<BOOL:${SCALEDIAG_WARNINGS_AS_ERRORS}>>:-Werror>)
endfunction()

# scalediag_sanitize(target): the sanitizers of SCALEDIAG_SANITIZE, ending the program at the first finding. Injected
# code has them for its unit tests; a library built so is not for loading into applications.
#
# Injected code, which is built as object libraries, takes memory for other types than it was; there every pointer is
# checked for null and alignment. Elsewhere that would take a third of the compiler's time to find little: a null pointer
# that is followed ends the program anyhow.
function(scalediag_sanitize target)
  if(SCALEDIAG_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${SCALEDIAG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${SCALEDIAG_SANITIZE})
  endif()
  get_target_property(type ${target} TYPE)
  if(SCALEDIAG_SANITIZE MATCHES undefined AND NOT type STREQUAL OBJECT_LIBRARY)
    target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment)
  endif()
endfunction()
