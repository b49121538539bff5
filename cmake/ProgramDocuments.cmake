# The manual page and the shells' completion scripts: printed by the program that they describe, and installed where man
# and the shells look. A program for another machine cannot print them here.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "manual page and completion scripts are left out: scalediag does not run here")
  return()
endif()

# _scalediag_document(FILE FOLDER ARGUMENTS...): FILE, installed into FOLDER, is what `scalediag ARGUMENTS` prints.
function(_scalediag_document file folder)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/documents/${file})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:scalediag> "-DARGUMENTS=${ARGN}" -DOUTPUT=${output}
            -P ${PROJECT_SOURCE_DIR}/cmake/Capture.cmake
    DEPENDS scalediag ${PROJECT_SOURCE_DIR}/cmake/Capture.cmake VERBATIM)
  set_property(GLOBAL APPEND PROPERTY scalediag_documents ${output})
  install(FILES ${output} DESTINATION ${folder})
endfunction()

file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/documents)
_scalediag_document(scalediag.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
_scalediag_document(scalediag ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
_scalediag_document(_scalediag ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
_scalediag_document(scalediag.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
get_property(documents GLOBAL PROPERTY scalediag_documents)
add_custom_target(scalediag_documents ALL DEPENDS ${documents})
