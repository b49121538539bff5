// A line on stderr that says how much longer a command computes: on a terminal only, and only after some seconds.
#pragma once

#include <chrono>
#include <string>

#include "collector/launch/session/progress.h"

namespace scalediag::cli {

class WorkProgress {
 public:
  // `label` says what is done: "simulating 4096 ranks".
  explicit WorkProgress(std::string label);
  ~WorkProgress() { line_.make_way(); }
  WorkProgress(const WorkProgress&) = delete;
  WorkProgress& operator=(const WorkProgress&) = delete;

  // `share` of the work is done, 0 to 1; what is left is taken to go on as fast.
  void tell(double share);

 private:
  std::string label_;
  launch::Progress line_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double told_s_ = 0;
};

}  // namespace scalediag::cli
