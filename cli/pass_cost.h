// What passes under valgrind take, and how much of it is spent where nobody asked for counts by name.
#pragma once

#include <vector>

#include "core/profile.h"

namespace scalediag::cli {

// Up to so long all passes together may be expected to take for --counters auto to start them: --counting-budget.
constexpr double kCountingBudget_s = 120;
// Passes that --counters auto started are ended when they have taken so many times the budget: an estimate may be
// wrong.
constexpr double kBudgetOverrun = 2;

// With so many times --timeout a pass is ended: twice kSimulationSlowdown (counters/valgrind.h), which is what code is
// slowed down by usually and not at most.
constexpr double kPassTimeoutFactor = 100;

// How long a pass takes, from the runs that were timed: the CPU time of functions, of all threads, for valgrind runs
// one at a time, slowed down, for as many ranks at a time as there are cores; and starting them. Sleep is not slowed
// down and not counted. 0 where there is no run.
double expected_pass_s(const std::vector<const core::Run*>& measured, int simulated_ranks, int cores);

// How much longer passes take here than expected_pass_s() says, from those that were run.
class PassPace {
 public:
  void add(double expected_s, double took_s) {
    expected_s_ += expected_s;
    took_s_ += took_s;
  }
  bool is_known() const { return expected_s_ > 0 && took_s_ > 0; }
  // 1 where no pass was run.
  double value() const { return is_known() ? took_s_ / expected_s_ : 1; }

 private:
  double expected_s_ = 0;
  double took_s_ = 0;
};

}  // namespace scalediag::cli
