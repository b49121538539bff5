// Libraries between MPI and an application whose only purpose is to call MPI for others. Header only, C++17.
#pragma once

#include <cstddef>
#include <string_view>

namespace scalediag::raw {

// Names of files, each followed by '.' or '-': OpenFOAM's Pstream, Global Arrays and what carries it, the BLACS,
// Boost.MPI, mpi4py.
constexpr std::string_view kWrapperLibraries[] = {
    "libPstream", "libga", "libarmci", "libcomex", "libblacs", "libboost_mpi", "libboost_mpi_python", "MPI"};

// Libraries that do their own work and hold such a layer too: ScaLAPACK, the BLACS.
constexpr std::string_view kLibrariesWithLayers[] = {"libscalapack"};

template <size_t kSize> constexpr bool is_one_of(const std::string_view (&libraries)[kSize], std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view library : libraries) {
    if (file.substr(0, library.size()) != library || file.size() == library.size()) continue;
    if (file[library.size()] == '.' || file[library.size()] == '-') return true;
  }
  return false;
}

constexpr bool is_wrapper_library(std::string_view path) { return is_one_of(kWrapperLibraries, path); }

// Whether a function of the library that calls MPI may have been called by others of it that wrap MPI.
constexpr bool holds_wrappers(std::string_view path) {
  return is_wrapper_library(path) || is_one_of(kLibrariesWithLayers, path);
}

}  // namespace scalediag::raw
