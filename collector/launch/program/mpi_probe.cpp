#include "collector/launch/program/mpi_probe.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "collector/launch/process/command_output.h"
#include "core/scratch_folder.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

Error not_found(const std::vector<std::string>& command, const std::string& what, ErrorCode code) {
  return {code, core::join_shell_words(command) + " " + what,
          "if it is an MPI program, say which MPI it uses: --mpi openmpi or --mpi mpich", command[0]};
}

Error unknown_library(const std::vector<std::string>& command, const std::string& path, const std::string& version) {
  return {ErrorCode::kInput,
          core::join_shell_words(command) + " uses the MPI library " + path +
              ", which is not known: it says that it is '" + version + "'",
          "known are Open MPI, MPICH and what shares its binary interface, and libmpi_abi of the MPI 5 standard", path};
}

}  // namespace

Result<MpiUse> probe_mpi(const std::vector<std::string>& command, const ProbeOptions& options) {
  const core::ScratchFolder scratch("probe");
  if (scratch.path().empty()) {
    return Error{ErrorCode::kEnvironment, "cannot create a temporary folder",
                 "set TMPDIR to a folder that can be written", ""};
  }
  const std::string file = scratch.file("mpi");
  const char* user_preload = std::getenv("LD_PRELOAD");
  const std::string preload =
      options.collector + (user_preload != nullptr && *user_preload != '\0' ? std::string(":") + user_preload : "");
  const auto tried = try_command(command, {"LD_PRELOAD=" + preload, "SCALEDIAG_PROBE=" + file}, options.time_limit_s,
                                 [&] { return access(file.c_str(), F_OK) == 0; });
  if (!tried) return tried.error();
  if (tried.value() == TriedUntil::kEnded) {
    return not_found(command,
                     "is not linked with an MPI library that is known, and ended without calling MPI_Init when "
                     "it was tried as one process",
                     ErrorCode::kInput);
  }
  if (tried.value() == TriedUntil::kTimeLimit) {
    return not_found(command,
                     "is not linked with an MPI library that is known, and did not call MPI_Init within " +
                         std::to_string(static_cast<int>(options.time_limit_s)) + " s when it was tried as one process",
                     ErrorCode::kInput);
  }
  std::ifstream report(file);
  std::string path, family, version;
  std::getline(report, path);
  std::getline(report, family);
  std::getline(report, version);
  MpiUse use{MpiFlavour::kUnknown, path, family == "abi"};
  if (family == name_of(MpiFlavour::kOpenMpi)) use.flavour = MpiFlavour::kOpenMpi;
  if (family == name_of(MpiFlavour::kMpich)) use.flavour = MpiFlavour::kMpich;
  if (use.is_standard_abi) use.flavour = flavour_of_version(version);
  if (family == "unknown") return unknown_library(command, path, version);
  return use;
}

}  // namespace scalediag::launch
