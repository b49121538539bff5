// Checks of the files that a command is to write, before anything is computed.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::core {

// Checks that none of `outputs` destroys anything but an older output. Files are compared by device and inode, so that
// links of both kinds, /proc/self/fd and relative paths make no difference. Empty names are left out of both lists.
// Errors (kUsage): an output is "-", is a folder, a device or a pipe, or is in a folder that does not exist; is one of
// `inputs`, which are files and folders, or one of the ranks' files in such a folder; is a file of any experiment
// folder (experiment.json, profile.json, machine.json, .lock, all in runs); is the file of standard output or standard
// error; is another of `outputs`. (kEnvironment): its folder cannot be written into.
Status check_output_files(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

// The same for a folder that experiments are measured in: it is not in another one's files (kUsage), and none of
// `inputs` is among the files that new runs remove: all in runs, and with `fresh` the files of the experiment, too.
Status check_experiment_folder(const std::string& folder, bool fresh, const std::vector<std::string>& inputs);

// The same for `file`, a file or folder of the experiment `folder`, that is written anew: a link in its place leads to
// none of `inputs`, and into no other experiment's files.
Status check_own_file(const std::string& folder, const std::string& file, const std::vector<std::string>& inputs);

}  // namespace scalediag::core
