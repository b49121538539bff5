// The MPI of an application, according to its dynamic loader. The application is not executed.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/program/executable_file.h"
#include "core/result.h"

namespace scalediag::launch {

enum class MpiFlavour { kUnknown, kOpenMpi, kMpich };
const char* name_of(MpiFlavour flavour);     // "openmpi", "mpich", "unknown", as in experiment.json
const char* title_of(MpiFlavour flavour);    // "Open MPI", "MPICH", "unknown MPI"
const char* package_of(MpiFlavour flavour);  // the Debian package with the launcher and the library

// "openmpi" or "mpich"; error (kUsage) otherwise.
core::Result<MpiFlavour> parse_flavour(const std::string& text);

// One line of the loader's list.
struct LoadedLibrary {
  std::string name;  // as the program requests it: "libmpi.so.40"
  std::string path;  // empty: not found
};

// Parses the output of `ld.so --list PROGRAM`. Lines without "=>" (the loader itself, the vDSO) are left out.
std::vector<LoadedLibrary> parse_loader_list(const std::string& text);

struct MpiUse {
  MpiFlavour flavour = MpiFlavour::kUnknown;
  std::string library;  // path of the MPI library
};

// The family of a library by its name; kUnknown if it is none of MPI's. libmpi.so.12 is the MPICH ABI (MPICH, Intel
// MPI, MVAPICH2), unless the file holds Open MPI's symbols (Open MPI 1.10 had the same name).
MpiFlavour flavour_of_library(const LoadedLibrary& library);

// Precondition: `program` is an ELF file, not a script.
// Errors: the loader cannot load it (kEnvironment, the loader's own words); its MPI or another library is missing
// (kEnvironment); it uses no MPI library (kInput).
core::Result<MpiUse> detect_mpi(const ExecutableFile& program);

}  // namespace scalediag::launch
