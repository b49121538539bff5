#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fit/application/call_path_data.h"
#include "report/render/text/rule_text.h"
#include "report/rules/rule_application.h"
#include "report/rules/rule_check.h"
#include "report/rules/rule_parser.h"
#include "tests/report/rules/error_of.h"

namespace scalediag::report {
namespace {

fit::MeasurementSet call_paths() {
  fit::SeriesBuilder builder({"p"});
  for (const double p : {4.0, 8.0, 16.0, 32.0}) {
    const std::vector<double> at = {p};
    builder.add("main->solve", "time", at, std::vector{100 / p}, "");
    builder.add("main->gather", "time", at, std::vector{0.2 * p}, "");
    builder.add("main->solve", "flops", at, std::vector{1e9}, "");
  }
  return std::move(builder).finish();
}

// "f" at those p, with these values a point.
core::Result<RuleCheck> growth_of(const std::map<double, std::vector<double>>& values, const char* rule) {
  fit::SeriesBuilder builder({"p"});
  for (const auto& [p, repeats] : values) builder.add("f", "time", std::vector{p}, repeats, "");
  ApplicationRules source(nullptr, fit::application_data(std::move(builder).finish()), {}, {});
  return check_rules({parse_rule(rule).value()}, source, false);
}

// log time = log 8 - log p and residuals of d, -2d and d at p = 1, 2, 4, which are orthogonal to the slope: it is -1.
// They leave one degree of freedom and a variance of 6 d^2, and log p has the sum of squares 2 log(2)^2: the slope's
// standard error is sqrt(3) d / log 2, and Student's quantile of one degree 6.3138. With a fourth point at 64 the slope
// is sum of (-3, -1, 1, 3) (3 log 2 + d, 2 log 2 - 2d, log 2 + d, 6 log 2) / (10 log 2) = 0.8.
TEST(RuleGrowth, IsThatOfTheScalesUpToTheOneAskedFor) {
  const double d = 0.05, log2 = std::log(2.0);
  const std::map<double, std::vector<double>> values = {
      {1, {8 * std::exp(d)}}, {2, {4 * std::exp(-2 * d)}}, {4, {2 * std::exp(d)}}, {8, {64}}};
  const auto three = growth_of(values, "growth(kernel('f'), p=4)<0"),
             four = growth_of(values, "growth(kernel('f'), p=8)<0");
  ASSERT_TRUE(three.ok() && four.ok());
  const RuleFact& fact = three.value().verdicts[0].fact;
  EXPECT_NEAR(fact.value.value, -1, 1e-9);
  const double half = 6.3138 * std::sqrt(3.0) * d / log2;
  EXPECT_NEAR(*fact.value.low, -1 - half, 1e-3);
  EXPECT_NEAR(*fact.value.high, -1 + half, 1e-3);
  EXPECT_EQ(fact.evidence, "over the 3 measured scales from p=1 to p=4");
  EXPECT_NEAR(four.value().verdicts[0].fact.value.value, 0.8, 1e-9);
  EXPECT_EQ(error_of(growth_of(values, "growth(kernel('f'), p=1)<0")),
            "column 1: growth up to p=1 is not known: it takes at least two measured scales with some time, and up to "
            "there is one; ask for p=2 or more");
}

// For two scales only repeats show an error: each mean of two values 2 % off is known to 2 %, the slope over one
// doubling to sqrt(2) x 0.02 / log 2 with two degrees of freedom, whose quantile is 2.9200.
TEST(RuleGrowth, OfTwoScalesIsKnownByTheirRepeatsAlone) {
  const auto repeated = growth_of({{2, {0.98 * 8, 1.02 * 8}}, {4, {0.98 * 4, 1.02 * 4}}}, "growth(kernel('f'), p=4)<0");
  ASSERT_TRUE(repeated.ok());
  const RuleValue& value = repeated.value().verdicts[0].fact.value;
  EXPECT_NEAR(value.value, -1, 1e-9);
  ASSERT_TRUE(value.low && value.high);
  EXPECT_NEAR(*value.high - value.value, 2.9200 * std::sqrt(2.0) * 0.02 / std::log(2.0), 1e-4);
  for (const auto& values : {std::map<double, std::vector<double>>{{2, {8}}, {4, {4}}}, {{2, {8, 8.1}}, {4, {4}}}}) {
    const auto single = growth_of(values, "growth(kernel('f'), p=4)<0");
    ASSERT_TRUE(single.ok());
    EXPECT_FALSE(single.value().verdicts[0].fact.value.low);
    EXPECT_FALSE(single.value().verdicts[0].certain);
    EXPECT_NE(check_text(single.value(), {}).find("(error not known: two scales, and one run at a scale)"),
              std::string::npos);
  }
}

TEST(CallPathRules, JudgeCallPathsAndNothingElse) {
  ApplicationRules source(nullptr, fit::application_data(call_paths()), {}, {});
  std::vector<Rule> rules;
  for (const char* text :
       {"kernel('gather').rank(p=256)<=1", "kernel('solve').rank(p=256)<=1", "kernel('gather').time(p=256)<100s",
        "kernel('gather').time(p=8)<1s", "growth(kernel('gather'))>0.5", "growth(kernel('gather'))<0.5",
        "kernel('solve').metric('flops', p=256)<2e9", "kernel('solve').metric('flops', p=256)<1e8"}) {
    rules.push_back(parse_rule(text).value());
  }
  const auto checked = check_rules(rules, source, false);
  ASSERT_TRUE(checked.ok()) << checked.error().message;
  const bool expected[] = {true, false, true, false, true, false, true, false};
  for (size_t i = 0; i < rules.size(); ++i) EXPECT_EQ(checked.value().verdicts[i].passed, expected[i]) << rules[i].text;
  EXPECT_EQ(checked.value().verdicts[3].fact.origin, Origin::kMeasured);
  for (const char* text : {"total(p=256)<1s", "kernel('solve').share(p=256)<1"}) {
    const auto refused = check_rules({parse_rule(text).value()}, source, false);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_NE(refused.error().message.find("there is no total"), std::string::npos);
  }
}

// A rule about the call path "f" that has these metrics, each 8 / p.
core::Result<RuleCheck> check_metrics(const std::vector<std::string>& metrics, const char* rule) {
  fit::SeriesBuilder builder({"p"});
  for (const std::string& metric : metrics) {
    for (const double p : {1.0, 2.0, 4.0}) builder.add("f", metric, std::vector{p}, std::vector{8 / p}, "");
  }
  ApplicationRules source(nullptr, fit::application_data(std::move(builder).finish()), {}, {});
  return check_rules({parse_rule(rule).value()}, source, false);
}

TEST(CallPathRules, TheTimeIsTheMetricOfThatNameOrTheOnlyTime) {
  const char* rule = "kernel('f').time(p=2)<5s";
  for (const std::vector<std::string>& metrics :
       {std::vector<std::string>{"wait_s", "time"}, {"runtime [us]", "visits"}, {"visits"}}) {
    const auto checked = check_metrics(metrics, rule);
    ASSERT_TRUE(checked.ok()) << metrics.front() << ": " << checked.error().message;
    EXPECT_EQ(checked.value().verdicts[0].fact.value.value, 4);
  }
  EXPECT_EQ(error_of(check_metrics({"wait_s", "compute_s"}, rule)),
            "column 1: no metric of the kernel is called time; it has: wait_s, compute_s");
}

TEST(CallPathRules, ACountNeitherScalesNorFailsTo) {
  const auto checked = check_metrics({"visits"}, "scales(kernel('f'))");
  ASSERT_TRUE(checked.ok()) << checked.error().message;
  EXPECT_FALSE(checked.value().verdicts[0].fact.scales);
  EXPECT_EQ(checked.value().verdicts[0].fact.evidence, "the metric is no time");
}

TEST(CallPathRules, ARankNamesItsNeighbours) {
  ApplicationRules source(nullptr, fit::application_data(call_paths()), {}, {});
  const auto checked = check_rules({parse_rule("kernel('gather').rank(p=32)<=1").value()}, source, false);
  ASSERT_TRUE(checked.ok()) << checked.error().message;
  // 0.2 x 32 and 100 / 32; flops are no times.
  EXPECT_EQ(checked.value().verdicts[0].fact.evidence, "6.4 of time; after it main->solve with 3.125");
}

}  // namespace
}  // namespace scalediag::report
