// Libraries between MPI and an application whose only purpose is to call MPI for others. Header only, C++17.
#pragma once

#include <string_view>

namespace scalediag::raw {

// Names of files, each followed by '.' or '-': OpenFOAM's Pstream, Global Arrays and what carries it, the BLACS,
// Boost.MPI, mpi4py.
constexpr std::string_view kWrapperLibraries[] = {
    "libPstream", "libga", "libarmci", "libcomex", "libblacs", "libboost_mpi", "libboost_mpi_python", "MPI"};

constexpr bool is_wrapper_library(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view library : kWrapperLibraries) {
    if (file.substr(0, library.size()) != library || file.size() == library.size()) continue;
    if (file[library.size()] == '.' || file[library.size()] == '-') return true;
  }
  return false;
}

}  // namespace scalediag::raw
