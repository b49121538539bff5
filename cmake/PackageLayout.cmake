# Run by cpack on what it is about to pack.
if(CPACK_GENERATOR STREQUAL "DEB")
  # Debian's places and compression where they differ from other systems'.
  file(GLOB zsh_scripts "${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/zsh/site-functions/_scalediag")
  foreach(script IN LISTS zsh_scripts)
    get_filename_component(folder ${script}/../../vendor-completions ABSOLUTE)
    file(MAKE_DIRECTORY ${folder})
    file(RENAME ${script} ${folder}/_scalediag)
    get_filename_component(empty ${script} DIRECTORY)
    file(REMOVE_RECURSE ${empty})
  endforeach()
  # A changelog as Debian's tools read it, in each package; what changed stands in CHANGELOG.md beside it.
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(GLOB folders "${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*")
  foreach(folder IN LISTS folders)
    file(WRITE ${folder}/changelog "scalediag (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}: see CHANGELOG.md in the folder of the package scalediag.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  endforeach()
  # CPack has ldconfig called for libraries in folders below /usr/lib. Ours are for LD_PRELOAD; the call does no harm.
  file(WRITE ${CPACK_TEMPORARY_DIRECTORY}/scalediag/usr/share/lintian/overrides/scalediag
       "scalediag: maintscript-calls-ldconfig [postinst]\nscalediag: maintscript-calls-ldconfig [postrm]\n"
       # It looks up packages with debug information in dpkg's lists, without starting dpkg for each.
       "scalediag: uses-dpkg-database-directly [usr/bin/scalediag]\n")
  file(GLOB compressed "${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/man1/*.1"
                       "${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*/changelog")
  foreach(file IN LISTS compressed)
    execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
else()
  # The tarball: the program with libraries in it takes the place of the other.
  file(GLOB program "${CPACK_TEMPORARY_DIRECTORY}/scalediag/*/bin/scalediag")
  file(COPY_FILE ${CPACK_SCALEDIAG_PORTABLE} ${program})
endif()
