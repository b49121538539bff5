#include "collector/merge/sites/communication_layers.h"

#include <algorithm>
#include <iterator>

#include "core/raw/file_libraries.h"
#include "core/raw/gpu_functions.h"
#include "core/raw/wrapper_libraries.h"

namespace scalediag::merge {
namespace {

// Beginnings of readable names, for classes and functions inside an application's own libraries.
constexpr std::string_view kLayerFunctions[] = {
    "std::", "__gnu_cxx::",
    // MPI's former C++ interface and Boost's
    "MPI::", "boost::mpi::",
    // OpenFOAM
    "Foam::UPstream::", "Foam::Pstream::", "Foam::UIPstream::", "Foam::UOPstream::", "Foam::IPstream::",
    "Foam::OPstream::", "Foam::UIPBstream::", "Foam::UOPBstream::", "Foam::IPBstream::", "Foam::OPBstream::",
    "Foam::PstreamBuffers::", "Foam::PstreamGlobals::", "Foam::reduce", "Foam::allReduce", "Foam::returnReduce",
    "void Foam::reduce", "void Foam::Pstream::", "void Foam::UPstream::", "void Foam::allReduce",
    // LAMMPS
    "LAMMPS_NS::Comm::", "LAMMPS_NS::CommBrick::", "LAMMPS_NS::CommTiled::", "LAMMPS_NS::Irregular::"};

// Whether a class, namespace or module is named as one that wraps MPI: "MpiComm", "mpi_layer", "Communicator".
bool is_layer_scope(std::string_view scope) {
  const auto ends_with = [&](std::string_view end) { return scope.size() >= end.size() && scope.ends_with(end); };
  return scope.find("MPI") != scope.npos || scope.starts_with("mpi") || scope.starts_with("Mpi") || ends_with("_mpi") ||
         scope.find("_mpi_") != scope.npos || scope == "comm" || scope == "Comm" || scope.starts_with("Communicat") ||
         scope.starts_with("communicat") || ends_with("Comm") || ends_with("_comm") || ends_with("Communicator") ||
         ends_with("communicator");
}

// The same of a function that belongs to no scope: "mpi_sum", "my_mpi_bcast".
bool is_layer_function(std::string_view function) {
  return function.starts_with("mpi_") || function.starts_with("MPI_") || function.find("_mpi_") != function.npos ||
         function.find("_MPI_") != function.npos;
}

// The BLACS, which ScaLAPACK's library holds: "Cdgsum2d", "dgebr2d_", "BI_Srecv", "Cblacs_barrier".
bool is_blacs(std::string_view function) {
  constexpr std::string_view kOperations[] = {"gesd2d", "gerv2d", "gebs2d", "gebr2d", "trsd2d", "trrv2d",
                                              "trbs2d", "trbr2d", "gsum2d", "gamx2d", "gamn2d"};
  if (function.starts_with("BI_")) return true;
  if (function.starts_with('C')) function.remove_prefix(1);
  if (function.ends_with('_')) function.remove_suffix(1);
  if (function.starts_with("blacs_")) return true;
  if (function.empty() || std::string_view("isdcz").find(function.front()) == function.npos) return false;
  return std::find(std::begin(kOperations), std::end(kOperations), function.substr(1)) != std::end(kOperations);
}

// By the scopes of a readable name, which has template arguments and parameters, or by the name where it has none.
bool is_named_as_layer(std::string_view function) {
  size_t begin = 0;
  int depth = 0;
  bool has_scope = false;
  for (size_t i = 0; i < function.size(); ++i) {
    if (function[i] == '<') ++depth;
    if (function[i] == '>') --depth;
    if (depth != 0) continue;
    if (function[i] == '(') return !has_scope && is_layer_function(function.substr(begin, i - begin));
    if (function[i] == ' ') begin = i + 1;  // what stands before it is the type that the function returns
    if (function[i] != ':' || i + 1 == function.size() || function[i + 1] != ':') continue;
    const std::string_view scope = function.substr(begin, i - begin);
    if (is_layer_scope(scope.substr(0, scope.find('<')))) return true;
    has_scope = true;
    begin = ++i + 1;
  }
  return !has_scope && is_layer_function(function.substr(begin));
}

}  // namespace

bool is_communication_layer(std::string_view path, std::string_view function) {
  return raw::is_wrapper_library(path) || is_named_as_layer(function) || is_blacs(function) ||
         std::any_of(std::begin(kLayerFunctions), std::end(kLayerFunctions),
                     [&](std::string_view begin) { return function.substr(0, begin.size()) == begin; });
}

bool is_file_layer(std::string_view path, std::string_view function) {
  // HDF5's functions are "H5Dwrite", "H5FD_sec2_write".
  const bool is_hdf5 = function.size() > 2 && function.starts_with("H5") && function[2] >= 'A' && function[2] <= 'Z';
  return raw::is_file_library(path) || is_hdf5 || function.starts_with("std::") ||
         function.starts_with("__gnu_cxx::") || function.starts_with("_gfortran_") || function.starts_with("nc_") ||
         function.starts_with("ncmpi_");
}

bool is_gpu_layer(std::string_view path, std::string_view function) {
  constexpr std::string_view kBeginnings[] = {"__device_stub__", "cudaError cudaLaunch",
                                              "cudaLaunch",      "hipError_t hip",
                                              "hipLaunch",       "thrust::",
                                              "cub::",           "std::"};
  return raw::is_gpu_layer(path) || std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                                                [&](std::string_view b) { return function.starts_with(b); });
}

bool is_language_start(std::string_view function) {
  return function == "_start" || function == "__libc_start_main" || function == "__libc_start_call_main" ||
         function == "__libc_start_main_impl" || function == "start_thread" || function == "clone3" ||
         function == "clone";
}

}  // namespace scalediag::merge
