// Libraries that read and write files for others: the C library, those of languages, and file formats. Header only,
// C++17.
#pragma once

#include <string_view>

#include "core/raw/c_library.h"

namespace scalediag::raw {

// Beginnings of their files' names, beside the C library.
constexpr std::string_view kFileLibraries[] = {"libstdc++.", "libgfortran.", "libhdf5", "libnetcdf",
                                               "libpnetcdf", "libadios2",    "libz.so", "libboost_iostreams"};

constexpr bool is_file_library(std::string_view path) {
  if (is_c_library(path)) return true;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view library : kFileLibraries) {
    if (file.substr(0, library.size()) == library) return true;
  }
  return false;
}

}  // namespace scalediag::raw
