#include "collector/launch/plan/profile_plan.h"

#include <gtest/gtest.h>

namespace scalediag::launch {
namespace {

TEST(ProfilePlan, RunsEveryCombinationWithTextsAsTyped) {
  const auto plan = plan_configurations("1,2", {{"b", "0.50"}, {"a", "3,4"}}, {"./app", "{a}", "b={b}", "n{np}"});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  std::vector<std::string> seen;
  for (const PlannedConfiguration& p : plan.value())
    seen.push_back(p.label + " | " + p.command[1] + p.command[2] + p.command[3]);
  EXPECT_EQ(seen, (std::vector<std::string>{"np=1 b=0.50 a=3 | 3b=0.50n1", "np=2 b=0.50 a=3 | 3b=0.50n2",
                                            "np=1 b=0.50 a=4 | 4b=0.50n1", "np=2 b=0.50 a=4 | 4b=0.50n2"}));
  EXPECT_EQ(plan.value()[3].configuration.np, 2);
  EXPECT_EQ(plan.value()[3].configuration.parameters, (std::map<std::string, double>{{"a", 4}, {"b", 0.5}}));
}

TEST(ProfilePlan, WithoutParametersThereIsOneConfigurationAProcessCount) {
  const auto plan = plan_configurations("2..8", {}, {"./app", "{}"});
  ASSERT_EQ(plan.value().size(), 3u);
  EXPECT_EQ(plan.value()[2].label, "np=8");
  EXPECT_EQ(plan.value()[2].command, (std::vector<std::string>{"./app", "{}"}));
}

TEST(ProfilePlan, FourProcessCountsWhereNoneAreGiven) {
  EXPECT_EQ(default_process_counts(1), "2..16");
  EXPECT_EQ(default_process_counts(31), "2..16");
  EXPECT_EQ(default_process_counts(48), "4..32");
  EXPECT_EQ(default_process_counts(128), "16..128");
  EXPECT_EQ(plan_configurations(default_process_counts(2), {}, {"./app"}).value().size(), 4u);
}

TEST(ProfilePlan, RefusesMoreCombinationsThanAnyoneCanRun) {
  // 200 * 200 = 40,000.
  EXPECT_FALSE(plan_configurations("2", {{"a", "1..200:1"}, {"b", "1..200:1"}}, {"{a}{b}"}).ok());
}

TEST(ProfilePlan, ParameterOptionsHaveANameAndAList) {
  EXPECT_EQ(parse_parameter_option("a=1=2").value().list, "1=2");
  EXPECT_EQ(parse_parameter_option("a=1=2").value().name, "a");
  EXPECT_FALSE(parse_parameter_option("a").ok());
  EXPECT_FALSE(plan_configurations("2", {{"a", ""}}, {"{a}"}).ok());
}

TEST(ProfilePlan, LabelsOfKnownConfigurations) { EXPECT_EQ(label_of({4, {{"grid", 64}}}), "np=4 grid=64"); }

}  // namespace
}  // namespace scalediag::launch
