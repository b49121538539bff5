// The computations of several runs as one.
#include "loggp/traces/median_traces.h"

#include <gtest/gtest.h>

#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// A message in a loop and an Allreduce after it.
std::vector<RankTrace> computing(uint64_t in_loop_ns, uint64_t after_loop_ns, uint64_t tail_ns, uint64_t bytes = 8) {
  Script s(1, 0);
  s.message(EventKind::kSend, 0, bytes, 1);
  s.trace.steps[0].before.total = in_loop_ns;
  s.repeat(0, 10);
  s.allreduce(8);
  s.trace.steps.back().before.total = after_loop_ns;
  s.trace.tail_ns = tail_ns;
  return {s.trace};
}

TEST(MedianTraces, EachComputationIsTheMedianOfTheRuns) {
  std::vector<RankTrace> run = computing(10, 200, 7);
  EXPECT_EQ(take_medians(run, {computing(90, 100, 1), computing(20, 300, 3)}), 1);
  EXPECT_EQ(run[0].steps[0].body[0].before.total, 20U);
  EXPECT_EQ(run[0].steps[1].before.total, 200U);
  EXPECT_EQ(run[0].tail_ns, 3U);
}

TEST(MedianTraces, RunsWithOtherEventsDoNotCount) {
  std::vector<RankTrace> run = computing(10, 200, 7);
  EXPECT_EQ(take_medians(run, {computing(90, 100, 1, 16), computing(20, 300, 3, 32)}), 0);
  EXPECT_EQ(run[0].steps[0].body[0].before.total, 10U);
  EXPECT_EQ(run[0].tail_ns, 7U);
}

// The median of an even number is between the two in the middle.
TEST(MedianTraces, FourRuns) {
  std::vector<RankTrace> run = computing(10, 10, 10);
  EXPECT_EQ(take_medians(run, {computing(20, 10, 10), computing(40, 10, 10), computing(90, 10, 10)}), 1);
  EXPECT_EQ(run[0].steps[0].body[0].before.total, 30U);
}

TEST(MedianTraces, ComputationsAreMultipliedInLoopsToo) {
  std::vector<RankTrace> run = computing(10, 200, 8);
  stretch_computations(run, 0.5);
  EXPECT_EQ(run[0].steps[0].body[0].before.total, 5U);
  EXPECT_EQ(run[0].steps[1].before.total, 100U);
  EXPECT_EQ(run[0].tail_ns, 4U);
}

}  // namespace
}  // namespace scalediag::loggp
