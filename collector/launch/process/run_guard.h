// Ends a run's processes when this program is killed and cannot do it itself (SIGKILL, a crash). Ending the launcher is
// not enough: it may be started by a shell, or ignore signals.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/experiment/experiment.h"

namespace scalediag::launch {

// A variable in the environment of a run's processes, whose value distinguishes the runs.
constexpr char kStampVariable[] = "SCALEDIAG_STAMP";

// Sends SIGTERM to the processes of this machine that were started with kStampVariable=`stamp`, and after `grace_s`
// SIGKILL to the remaining ones. Returns the number of processes. Precondition: this process is none of them.
int end_processes_of(const std::string& stamp, double grace_s);
// The same of a run that was going on when its scalediag was killed: its processes would write into its folder, and
// disturb other runs.
int end_leftovers(const core::RunEntry& run);

// A process that waits until this one is gone and then ends the run's processes. There is none without `stamp`, or
// where it cannot be started.
class RunGuard {
 public:
  RunGuard(const std::string& stamp, double grace_s);
  // The run is over, so that its processes are left alone.
  ~RunGuard();
  RunGuard(const RunGuard&) = delete;
  RunGuard& operator=(const RunGuard&) = delete;

 private:
  int pipe_ = -1;
  pid_t pid_ = -1;
};

}  // namespace scalediag::launch
