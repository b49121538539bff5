// Ends a run's processes when this program is killed and cannot do it itself (SIGKILL, a crash). To end the launcher is
// not enough: it may be started by a shell, or ignore signals.
#pragma once

#include <sys/types.h>

#include <string>

namespace scalediag::cli {

// In the environment of a run's processes; its value tells the runs apart.
constexpr char kStampVariable[] = "SCALEDIAG_STAMP";

// The processes of this machine that were started with kStampVariable=`stamp` are sent SIGTERM, and what is left after
// `grace_s` SIGKILL. Returns how many there were. Precondition: this process is none of them.
int end_processes_of(const std::string& stamp, double grace_s);

// A process that waits until this one is gone and then ends the run's processes. Without `stamp`, and where it cannot
// be started, there is none.
class RunGuard {
 public:
  RunGuard(const std::string& stamp, double grace_s);
  // The run is over: nothing of it is touched any more.
  ~RunGuard();
  RunGuard(const RunGuard&) = delete;
  RunGuard& operator=(const RunGuard&) = delete;

 private:
  int pipe_ = -1;
  pid_t pid_ = -1;
};

}  // namespace scalediag::cli
