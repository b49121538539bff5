# Makes the copyright file of each Debian package and of the tarball, share/doc/PACKAGE/copyright: it names what is built
# in that others wrote, with the notices that the packages it came from carry. They are read from the machine that builds.
set(notices "")
set(parts
    "libjs-chart.js|Chart.js, in every HTML report and in the program that writes them"
    "libcli11-dev|CLI11, compiled into scalediag"
    "nlohmann-json3-dev|JSON for Modern C++, compiled into scalediag"
    "libspdlog-dev|spdlog, compiled into scalediag"
    "libzstd-dev|Zstandard, in scalediag and in the library that records messages")
if(SCALEDIAG_PORTABLE)
  list(APPEND parts
      "libdw-dev|libdw and libelf of elfutils, in scalediag of the tarball, which can be linked anew from the sources"
      "libhwloc-dev|hwloc, in scalediag of the tarball"
      "libsvm-dev|LIBSVM, in scalediag of the tarball"
      "libexpat1-dev|Expat, in scalediag of the tarball"
      "zlib1g-dev|zlib, in scalediag of the tarball"
      "liblzma-dev|liblzma, in scalediag of the tarball"
      "libbz2-dev|bzip2, in scalediag of the tarball")
  if(TARGET scalediag_otf2)
    list(APPEND parts "libopen-trace-format2-dev|OTF2, in scalediag of the tarball")
  endif()
endif()
foreach(part IN LISTS parts)
  string(REPLACE "|" ";" part "${part}")
  list(GET part 0 package)
  list(GET part 1 what)
  string(APPEND notices "\n${what} (Debian package ${package}):\n\n")
  set(file /usr/share/doc/${package}/copyright)
  if(EXISTS ${file})
    file(READ ${file} notice)
    string(REPLACE "\n" "\n    " notice "${notice}")
    string(APPEND notices "    ${notice}\n")
  else()
    # Images of machines often leave documentation out.
    message(WARNING "${file} is not there: packages made here lack the notice of ${package}")
    string(APPEND notices "    see ${file} of that package\n")
  endif()
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/copyright
"scalediag

The licence of scalediag itself has not been stated yet.

Parts of it were written by others, who license them as follows. Eigen (MPL-2.0, package libeigen3-dev), Boost.Math
(BSL-1.0, libboost-dev) and fmt (MIT, libfmt-dev) are compiled in from their headers, and the library that is preloaded
into applications holds libstdc++ and libgcc (GPL-3 with the GCC Runtime Library Exception, libstdc++-dev); their
sources and full notices are those of the Debian packages named.
${notices}")
install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/scalediag)
foreach(flavour IN LISTS SCALEDIAG_MPIS)
  install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/scalediag-${flavour}
    COMPONENT ${flavour})
endforeach()
