// Completion of the command line in three shells.
#pragma once

#include <string>

#include "cli/options/option_table.h"

namespace scalediag::cli {

// Scripts that the shell reads: bash by `source` or from bash-completion's folder, zsh as _scalediag in fpath, fish
// from its completions folder.
std::string bash_completion(const OptionTable& table);
std::string zsh_completion(const OptionTable& table);
std::string fish_completion(const OptionTable& table);

}  // namespace scalediag::cli
