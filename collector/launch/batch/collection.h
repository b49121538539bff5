// The runs of a job that ended, moved into the experiment that it was submitted for.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::launch {

// Moves the runs, counting passes, replays, network and machine of the experiment `from` into the folder `to`, which
// becomes an experiment with the first one; then removes `from`. Later ones replace the network and the replays, so
// that those of the largest run stay where jobs come in ascending order. Folders are renamed, not copied: both are on
// one file system. Errors: `from` is no experiment, or belongs to another one than `to` (kInput, with the difference);
// another process works in `to` (kInput); a file cannot be moved (kEnvironment).
Status collect_experiment(const std::string& from, const std::string& to);

}  // namespace scalediag::launch
