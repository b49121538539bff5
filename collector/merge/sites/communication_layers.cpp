#include "collector/merge/sites/communication_layers.h"

#include <algorithm>
#include <iterator>

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

}  // namespace

bool is_communication_layer(std::string_view path, std::string_view function) {
  return raw::is_wrapper_library(path) ||
         std::any_of(std::begin(kLayerFunctions), std::end(kLayerFunctions),
                     [&](std::string_view begin) { return function.substr(0, begin.size()) == begin; });
}

bool is_language_start(std::string_view function) {
  return function == "_start" || function == "__libc_start_main" || function == "__libc_start_call_main" ||
         function == "__libc_start_main_impl" || function == "start_thread" || function == "clone3" ||
         function == "clone";
}

}  // namespace scalediag::merge
