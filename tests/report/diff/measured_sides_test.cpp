#include "report/diff/measured_sides.h"

#include <gtest/gtest.h>

#include "report/diff/profile_comparison.h"

namespace scalediag::report {
namespace {

using fit::Observation;
using fit::Series;

fit::MeasurementSet set_of_series(std::vector<Series> series) {
  fit::MeasurementSet set;
  set.parameter_names = {"p", "n"};
  for (Series& s : series) s.parameter_names = set.parameter_names;
  set.series = std::move(series);
  return set;
}

Series times_at(const std::string& kernel, const std::string& metric, std::vector<double> at_2,
                std::vector<double> at_4) {
  return {{}, metric, kernel, {{{2, 100}, std::move(at_2)}, {{4, 100}, std::move(at_4)}}};
}

TEST(MeasuredSides, TimesOfRepeatsAreJudged) {
  const auto a = set_of_series({times_at("solve", "time", {8, 8.1, 7.9}, {4, 4.1, 3.9}),
                                times_at("[whole program]", "total_time", {10, 10.1, 9.9}, {5, 5.1, 4.9}),
                                times_at("solve", "visits", {1, 1, 1}, {1, 1, 1})});
  const auto b = set_of_series({times_at("solve", "time", {16, 16.1, 15.9}, {8, 8.1, 7.9}),
                                times_at("[whole program]", "total_time", {18, 18.1, 17.9}, {9, 9.1, 8.9}),
                                times_at("solve", "visits", {2, 2, 2}, {1, 1, 1})});
  const auto sides = measured_sides({"A", a, "[whole program]"}, {"B", b, "[whole program]"});
  ASSERT_TRUE(sides.ok()) << sides.error().message;
  EXPECT_EQ(sides.value().processes, "p");
  EXPECT_TRUE(sides.value().has_totals);
  ComparisonOptions how;
  how.processes = "p";
  const auto comparison = compare_profiles(sides.value().a, sides.value().b, how);
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  const ComparedConfiguration& first = comparison.value().configurations.front();
  EXPECT_EQ(text_of(first.at), "p=2 n=100");
  EXPECT_EQ(first.runs_a, 3u);
  ASSERT_EQ(first.kernels.size(), 1u);                   // the counts are left out, and the total is none
  EXPECT_DOUBLE_EQ(*first.kernels[0].time.relative, 1);  // 16 / 8 - 1
  EXPECT_EQ(first.kernels[0].time.change, Change::kSlower);
  EXPECT_DOUBLE_EQ(*first.total.relative, 0.8);  // 18 / 10 - 1
  EXPECT_EQ(first.total.change, Change::kSlower);
}

TEST(MeasuredSides, WithoutATotalSharesAreOfTheLargestTime) {
  const auto set = set_of_series({times_at("solve", "time", {8, 9}, {4, 5}), times_at("io", "time", {2, 2}, {1, 1})});
  const auto sides = measured_sides({"A", set, ""}, {"B", set, ""});
  ASSERT_TRUE(sides.ok());
  EXPECT_FALSE(sides.value().has_totals);
  EXPECT_DOUBLE_EQ(sides.value().a.runs[1].times.total_s.mean, 9);
}

TEST(MeasuredSides, AValueThatSomeRepeatsLackIsNotComparedThere) {
  const auto a = set_of_series({times_at("solve", "time", {8, 9}, {4, 5}), times_at("io", "time", {2, 2}, {1, 1})});
  const auto b = set_of_series({times_at("solve", "time", {8, 9}, {4, 5}), times_at("io", "time", {2}, {1, 1})});
  const auto sides = measured_sides({"A", a, ""}, {"B", b, ""});
  ASSERT_TRUE(sides.ok());
  ASSERT_EQ(sides.value().a.runs.size(), 4u);
  EXPECT_EQ(sides.value().a.runs[0].kernels.size(), 1u);  // p = 2
  EXPECT_EQ(sides.value().b.runs[0].kernels.size(), 1u);
  EXPECT_EQ(sides.value().a.runs[3].kernels.size(), 2u);  // p = 4
  EXPECT_EQ(sides.value().notes.front(), "not compared where some repeats have no value of it: io");
}

TEST(MeasuredSides, TwoTimesOfACallPathAreTwoFunctions) {
  const auto set = set_of_series({times_at("solve", "time", {8}, {4}), times_at("solve", "cpu_time", {7}, {3})});
  const auto sides = measured_sides({"A", set, ""}, {"B", set, ""});
  ASSERT_TRUE(sides.ok());
  ASSERT_EQ(sides.value().a.runs.size(), 2u);  // one repeat at p = 2, one at p = 4
  ASSERT_EQ(sides.value().a.runs[0].kernels.size(), 2u);
  EXPECT_EQ(sides.value().a.runs[0].kernels[0].name, "solve");
  EXPECT_EQ(sides.value().a.runs[0].kernels[1].name, "solve (cpu_time)");
}

TEST(MeasuredSides, WhatCannotBeComparedIsAnError) {
  const auto set = set_of_series({times_at("solve", "time", {8}, {4})});
  auto other = set;
  other.parameter_names = {"ranks", "n"};
  const auto error_of = [&set](const fit::MeasurementSet& b) {
    const auto sides = measured_sides({"A", set, ""}, {"B", b, ""});
    return sides ? "" : sides.error().message;
  };
  EXPECT_EQ(error_of(other), "A has the parameters p, n, B has ranks, n");
  other = set;
  other.series[0].observations[0].at[0] = 2.5;
  EXPECT_EQ(error_of(other), "B: p is 2.5, which is no number of processes");
  const auto of_seconds = measured_sides({"A", set, ""}, {"B", set, "", true});
  ASSERT_FALSE(of_seconds.ok());
  EXPECT_EQ(of_seconds.error().message, "times of B are in seconds, and nothing says the unit of those of A");
  EXPECT_EQ(error_of(set_of_series({times_at("solve", "visits", {8}, {4})})), "B has no time to compare");
}

}  // namespace
}  // namespace scalediag::report
