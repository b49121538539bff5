#include "collector/launch/program/mpi_probe.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "collector/launch/process/command_output.h"
#include "collector/launch/process/status_text.h"
#include "core/scratch_folder.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

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

// The command has started a launcher, which has started this program: the words of /proc/PID/cmdline.
Error starts_ranks_itself(const std::vector<std::string>& command, MpiFlavour flavour, const std::string& cmdline) {
  std::vector<std::string> program;
  std::istringstream words(cmdline);
  for (std::string word; std::getline(words, word, '\0');) program.push_back(word);
  return {ErrorCode::kUsage,
          core::join_shell_words(command) + " starts its ranks by a launcher of its own" +
              (flavour == MpiFlavour::kUnknown ? "" : std::string(" (") + title_of(flavour) + ")") +
              ", which only scalediag may do",
          "name the program that it starts instead: -- " + core::join_shell_words(program), command[0]};
}

// A Python program without the module that it needs ends by this line.
bool is_failed_import(const std::string& line) {
  return line.starts_with("ModuleNotFoundError: ") || line.starts_with("ImportError: ");
}

Error failed_import(const std::vector<std::string>& command, const std::string& words) {
  return {ErrorCode::kEnvironment, core::join_shell_words(command) + " does not get to MPI_Init: " + words,
          words.find("mpi4py") == words.npos
              ? "install the module for the Python that runs the program, or start it with another Python"
              : "install mpi4py for the Python that runs the program (python3 -m pip install mpi4py; Debian's "
                "/usr/bin/python3: apt-get install python3-mpi4py), or start it with a Python that has it",
          command[0]};
}

// The last line that the command wrote, for an error; empty: it wrote nothing.
std::string last_words(const std::string& file) {
  constexpr size_t kLongest = 200;
  std::ifstream output(file);
  std::string line, last;
  while (std::getline(output, line)) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return last.size() > kLongest ? "..." + last.substr(last.size() - kLongest) : last;
}

// `signal`: that this program was sent meanwhile, or 0.
Result<MpiUse> probe(const std::vector<std::string>& command, const ProbeOptions& options, int& signal) {
  const core::ScratchFolder scratch("probe");
  if (scratch.path().empty()) {
    return Error{ErrorCode::kEnvironment, "cannot create a temporary folder",
                 "set TMPDIR to a folder that can be written"};
  }
  const std::string file = scratch.file("mpi");
  const char* user_preload = std::getenv("LD_PRELOAD");
  const std::string preload =
      options.collector + (user_preload != nullptr && *user_preload != '\0' ? std::string(":") + user_preload : "");
  const auto tried = try_command(command, {"LD_PRELOAD=" + preload, "SCALEDIAG_PROBE=" + file}, scratch.file("output"),
                                 options.time_limit_s, [&] { return access(file.c_str(), F_OK) == 0; });
  if (!tried) return tried.error();
  signal = tried.value().signal;
  if (tried.value().until == Tried::Until::kEnded) {
    const std::string words = last_words(scratch.file("output"));
    if (is_failed_import(words)) return failed_import(command, words);
    return not_found(command,
                     "is not linked with an MPI library that is known, and ended without calling MPI_Init when "
                     "it was tried as one process, with exit status " +
                         describe_status(tried.value().exit_status) +
                         (words.empty() ? "" : "; the last that it wrote is: " + words),
                     ErrorCode::kInput);
  }
  if (tried.value().until != Tried::Until::kDone) {
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
  std::string variable, cmdline;
  std::getline(report, variable);
  std::getline(report, cmdline);
  // Inside an allocation or a rank of another program it is set already.
  if (!variable.empty() && std::getenv(variable.c_str()) == nullptr) {
    return starts_ranks_itself(command, use.flavour, cmdline);
  }
  return use;
}

}  // namespace

Result<MpiUse> probe_mpi(const std::vector<std::string>& command, const ProbeOptions& options) {
  int signal = 0;
  auto use = probe(command, options, signal);
  // Nothing is left that would have to be told or removed: the signal does what it would have done.
  if (signal != 0) raise(signal);
  return use;
}

}  // namespace scalediag::launch
