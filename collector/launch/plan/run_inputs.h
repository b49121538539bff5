// The inputs of runs besides the command line: the files that its arguments name, the standard input, and environment
// variables. They are recorded so that runs with different inputs are not mixed in one experiment.
//
// Files that a program reads without an argument for them (a fixed name, an included file, a folder) are not seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/launch/plan/profile_plan.h"
#include "collector/launch/process/stdin_source.h"

namespace scalediag::launch {

// Up to this size the whole content of a file is read for its fingerprint.
constexpr uint64_t kWholeFileBytes = uint64_t{64} << 20;

// "SIZE-CRC" of a file's content. Larger than `whole_bytes`: "SIZE-CRC-TIME" with the CRC of its first and last MiB and
// the time of its last change in ns. Empty if it is no regular file or cannot be read.
std::string fingerprint_of_input(const std::string& path, uint64_t whole_bytes = kWholeFileBytes);

// The variables of `environment` ("NAME=VALUE", ended by a null pointer) that may change results.
std::map<std::string, std::string> relevant_environment(const char* const* environment);

// Whether relevant_environment() would keep a variable of this name.
bool is_relevant_variable(const std::string& name);

// Absolute paths that arguments may name: each argument, and the text after "=" in one, if it can be a path. Files that
// do not exist yet are included, since the application may write them.
std::vector<std::string> paths_in_arguments(const std::vector<PlannedConfiguration>& plan);

// The files among `paths` and the standard input, each with its fingerprint.
std::map<std::string, std::string> fingerprint_inputs(const std::vector<std::string>& paths, const StdinSource& input);

// Separates inputs from files that the application writes: a file that changes during a run is not compared any more.
class OutputWatch {
 public:
  OutputWatch() = default;
  // Records the present state of the files.
  explicit OutputWatch(const std::vector<std::string>& paths);

  struct Changes {
    std::vector<std::string> created;
    std::vector<std::string> changed;  // existed before: written by the application, or edited by the user meanwhile
  };
  // The changes since the last call.
  Changes look();

 private:
  struct Stamp {
    bool exists = false;
    int64_t size = 0;
    int64_t changed_ns = 0;
    uint64_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::string& path);
  std::map<std::string, Stamp> stamps_;
};

}  // namespace scalediag::launch
