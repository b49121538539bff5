#include "collector/launch/session/time_estimate.h"

#include <gtest/gtest.h>

#include <vector>

namespace scalediag::launch {
namespace {

core::RunEntry complete_run(int np, double grid, double elapsed_s) {
  core::RunEntry run;
  run.configuration = {np, {{"grid", grid}}};
  run.state = core::RunState::kComplete;
  run.elapsed_s = elapsed_s;
  return run;
}

TEST(TimeEstimate, PrefersTheSameConfigurationThenTheNearestThenAll) {
  EXPECT_LT(expected_duration_s({}, {4, {{"grid", 64}}}), 0);
  std::vector<core::RunEntry> runs = {complete_run(2, 64, 10), complete_run(16, 64, 90), complete_run(2, 128, 40)};
  EXPECT_EQ(expected_duration_s(runs, {2, {{"grid", 64}}}), 10);
  EXPECT_EQ(expected_duration_s(runs, {4, {{"grid", 64}}}), 10);  // a factor of 2 from 2, of 4 from 16
  EXPECT_EQ(expected_duration_s(runs, {12, {{"grid", 64}}}), 90);
  EXPECT_EQ(expected_duration_s(runs, {4, {{"grid", 256}}}), (10 + 90 + 40) / 3.0);
  runs.push_back(complete_run(2, 64, 14));
  EXPECT_EQ(expected_duration_s(runs, {2, {{"grid", 64}}}), 12);
  runs[0].state = core::RunState::kFailed;
  EXPECT_EQ(expected_duration_s(runs, {2, {{"grid", 64}}}), 14);
}

std::vector<PlannedConfiguration> planned(std::vector<int> all) {
  std::vector<PlannedConfiguration> plans;
  for (const int np : all) plans.push_back({{np, {{"grid", 64}}}, {}, ""});
  return plans;
}

TEST(TimeBudget, IsThreeAndAHalfTimesOneRunOfEachAndAtLeastHalfAMinute) {
  const std::vector<core::RunEntry> runs = {complete_run(2, 64, 10), complete_run(2, 64, 14), complete_run(4, 64, 30)};
  EXPECT_EQ(once_s(runs, planned({2, 4})), 12 + 30);
  EXPECT_EQ(usual_budget_s(runs, planned({2, 4}), 2), 3.5 * 42);
  EXPECT_EQ(usual_budget_s(runs, planned({2, 4}), 4), 5.5 * 42);  // the repeats that are needed fit in
  EXPECT_EQ(usual_budget_s({complete_run(2, 64, 1)}, planned({2}), 2), 30);
}

TEST(TimeBudget, IsSpentByCompleteRunsOfThePlan) {
  std::vector<core::RunEntry> runs = {complete_run(2, 64, 10), complete_run(4, 64, 30), complete_run(2, 64, 14)};
  EXPECT_EQ(spent_s(runs, planned({2})), 24);
  runs[0].state = core::RunState::kFailed;
  EXPECT_EQ(spent_s(runs, planned({2})), 14);
}

}  // namespace
}  // namespace scalediag::launch
