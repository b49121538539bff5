// Files that a command is asked to write: what is wrong with them is said before anything is computed.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::cli {

// Checks that none of `outputs` destroys anything but an older output. Files are told apart by device and inode, so
// that links of both kinds, /proc/self/fd and relative paths make no difference. Empty names are left out of both
// lists. Errors (kUsage): an output is "-", is a folder, a device or a pipe, or is in a folder that is not there; is
// one of `inputs`, which are files and folders, or of what ranks wrote in such a folder; is a file of an experiment
// folder, whichever (experiment.json, profile.json, machine.json, .lock, all in runs); is where standard output or
// standard error goes; is another of `outputs`. (kEnvironment): its folder cannot be written into.
core::Status check_output_files(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

// The same for a folder that experiments are measured in: it is not in another one's files (kUsage), and none of
// `inputs` is in what is thrown away in it when runs are measured anew: all in runs, and with `fresh` the files of the
// experiment, too.
core::Status check_experiment_folder(const std::string& folder, bool fresh, const std::vector<std::string>& inputs);

// The same for `file`, a file or folder of the experiment `folder`, that is written anew: a link in its place leads to
// none of `inputs`, and into no other experiment's files.
core::Status check_own_file(const std::string& folder, const std::string& file, const std::vector<std::string>& inputs);

}  // namespace scalediag::cli
