#include "report/rules/rule_value.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/numerics/student_t.h"
#include "report/render/text/rule_text.h"
#include "report/rules/rule_check.h"
#include "report/rules/rule_parser.h"

namespace scalediag::report {
namespace {

RuleVerdict verdict_of(const char* rule, const RuleValue& value) {
  RuleVerdict verdict;
  verdict.rule = parse_rule(rule).value();
  verdict.at = {{"np", 64}};
  verdict.fact.value = value;
  verdict.holds = verdict.passed = true;
  return verdict;
}

TEST(RuleText, SaysWhyAVerdictIsUncertain) {
  const std::pair<RuleVerdict, const char*> doubts[] = {
      {verdict_of("total(np=64)<1s", {0.5, 0.1, 2}), "uncertain: the interval reaches over the limit"},
      {verdict_of("total(np=64)<1s", {0.5, {}, {}}), "uncertain: nothing is known about the value's error"},
      {verdict_of("scales(kernel('f'), np=64)", {}), "uncertain: the data do not decide whether the kernel scales"}};
  for (const auto& [verdict, expected] : doubts) {
    RuleCheck alone;
    alone.verdicts = {verdict};
    const std::string text = check_text(alone, {});
    for (const auto& [unused, legend] : doubts) {
      EXPECT_EQ(text.find(legend) != std::string::npos, legend == expected) << text;
    }
    alone.strict = true;
    alone.verdicts[0].passed = false;
    const std::string strict = check_text(alone, {});
    EXPECT_EQ(strict.find("uncertain: "), std::string::npos) << strict;
    const bool has_value = verdict.rule.quantity != Quantity::kScales;
    EXPECT_EQ(strict.find("it holds by the value") != std::string::npos, has_value) << strict;
  }
}

TEST(RuleText, RatiosAreInPercent) {
  RuleCheck check;
  check.verdicts = {verdict_of("efficiency(np=64)>=40%", {0.497, 0.45, 0.55}),
                    verdict_of("kernel('f').share(np=64)<1%", {0.0004, {}, {}})};
  const std::string text = check_text(check, {});
  EXPECT_NE(text.find("50 % (45 to 55), predicted"), std::string::npos) << text;
  EXPECT_NE(text.find("0.04000 % (error not known: too few runs)"), std::string::npos) << text;
}

TEST(RuleValue, RankKnowsWhatItsIntervalsAllow) {
  const std::vector<RuleValue> values = {{10, 9, 11}, {5, 4, 7}, {6, 5, 8}, {1, 0.5, 2}};
  const RuleValue second = rank_of(values, 2);
  EXPECT_EQ(second.value, 2);
  EXPECT_EQ(*second.low, 2);   // 10 lies above for certain
  EXPECT_EQ(*second.high, 3);  // 5 may lie above
  const RuleValue last = rank_of(values, 3);
  EXPECT_EQ(last.value, 4);
  EXPECT_EQ(*last.low, 4);
  EXPECT_EQ(*last.high, 4);
}

TEST(RuleValue, GrowthIsTheLogarithmicSlope) {
  // From 1 s at 16 to 2 s (1 to 4) at 64: exponent log 2 / log 4 = 0.5, 0 and 1 at the ends.
  const auto growth = growth_between(1, 16, {2, 1, 4, 0.9}, 64);
  ASSERT_TRUE(growth);
  EXPECT_NEAR(growth->value, 0.5, 1e-12);
  EXPECT_NEAR(*growth->low, 0, 1e-12);
  EXPECT_NEAR(*growth->high, 1, 1e-12);
  EXPECT_FALSE(growth_between(0, 16, {2, 1, 4, 0.9}, 64));
}

TEST(StudentT, AgreesWithTables) {
  // The values are those of any table of Student's distribution.
  EXPECT_NEAR(fit::student_t_quantile(0.95, 1), 6.3138, 1e-4);
  EXPECT_NEAR(fit::student_t_quantile(0.975, 4), 2.7764, 1e-4);
  EXPECT_NEAR(fit::student_t_above(2.7764, 4), 0.025, 1e-5);
  EXPECT_EQ(fit::student_t_above(INFINITY, 3), 0);
}

}  // namespace
}  // namespace scalediag::report
