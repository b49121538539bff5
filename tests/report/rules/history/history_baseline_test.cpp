#include "report/rules/history/history_baseline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/rules/history/history_check.h"
#include "report/rules/rule_parser.h"

namespace scalediag::report {
namespace {

RunTimes one_kernel(double seconds) { return {{"solve", {seconds}}}; }

// Five experiments of one run each whose logarithms are -1 %, -1 %, 0, 1 %, 1 %: their median is 0 and their standard
// deviation sqrt(4 x 0.01^2 / 4) = 0.01.
std::vector<RunTimes> five_experiments() {
  std::vector<RunTimes> earlier;
  for (const double log : {-0.01, 0.01, 0.0, 0.01, -0.01}) earlier.push_back(one_kernel(std::exp(log)));
  return earlier;
}

TEST(HistoryBaseline, LimitIsTheMedianWithStudentsQuantileAndTheTolerance) {
  // t(0.995, 4) = 4.6041; 4.6041 x 0.01 x sqrt(1 + 1/5) + log(1.02) = 0.050435 + 0.019803 = 0.070238
  const auto earlier = five_experiments();
  const auto below = compare_with_history("solve", one_kernel(std::exp(0.0702)), earlier, {}, 0.02, 1);
  ASSERT_TRUE(below);
  EXPECT_NEAR(below->spread, 0.01, 1e-12);
  EXPECT_NEAR(below->median, 1, 1e-12);
  EXPECT_NEAR(std::log(below->limit), 0.070238, 1e-5);
  EXPECT_EQ(below->experiments, 5U);
  EXPECT_FALSE(below->slower);
  const auto above = compare_with_history("solve", one_kernel(std::exp(0.0703)), earlier, {}, 0.02, 1);
  ASSERT_TRUE(above);
  EXPECT_TRUE(above->slower);
  EXPECT_FALSE(above->against_others);
}

TEST(HistoryBaseline, MoreComparisonsAllowMore) {
  // t(1 - 0.005 / 10, 4) = 8.6103; 8.6103 x 0.01 x sqrt(1.2) = 0.094321
  const auto compared = compare_with_history("solve", one_kernel(1), five_experiments(), {}, 0, 10);
  ASSERT_TRUE(compared);
  EXPECT_NEAR(std::log1p(compared->allowed), 0.094321, 1e-5);
}

TEST(HistoryBaseline, ExperimentsThatAgreeByChanceHaveTheNoiseOfTheirRuns) {
  // Medians are all 1. The logarithms of each experiment's runs are -10 %, 0, 10 %: a standard deviation of 0.1, and
  // the median of three has 1.2533 x 0.1 / sqrt(3) = 0.072359.
  const RunTimes experiment = {{"solve", {std::exp(-0.1), 1, std::exp(0.1)}}};
  const std::vector<RunTimes> earlier(6, experiment);
  const auto compared = compare_with_history("solve", experiment, earlier, {}, 0, 1);
  ASSERT_TRUE(compared);
  EXPECT_NEAR(compared->spread, 0.072359, 1e-5);
}

TEST(HistoryBaseline, WhatTheMachineDoesToAllFunctionsAccusesNone) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  RunTimes usual, slow, one_slower;
  for (const std::string& name : names) {
    usual[name] = {1, 1, 1};
    slow[name] = {1.3, 1.5, 1.2};
    one_slower[name] = {1.3, 1.5, 1.2};
  }
  for (double& seconds : one_slower["c"]) seconds *= 1.1;
  const std::vector<RunTimes> earlier(6, usual);
  const auto same = compare_with_history("c", slow, earlier, names, 0.02, 5);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->against_others);
  EXPECT_NEAR(same->change, 0, 1e-12);
  EXPECT_FALSE(same->slower);
  const auto slower = compare_with_history("c", one_slower, earlier, names, 0.02, 5);
  ASSERT_TRUE(slower);
  EXPECT_NEAR(slower->change, 0.1, 1e-12);
  EXPECT_TRUE(slower->slower);
  // The median of the others of "a" is not moved by "c" alone.
  EXPECT_FALSE(compare_with_history("a", one_slower, earlier, names, 0.02, 5)->slower);
}

TEST(HistoryBaseline, FewExperimentsOrTimesOfNothingAreNotJudged) {
  std::vector<RunTimes> earlier = five_experiments();
  EXPECT_FALSE(compare_with_history("solve", one_kernel(0), earlier, {}, 0.02, 1));
  EXPECT_FALSE(compare_with_history("other", one_kernel(1), earlier, {}, 0.02, 1));
  earlier.pop_back();
  EXPECT_FALSE(compare_with_history("solve", one_kernel(1), earlier, {}, 0.02, 1));
}

TEST(HistoryRules, AreParsed) {
  const auto all = parse_rule("time(kernel=*) < history");
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(all.value().kernel, kEveryKernel);
  EXPECT_EQ(all.value().history, 0.02);
  EXPECT_TRUE(all.value().at.empty());
  const auto one = parse_rule("kernel('ns::solve').time(np=4)<=history + 5 %");
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one.value().kernel, "ns::solve");
  EXPECT_EQ(one.value().history, 0.05);
  EXPECT_EQ(one.value().at.front().value, 4);
  EXPECT_TRUE(parse_rule("total()<history").ok());
  EXPECT_TRUE(parse_rule("time(kernel='a b', np=4)<history").ok());
  EXPECT_TRUE(parse_rule("time(kernel=solve, np=4)<2s").ok());
  for (const auto& [text, problem] : {std::pair("total()<2s", "expected at which scale"),
                                      std::pair("time(kernel=solve)<2s", "does not say at which scale"),
                                      std::pair("time(np=4)<2s", "'time' is of a kernel"),
                                      std::pair("efficiency(np=4)<history", "a history is of times"),
                                      std::pair("total(np=4)>history", "a history is an upper limit"),
                                      std::pair("total(np=4)<history-5%", "is more than a rule")}) {
    const auto rule = parse_rule(text);
    ASSERT_FALSE(rule.ok()) << text;
    EXPECT_NE(rule.error().message.find(problem), std::string::npos) << rule.error().message;
  }
}

// Seconds of `solve` on 4 processes, a value a run.
fit::ApplicationData table_of(const std::vector<double>& seconds) {
  fit::ApplicationData data;
  data.parameter_names = {"np"};
  data.configurations = {{{4}, 4, 0}};
  fit::KernelData kernel;
  kernel.name = "program";
  kernel.kind = fit::KernelKind::kCallPath;
  kernel.series[kernel.metric] = {{"np"}, kernel.metric, kernel.name, {{{4}, seconds}}};
  data.kernels.push_back(kernel);
  return data;
}

TEST(HistoryRules, TotalOfATableIsThatOfItsWholeProgram) {
  const HistoryInput input{table_of({1.2}), std::vector<fit::ApplicationData>(6, table_of({1.0})), "program"};
  const auto slower = check_against_history(parse_rule("total()<history").value(), input);
  ASSERT_TRUE(slower.ok()) << slower.error().message;
  EXPECT_FALSE(slower.value().passed);
  EXPECT_NE(slower.value().fact.evidence.find("the whole program at np=4 by 20.0 %"), std::string::npos)
      << slower.value().fact.evidence;
  const auto kept = check_against_history(parse_rule("time(kernel=program)<history+25%").value(), input);
  ASSERT_TRUE(kept.ok());
  EXPECT_TRUE(kept.value().passed);
  const auto elsewhere = check_against_history(parse_rule("total(np=8)<history").value(), input);
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_NE(elsewhere.error().hint.find("np=4"), std::string::npos);
  const HistoryInput few{table_of({1.2}), std::vector<fit::ApplicationData>(3, table_of({1.0})), "program"};
  const auto unknown = check_against_history(parse_rule("total()<history").value(), few);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("fewer than 5 of 3 earlier experiments have it"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::report
