#include "report/proposal/job_choice.h"

#include <gtest/gtest.h>

namespace scalediag::report {
namespace {

ScalingRow row_at(double np, std::optional<double> efficiency) {
  ScalingRow row;
  row.at = {{"np", np}};
  if (efficiency) row.efficiency = Bounded{*efficiency, std::nullopt, std::nullopt};
  return row;
}

TEST(JobChoices, TheSearchEndsWhereEfficiencyIsNotKnown) {
  ScalingTable table;
  table.rows = {row_at(4, 1), row_at(8, 0.9), row_at(16, std::nullopt), row_at(32, 0.8)};
  table.rows[2].doubt = Doubt::kOtherPrograms;
  const JobChoices choices = job_choices(table, 0.7);
  EXPECT_EQ(choices.efficient, &table.rows[1]);
  EXPECT_EQ(choices.end, EfficiencyEnd::kUnknown);
  EXPECT_EQ(choices.beyond, &table.rows[2]);
}

TEST(JobChoices, TheReasonForTheEndIsTold) {
  ScalingTable table;
  table.rows = {row_at(4, 1), row_at(8, 0.9), row_at(16, 0.6)};
  EXPECT_EQ(job_choices(table, 0.7).end, EfficiencyEnd::kBound);
  EXPECT_EQ(job_choices(table, 0.5).end, EfficiencyEnd::kTable);
  EXPECT_EQ(job_choices(table, 0.5).beyond, nullptr);
}

TEST(JobChoices, OneRowAloneIsNotTheCheapest) {
  ScalingTable table;
  table.clock = core::Clock::kWall;
  table.scaling = Scaling::kStrong;
  table.rows = {row_at(4, 1), row_at(8, 0.9)};
  table.rows[0].node_hours = table.rows[0].job_s = Bounded{2, {}, {}};
  EXPECT_EQ(job_choices(table, 0.7).cheapest, nullptr);
  table.rows[1].node_hours = table.rows[1].job_s = Bounded{1, {}, {}};
  EXPECT_EQ(job_choices(table, 0.7).cheapest, &table.rows[1]);
  EXPECT_EQ(job_choices(table, 0.7).fastest, &table.rows[1]);
}

TEST(JobChoices, TheLargestMeasuredRowIsKnownBesideAPredictedOne) {
  ScalingTable table;
  table.rows = {row_at(4, 1), row_at(8, 0.9), row_at(16, 0.8)};
  table.rows[2].predicted = true;
  const JobChoices choices = job_choices(table, 0.7);
  EXPECT_EQ(choices.efficient, &table.rows[2]);
  EXPECT_EQ(choices.efficient_measured, &table.rows[1]);
}

TEST(Budget, AShorterJobHasTheEndsOfOneJob) {
  // All of the job, 90 to 110 s, is the region: a tenth of the steps is a tenth of each, 9 to 11 s.
  ScalingTable table;
  table.region = "solve";
  ScalingRow row = row_at(8, 1);
  row.time_s = {100, 90, 110};
  row.job_s = Bounded{100, 90, 110};
  row.node_hours = Bounded{100 / 3600.0, 90 / 3600.0, 110 / 3600.0};
  const auto budget = budget_of(table, row, {.jobs = 1, .steps = 10, .measured_steps = 100});
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->steps_of, "solve");
  EXPECT_NEAR(budget->job_s.value, 10, 1e-9);
  EXPECT_NEAR(*budget->job_s.low, 9, 1e-9);
  EXPECT_NEAR(*budget->job_s.high, 11, 1e-9);
}

TEST(Budget, TheLoopIsAsUncertainAsTheRunThatItIsIn) {
  // Of 100 s, known to 10 %, 90 s are the loop's. A job of a hundred times the steps takes 99 loops more: 100 + 8910 s,
  // and at least 90 + 0.9 x 8910 s.
  ScalingRow row = row_at(8, 1);
  row.time_s = {100, 90, 110};
  row.job_s = Bounded{100, 90, 110};
  row.node_hours = Bounded{100 / 3600.0, 90 / 3600.0, 110 / 3600.0};
  row.loop_s = 90;
  const auto budget = budget_of({}, row, {.jobs = 1, .steps = 1000, .measured_steps = 10});
  ASSERT_TRUE(budget);
  EXPECT_NEAR(budget->job_s.value, 9010, 1e-9);
  EXPECT_NEAR(*budget->job_s.low, 8109, 1e-9);
  EXPECT_NEAR(*budget->job_s.high, 9911, 1e-9);
}

}  // namespace
}  // namespace scalediag::report
