// Starts a launcher, passes its output on while keeping a copy, and ends it at its time limit or at an interruption.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/launch/process/interruption.h"
#include "core/result.h"

namespace scalediag::launch {

struct ProcessRequest {
  std::vector<std::string> command;
  std::string program;  // the program that gets these arguments, looked up in PATH; empty: command[0]
  std::string stamp;    // distinguishes the run's processes from others, see run_guard.h; empty: none
  std::vector<std::pair<std::string, std::string>> environment;  // set beside ours: name, value
  int stdin_fd = -1;                                             // -1: /dev/null
  std::string stdout_log;                                        // copies of what is passed on
  std::string stderr_log;
  std::optional<double> timeout_s;
  bool passes_output_on = true;                 // false: into the logs only
  bool output_to_stderr = false;                // its standard output is passed on to our standard error
  double grace_s = 5;                           // from SIGTERM to SIGKILL
  const std::atomic<bool>* given_up = nullptr;  // set by another thread: the run is to be ended
  // Called around each piece of output that is passed on; `line_ended`: the cursor is at the start of a line.
  std::function<void()> before_output = [] {};
  std::function<void(bool line_ended)> after_output = [](bool) {};
  // Called at least every 0.2 s.
  std::function<void(double elapsed_s)> on_tick = [](double) {};
};

struct ProcessOutcome {
  enum class End { kExited, kSignalled, kTimedOut, kInterrupted, kGivenUp };
  End end = End::kExited;
  int exit_status = 0;  // as a shell gives it: the status, or 128 + signal
  int signal = 0;       // of kSignalled: the signal that ended the launcher; of kInterrupted: the signal that we got
  double elapsed_s = 0;
  std::string log_error;  // the reason why a log is not whole, with the file; empty if it is
  int stdout_error = 0;  // an errno: its standard output could not all be passed on to ours; 0: it was, or nobody reads
                         // it

  bool ok() const { return end == End::kExited && exit_status == 0; }
};

// The process runs in a group of its own, so that a terminal's Ctrl-C reaches it through us only, and the kernel sends
// it SIGTERM when this program dies; with a stamp all processes that it started are ended then. At the time limit or an
// interruption the group gets SIGTERM, and after grace_s SIGKILL; remaining processes below this one are killed as
// well. Errors (kEnvironment): a log cannot be created, the command cannot be started.
Result<ProcessOutcome> run_process(const ProcessRequest& request, const InterruptionGuard& interruption);

}  // namespace scalediag::launch
