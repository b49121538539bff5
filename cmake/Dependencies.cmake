# What is needed is a Debian package each; tests/run.sh and samples/demo.sh install what is missing.
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(Boost REQUIRED)  # headers only: Math
find_package(EXPAT REQUIRED)  # profiles of other tools: XML and compressed members
find_package(ZLIB REQUIRED)
# spdlog and fmt from their headers: the tarball's programs link to no library of theirs.
add_library(scalediag_log INTERFACE)
add_library(scalediag::log ALIAS scalediag_log)
get_target_property(_spdlog_headers spdlog::spdlog_header_only INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(_fmt_headers fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(scalediag_log SYSTEM INTERFACE ${_spdlog_headers} ${_fmt_headers})
target_compile_definitions(scalediag_log INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
find_package(PkgConfig REQUIRED)
pkg_check_modules(elfutils REQUIRED IMPORTED_TARGET libdw libelf)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
scalediag_either(elfutils PkgConfig::elfutils libdw.a libelf.a libz.a liblzma.a libbz2.a)
scalediag_either(hwloc PkgConfig::hwloc libhwloc.a m)
scalediag_either(expat EXPAT::EXPAT libexpat.a)
scalediag_either(zlib ZLIB::ZLIB libz.a)

# Timelines as OTF2 archives, where it is there.
pkg_check_modules(otf2 IMPORTED_TARGET otf2)
if(TARGET PkgConfig::otf2)
  scalediag_either(otf2 PkgConfig::otf2 libopen-trace-format2.a)
endif()

# Compresses message logs. It is linked into a library inside the application, which may have a zstd of its own: so the
# static one, where there is one.
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
find_library(SCALEDIAG_ZSTD NAMES libzstd.a HINTS ${zstd_LIBDIR} DOC "zstd as a static library")
add_library(scalediag_zstd INTERFACE)
add_library(scalediag::zstd ALIAS scalediag_zstd)
if(SCALEDIAG_ZSTD)
  target_link_libraries(scalediag_zstd INTERFACE ${SCALEDIAG_ZSTD} Threads::Threads)
else()
  message(STATUS "no tarball can be made here: libzstd.a is missing")
  set(SCALEDIAG_PORTABLE OFF)
  target_link_libraries(scalediag_zstd INTERFACE PkgConfig::zstd)
endif()

# PAPI is loaded while scalediag runs, where it is there; nothing links to it.
find_path(PAPI_INCLUDE_DIR papi.h REQUIRED)
add_library(scalediag_papi_header INTERFACE)
add_library(scalediag::papi-header ALIAS scalediag_papi_header)
target_include_directories(scalediag_papi_header SYSTEM INTERFACE ${PAPI_INCLUDE_DIR})
target_link_libraries(scalediag_papi_header INTERFACE ${CMAKE_DL_LIBS})

# Chart.js, which reports embed; nothing loads it from anywhere.
find_file(SCALEDIAG_CHART_LIBRARY NAMES chart.min.js REQUIRED
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
  DOC "Chart.js as one file (Debian: libjs-chart.js)")

# Support vector regression of sequential blocks.
find_path(SVM_INCLUDE_DIR libsvm/svm.h REQUIRED)
find_library(SVM_LIBRARY NAMES svm REQUIRED)
scalediag_either(svm ${SVM_LIBRARY} libsvm.a)
target_include_directories(scalediag_svm SYSTEM INTERFACE ${SVM_INCLUDE_DIR})
