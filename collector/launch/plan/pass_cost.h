// The duration of passes under valgrind, and the limits for passes that were not requested by name.
#pragma once

#include <vector>

#include "core/profile/profile.h"

namespace scalediag::launch {

// The largest limit, in seconds, for the expected duration of all passes with --counters auto where --counting-budget
// says nothing.
constexpr double kCountingBudget_s = 120;
// Passes that --counters auto started are ended when they have taken the budget times this factor, since an estimate
// may be wrong.
constexpr double kBudgetOverrun = 2;

// A pass is ended after --timeout times this factor: twice kCountingSlowdown
// (collector/counters/callgrind/valgrind.h), which is the usual slowdown of code and not the largest one.
constexpr double kPassTimeoutFactor = 100;

// The duration of a pass in seconds, from the timed runs: the CPU time of functions, of all threads because valgrind
// runs one at a time, slowed down, for as many ranks at a time as there are cores; and the start of the ranks. Sleep is
// not slowed down and not counted. 0 where there is no run.
double expected_pass_s(const std::vector<const core::Run*>& measured, int counted_ranks, int cores);

// Counting in part (`profile --count-in-part`) may take so many times as long as the timed runs of what is counted.
constexpr double kMostPartCost = 1.5;

// The factor by which passes take longer here than expected_pass_s() says, from those that were run.
class PassPace {
 public:
  void add(double expected_s, double took_s) {
    expected_s_ += expected_s;
    took_s_ += took_s;
  }
  bool is_known() const { return expected_s_ > 0 && took_s_ > 0; }
  // 1 where no pass was run.
  double value() const { return is_known() ? took_s_ / expected_s_ : 1; }
  // The factor by which an estimate may well be exceeded: code differs in how much valgrind slows it down, that of one
  // program less so.
  double margin() const { return is_known() ? 1.2 : 1.5; }
  bool fits(double estimate_s, double budget_s) const { return margin() * estimate_s <= budget_s; }

 private:
  double expected_s_ = 0;
  double took_s_ = 0;
};

}  // namespace scalediag::launch
