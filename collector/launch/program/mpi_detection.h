// The MPI and the OpenMP library of an application, according to its dynamic loader. The application is not executed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/launch/program/executable_file.h"
#include "core/result.h"

namespace scalediag::launch {

enum class MpiFlavour { kUnknown, kOpenMpi, kMpich };
const char* name_of(MpiFlavour flavour);     // "openmpi", "mpich", "unknown", as in experiment.json
const char* title_of(MpiFlavour flavour);    // "Open MPI", "MPICH", "unknown MPI"
const char* package_of(MpiFlavour flavour);  // the Debian package with the launcher and the library

// "openmpi" or "mpich"; error (kUsage) otherwise.
Result<MpiFlavour> parse_flavour(const std::string& text);

// One line of the loader's list.
struct LoadedLibrary {
  std::string name;  // as the program requests it: "libmpi.so.40"
  std::string path;  // empty: not found
};

// Parses the output of `ld.so --list PROGRAM`. Lines without "=>" (the loader itself, the vDSO) are left out.
std::vector<LoadedLibrary> parse_loader_list(const std::string& text);

// Whether an ELF file needs an OpenMP library. False also for a script, and where the loader's list is not to be had.
bool uses_openmp(const ExecutableFile& file);

struct MpiUse {
  MpiFlavour flavour = MpiFlavour::kUnknown;
  std::string library;  // path of the MPI library
  // The library is libmpi_abi of the MPI 5 standard; `flavour` is then its implementation's, whose launcher is needed.
  bool is_standard_abi = false;
};

// The family of MPI by what MPI_Get_library_version says.
MpiFlavour flavour_of_version(std::string_view version);

// Whether the file name is that of MPI's C library or of one beside it, of whatever family.
bool is_mpi_library(const std::string& name);

// The family of a library; kUnknown if it is none of MPI's, or of an MPI that is not known. libmpi.so.N is told by what
// the file holds, because several families have the name; where there is no file, by the number: 12 is the binary
// interface of MPICH (MPICH, Intel MPI, MVAPICH2), others are Open MPI's.
MpiFlavour flavour_of_library(const LoadedLibrary& library);

// Precondition: `program` is an ELF file, not a script.
// A program that is linked with no MPI library gives an empty MpiUse. Errors: the loader cannot load it (kEnvironment,
// the loader's own words); its MPI or another library is missing (kEnvironment); its MPI is not known (kInput).
Result<MpiUse> detect_mpi(const ExecutableFile& program);

// Error (kEnvironment): the program is built with -fsanitize=address, whose library ends a program into which another
// one was preloaded, and ASAN_OPTIONS does not allow it. Precondition: as of detect_mpi().
Status check_sanitizer(const ExecutableFile& program);

// Whether the program begins MPI by sessions (MPI_Session_init) and has no call of MPI_Init: nothing sees it then.
// Looks for the names in the file, so it is for explaining a run that left nothing.
bool has_sessions_only(const std::string& program);
inline constexpr const char* kSessionsOnly = "the program begins MPI by MPI_Session_init alone, which is not supported";
inline constexpr const char* kSessionsHint =
    "call MPI_Init or MPI_Init_thread, too, before the first session: MPI 4 allows both in one program";

}  // namespace scalediag::launch
