#include "collector/launch/plan/trace_cost.h"

#include <gtest/gtest.h>

namespace scalediag::launch {
namespace {

// Ranks of one second each that make this many calls of the routine together.
core::Run run_of(int np, double calls, const std::string& routine = "MPI_Send") {
  core::Run run;
  run.np = np;
  run.times.total_s.sum = np;
  core::MpiOperation operation;
  operation.operation = routine;
  operation.calls.sum = calls;
  run.operations.push_back(operation);
  return run;
}

// 100,000 events of 200 ns are 20 ms of two seconds; tests that find nothing take 70 ns, 7 ms.
TEST(TraceCost, IsTheEventsShareOfTheRanksTime) {
  EXPECT_NEAR(trace_share(run_of(2, 1e5)), 0.01, 1e-12);
  EXPECT_NEAR(trace_share(run_of(2, 1e5, "MPI_Testsome")), 0.0035, 1e-12);
  EXPECT_EQ(trace_share(core::Run{}), 0);
}

TEST(TraceCost, AtMostOnePercentIsRecordedUnaskedAndOneRepeatUpToSix) {
  EXPECT_EQ(why_not_traced({run_of(2, 0.99e5)}, 2, {}, {1, 1, true}, false), "");
  EXPECT_EQ(why_not_traced({run_of(2, 2e5)}, 2, {}, {}, false), "");
  EXPECT_EQ(why_not_traced({run_of(2, 2e5)}, 2, {}, {1, 1, true}, false), "recording would take some 2.0% of the time");
  EXPECT_EQ(why_not_traced({run_of(2, 6.1e5)}, 2, {}, {}, false), "recording would take some 6.1% of the time");
}

// With another repeat to come the first one shows the cost. Where it is the only one, fewer ranks do: on twice as many
// a rank that makes as many calls computes half as long, so that 0.6 % become 1.2 %.
TEST(TraceCost, ScalesWithoutARunAreJudgedByFewerRanks) {
  const std::vector<core::Run> cheap = {run_of(2, 0.4e5)}, dearer = {run_of(2, 0.6e5)};
  EXPECT_EQ(why_not_traced(cheap, 4, {}, {}, false), "their cost is not known before a first run");
  EXPECT_EQ(why_not_traced(cheap, 4, {}, {}, true), "");
  EXPECT_EQ(why_not_traced(dearer, 4, {}, {}, true), "recording would take some 1.2% of the time");
  // Nothing is known of another input, nor of fewer ranks than were run.
  EXPECT_EQ(why_not_traced(dearer, 4, {{"grid", 64}}, {}, true), "");
  EXPECT_EQ(why_not_traced({run_of(8, 4e6)}, 4, {}, {}, true), "");
}

// 1000 bytes a call so far, and 40,000 calls more are 40 MB beside the 20 MB that there are.
TEST(TraceCost, FilesHaveALimit) {
  EXPECT_EQ(why_not_traced({run_of(2, 4e4)}, 2, {}, {2e4, 20e6}, false), "they would have some 60.0 MB");
  EXPECT_EQ(why_not_traced({run_of(2, 2e4)}, 2, {}, {2e4, 20e6}, false), "");
}

}  // namespace
}  // namespace scalediag::launch
