# Packages: `cpack -G DEB` or `cpack -G TGZ` in the build folder, or `cpack --config BUILD/CPackConfig.cmake -G DEB -B
# FOLDER`. The tarball has programs that need glibc alone (cmake/Portable.cmake) and nothing that is linked to an MPI.
# Debian packages are these:
#
#   scalediag            everything but the next two
#   scalediag-openmpi    what `scalediag network` measures with, linked to Open MPI;
#   scalediag-mpich      to MPICH: who has one MPI does not want the other
set(CPACK_PACKAGE_NAME scalediag)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells which function of an MPI program will stop scaling")
set(CPACK_PACKAGE_DESCRIPTION "Profiles an unmodified MPI program at a few small process counts,
models every function and every MPI operation, and predicts at what scale
it stops scaling, why, and what the run will cost there.")
set(CPACK_PACKAGE_CONTACT "scalediag maintainers <maintainers@scalediag.invalid>" CACHE STRING
  "Maintainer of the package")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageLayout.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageFormats.cmake)
if(SCALEDIAG_PORTABLE)
  set(CPACK_SCALEDIAG_PORTABLE ${PROJECT_BINARY_DIR}/portable/bin/scalediag)
endif()
set(CPACK_SCALEDIAG_PROCESSOR ${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_COMPONENTS_ALL scalediag ${SCALEDIAG_MPIS})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SCALEDIAG_PACKAGE_NAME scalediag)
set(CPACK_COMPONENT_SCALEDIAG_DESCRIPTION ${CPACK_PACKAGE_DESCRIPTION})
# PAPI is loaded at run time, of the major version that we were built with.
file(STRINGS ${PAPI_INCLUDE_DIR}/papi.h papi_version REGEX "define PAPI_VERSION[ \t]+PAPI_VERSION_NUMBER\\([0-9]")
set(papi "")
if(papi_version MATCHES "\\(([0-9]+),([0-9]+)")
  set(papi ", libpapi${CMAKE_MATCH_1}.${CMAKE_MATCH_2}")
endif()
set(CPACK_DEBIAN_SCALEDIAG_PACKAGE_RECOMMENDS "valgrind${papi}")
set(CPACK_DEBIAN_SCALEDIAG_PACKAGE_SUGGESTS "openmpi-bin | mpich")
foreach(flavour IN LISTS SCALEDIAG_MPIS)
  string(TOUPPER ${flavour} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME scalediag-${flavour})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "scalediag (= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "measures a network through ${flavour} for scalediag network")
endforeach()
include(Copyright)
include(ModuleFiles)
install(FILES CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/scalediag)
include(CPack)
