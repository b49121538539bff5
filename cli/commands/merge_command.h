// The merge of an experiment folder, for all commands that end with one.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::cli {

struct MergeCommandOptions {
  std::string folder = {};
  std::string clock = {};    // empty: as the experiment has it
  std::string machine = {};  // a machine.json, or "none"; empty: that of the folder or of this host
  bool resolve_inlined = false;
};

// Writes profile.json anew from the raw files and prints what was merged. Gives the exit status.
Result<int> merge_folder(const MergeCommandOptions& options);

}  // namespace scalediag::cli
