#include "collector/counters/callgrind/valgrind.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

#if __has_include(<valgrind/callgrind.h>)
constexpr bool kHasRequests = true;
#else
constexpr bool kHasRequests = false;
#endif

namespace scalediag::counters {

Result<std::string> find_valgrind() {
  std::string found;
  std::istringstream folders(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string folder; found.empty() && std::getline(folders, folder, ':');) {
    const std::string path = (folder.empty() ? "." : folder) + "/valgrind";
    if (access(path.c_str(), X_OK) == 0) found = path;
  }
  if (found.empty()) {
    return Error{ErrorCode::kEnvironment, "valgrind is not installed, which simulates the counters",
                 "apt-get install valgrind", "valgrind"};
  }
  if (!kHasRequests) {
    return Error{ErrorCode::kEnvironment,
                 "scalediag was built without valgrind's header, so MPI cannot be left out of simulated counts",
                 "build scalediag again now that valgrind is installed", "valgrind"};
  }
  return found;
}

std::vector<std::string> callgrind_options(const CallgrindCaches& caches, bool follows_children) {
  std::vector<std::string> options = {
      "--tool=callgrind",
      // Functions are looked up by address, like those of samples: the same code must have the same name.
      "--dump-instr=yes", "--dump-line=no",
      // Relative positions are relative to a line that is not always the one before.
      "--compress-pos=no", "--cache-sim=yes",
      // Nothing is counted before MPI_Init has returned; see collector/inject/callgrind_counting.h.
      "--instr-atstart=no", "--collect-atstart=yes",
      std::string("--trace-children=") + (follows_children ? "yes" : "no")};
  options.insert(options.end(), caches.options.begin(), caches.options.end());
  return options;
}

std::string find_unsupported_instruction(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (const char* mark : {"unhandled instruction bytes", "Unrecognised instruction", "Illegal opcode at address",
                             "disInstr: unhandled"}) {
      const size_t at = line.find(mark);
      if (at == line.npos) continue;
      return "this valgrind cannot run an instruction of the program (" + line.substr(at) + ")";
    }
  }
  return "";
}

const char* const kUnsupportedInstructionHint =
    "valgrind knows instructions up to AVX2: have libraries choose older code (OPENBLAS_CORETYPE=Haswell, "
    "MKL_ENABLE_INSTRUCTIONS=AVX2, GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F), or build the program with "
    "-march=x86-64-v3";

}  // namespace scalediag::counters
