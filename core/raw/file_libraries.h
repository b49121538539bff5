// Libraries that read and write files for others: the C library, those of languages, and file formats. Header only,
// C++17.
#pragma once

#include <string_view>

namespace scalediag::raw {

// Beginnings of their files' names.
constexpr std::string_view kFileLibraries[] = {
    "libc.so",   "libc-2",     "libstdc++.", "libgfortran.", "libhdf5",
    "libnetcdf", "libpnetcdf", "libadios2",  "libz.so",      "libboost_iostreams"};

constexpr bool is_file_library(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view library : kFileLibraries) {
    if (file.substr(0, library.size()) == library) return true;
  }
  return false;
}

}  // namespace scalediag::raw
