// The duration of passes under valgrind, and the limits for passes that were not requested by name.
#pragma once

#include <cstdint>
#include <functional>
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
// `part`: of the computation that is counted.
double expected_pass_s(const std::vector<const core::Run*>& measured, int counted_ranks, int cores, double part = 1);

// A pass that counts the first rounds of the main loop (core/raw/counted_loop.h) and is ended then.
struct LoopCost {
  uint64_t rounds = 0;
  uint64_t rounds_with_all_calls = 0;  // that have to be counted so that every site of the loop is met
  uint64_t period = 1;                 // after so many rounds their calls begin again
  double before = 0, round = 0;        // parts of the computation: until the first round, and in a round
};

struct PassPart {
  size_t ranks = 0;      // to be counted
  uint64_t counted = 0;  // rounds; 0: counting less than the whole would save little
  double part = 1;       // of the computation
};

// The periods beside the first round, which may differ from the others and is counted apart, that a part has at least.
// It has an even number, since programs alternate what they do.
constexpr uint64_t kFewestRounds = 2;
// And those that it has where the budget allows, or as many as rounds_with_all_calls.
constexpr uint64_t kUsualRounds = 4;
// A part of the computation from which on all of it is counted.
constexpr double kNearlyWhole = 0.6;

// The largest number of ranks, of `ranks` in falling order, with which the rounds wanted fit the budget; else the
// smallest number with as many rounds as fit, and at least kFewestRounds periods and 1. `expected_s` says how long a
// pass takes.
PassPart choose_part(const LoopCost& loop, const std::vector<size_t>& ranks, double budget_s,
                     const std::function<double(size_t ranks, double part)>& expected_s);
// The same with a number of rounds that was asked for.
PassPart part_of(const LoopCost& loop, size_t ranks, uint64_t counted);

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
