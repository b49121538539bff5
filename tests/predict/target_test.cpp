#include "predict/target.h"

#include <gtest/gtest.h>

namespace scalediag::predict {
namespace {

using Values = std::vector<std::vector<double>>;

std::vector<Target> targets_of(const MeasuredParameters& measured, const Values& values) {
  std::vector<Target> targets;
  for (const std::vector<double>& of : values) targets.emplace_back(measured.names, of, measured.processes);
  return targets;
}

Values values_of(const std::vector<Target>& targets) {
  Values values;
  for (const Target& target : targets) values.push_back(target.values());
  return values;
}

MeasuredParameters two() { return {{"np", "grid"}, {{2, 4, 8}, {64, 128}}, 0, true}; }
MeasuredParameters one() { return {{"np", "grid"}, {{2, 4, 8}, {64}}, 0, true}; }

std::string error_of(const std::vector<std::string>& at, const MeasuredParameters& measured) {
  const auto targets = parse_targets(at, measured);
  return targets.ok() ? "" : targets.error().message;
}

TEST(PredictionTargets, AreAllCombinations) {
  const auto targets = parse_targets({"grid=64,256", "np=16,32"}, two());
  ASSERT_TRUE(targets.ok());
  EXPECT_EQ(values_of(targets.value()), (Values{{16, 64}, {16, 256}, {32, 64}, {32, 256}}));
}

TEST(PredictionTargets, KeepTheOnlyMeasuredValue) {
  EXPECT_EQ(values_of(parse_targets({"np=16"}, one()).value()), (Values{{16, 64}}));
}

// 4 and 16 times the largest measured number of processes, at the largest measured grid.
TEST(PredictionTargets, WithoutAnyAreWellBeyondWhatWasMeasured) {
  EXPECT_EQ(values_of(default_targets(two()).value()), (Values{{32, 128}, {128, 128}}));
}

TEST(Target, HasNamesAndAnOrder) {
  const std::vector<Target> targets = targets_of(two(), {{16, 64}, {8, 128}});
  EXPECT_EQ(targets[0].text(), "np=16 grid=64");
  EXPECT_EQ(targets[0].ranks(), 16);
  EXPECT_TRUE(targets[1] < targets[0]);
  EXPECT_FALSE(targets[0] == targets[1]);
}

TEST(PredictionTargets, TakeRanges) { EXPECT_EQ(parse_targets({"np=16..64"}, one()).value().size(), 3u); }

TEST(PredictionTargets, SayWhatIsWrong) {
  EXPECT_EQ(error_of({"np"}, one()), "--at np: expected NAME=LIST");
  EXPECT_EQ(error_of({"p=16"}, one()), "--at p=16: there is no parameter 'p'");
  EXPECT_EQ(error_of({"np=1"}, one()), "--at np: 1 is below the measured range (2 to 8)");
  EXPECT_EQ(error_of({"np=16.5"}, one()), "--at np: 16.5 is not a whole number");
  EXPECT_EQ(error_of({"np=16", "grid=0"}, one()), "--at grid: 0 is not above 0");
  EXPECT_EQ(error_of({"np=16"}, two()), "--at does not say which grid, and it was measured at several values");
  EXPECT_EQ(error_of({"np=16", "np=32"}, one()), "--at np is given twice");
  EXPECT_NE(error_of({"np=16,"}, one()), "");
  EXPECT_NE(error_of({"np=8..1007:1", "grid=1,2"}, two()).find("combinations"), std::string::npos);
}

TEST(ProblemSize, ThatChangesNothingIsTold) {
  const auto of_size = [](const std::string& size, const MeasuredParameters& measured, const Values& targets) {
    return size_without_effect(size, measured, targets_of(measured, targets));
  };
  EXPECT_EQ(of_size("grid", two(), {{16, 64}}), "");
  EXPECT_EQ(of_size("grid", one(), {{16, 64}, {32, 64}}),
            "--size grid changes nothing: every target has the measured grid=64; grid=VALUE asks for another one");
  EXPECT_EQ(of_size("grid", {{"np", "grid", "order"}, {{2, 4}, {64}, {1, 2}}, 0, true}, {{16, 128, 1}}),
            "--size grid changes nothing: order was measured at 2 values, and work per process is made use of only "
            "where nothing but np varies");
  EXPECT_EQ(of_size("grid", one(), {{16, 64}, {16, 128}}), "");
  EXPECT_EQ(of_size("", one(), {{16, 64}}), "");
}

TEST(PredictionTargets, InsideTheMeasuredRangeIsAllowed) { EXPECT_TRUE(parse_targets({"np=3"}, one()).ok()); }

}  // namespace
}  // namespace scalediag::predict
