#include "report/rules/rule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/rules/rule_parser.h"
#include "tests/core/text_mutation.h"

namespace scalediag::report {
namespace {

Rule parsed(const std::string& text) {
  const auto rule = parse_rule(text);
  EXPECT_TRUE(rule.ok()) << text << ": " << (rule.ok() ? "" : rule.error().message);
  return rule.ok() ? rule.value() : Rule{};
}

// "column 7: what" of the message, and the hint.
std::pair<std::string, std::string> failure(const std::string& text) {
  const auto rule = parse_rule(text);
  if (rule.ok()) return {"parsed", ""};
  EXPECT_EQ(rule.error().code, core::ErrorCode::kUsage);
  const size_t column = rule.error().message.rfind("column ");
  return {rule.error().message.substr(column == std::string::npos ? 0 : column), rule.error().hint};
}

TEST(Rule, IsTakenApart) {
  const Rule rule = parsed("efficiency(np=256, grid=64)>=0.8");
  EXPECT_EQ(rule.quantity, Quantity::kEfficiency);
  ASSERT_EQ(rule.at.size(), 2u);
  EXPECT_EQ(rule.at[0].parameter, "np");
  EXPECT_EQ(rule.at[0].value, 256);
  EXPECT_EQ(rule.at[1].parameter, "grid");
  EXPECT_EQ(rule.at[1].value, 64);
  EXPECT_EQ(rule.comparison, Relation::kGreaterOrEqual);
  EXPECT_EQ(rule.limit, 0.8);
  EXPECT_EQ(rule.kernel, "");
}

TEST(Rule, KnowsEveryQuantity) {
  const std::pair<const char*, Quantity> expected[] = {
      {"total(np=2)<1s", Quantity::kTotal},
      {"computation(np=2)<1s", Quantity::kComputation},
      {"communication(np=2)<1s", Quantity::kCommunication},
      {"waiting(np=2)<1s", Quantity::kWaiting},
      {"others(np=2)<1s", Quantity::kOthers},
      {"speedup(np=64)>30", Quantity::kSpeedup},
      {"efficiency(np=64)>30%", Quantity::kEfficiency},
      {"kernel('halo').time(np=2)<1s", Quantity::kKernelTime},
      {"kernel('halo').rank(np=1024)>3", Quantity::kKernelRank},
      {"kernel('solve').share(np=64)<0.5", Quantity::kKernelShare},
      {"kernel('solve').metric('calls', np=64)<1e6", Quantity::kKernelMetric},
      {"growth(kernel('setup'))<=0", Quantity::kGrowth},
      {"scales(kernel('x'))", Quantity::kScales},
  };
  for (const auto& [text, quantity] : expected) EXPECT_EQ(parsed(text).quantity, quantity) << text;
  for (const auto& [text, meaning] : rule_examples()) parsed(text);
}

TEST(Rule, KnowsEveryComparison) {
  EXPECT_EQ(parsed("speedup(np=2)<1").comparison, Relation::kLess);
  EXPECT_EQ(parsed("speedup(np=2)<=1").comparison, Relation::kLessOrEqual);
  EXPECT_EQ(parsed("speedup(np=2)>1").comparison, Relation::kGreater);
  EXPECT_EQ(parsed("speedup(np=2)>=1").comparison, Relation::kGreaterOrEqual);
}

TEST(Rule, TurnsUnitsIntoSecondsBytesAndShares) {
  EXPECT_DOUBLE_EQ(parsed("total(np=2)<120s").limit, 120);
  EXPECT_DOUBLE_EQ(parsed("total(np=2)<120 ms").limit, 0.12);
  EXPECT_DOUBLE_EQ(parsed("total(np=2)<5us").limit, 5e-6);
  EXPECT_DOUBLE_EQ(parsed("total(np=2)<1.5min").limit, 90);
  EXPECT_DOUBLE_EQ(parsed("total(np=2)<2h").limit, 7200);
  EXPECT_DOUBLE_EQ(parsed("efficiency(np=2)>80%").limit, 0.8);
  EXPECT_DOUBLE_EQ(parsed("kernel('f').metric('bytes', np=2)<3MB").limit, 3e6);
  EXPECT_DOUBLE_EQ(parsed("kernel('f').metric('blocked_s', np=2)<3ms").limit, 3e-3);
  EXPECT_DOUBLE_EQ(parsed("growth(kernel('f'))<-0.5").limit, -0.5);
  EXPECT_DOUBLE_EQ(parsed("growth(communication, np=64)<1e-1").limit, 0.1);
}

TEST(Rule, QuotesOfNamesAreEitherAndTwiceForThemselves) {
  EXPECT_EQ(parsed("scales(kernel(\"f(char, 'lambda'(int))\"))").kernel, "f(char, 'lambda'(int))");
  EXPECT_EQ(parsed("scales(kernel('it''s'))").kernel, "it's");
  EXPECT_EQ(parsed("scales( kernel ( 'f' ) , np = 64 )").at.front().value, 64);
}

TEST(Rule, TyposAreSuggestedWithTheirColumn) {
  using Failure = std::pair<std::string, std::string>;
  const std::pair<const char*, Failure> expected[] = {
      {"effciency(np=2)>1", {"column 1: there is no quantity 'effciency'", "did you mean 'efficiency'?"}},
      {"kernle('f').rank(np=2)>3", {"column 1: there is no quantity 'kernle'", "did you mean 'kernel'?"}},
      {"kernel('f').rnak(np=2)>3", {"column 13: a kernel has no 'rnak'", "did you mean 'rank'?"}},
      {"kernel('f').scales(np=2)", {"column 13: a kernel has no 'scales'", "scales(kernel('f'), ...)"}},
      {"share(np=2)<1", {"column 1: 'share' is of a kernel", "kernel('NAME').share(...)"}},
      {"total(np=2)<120sec", {"column 16: there is no unit 'sec' here", "did you mean 's'"}},
      {"total(np=2)<120", {"column 13: a time needs a unit", "120s"}},
      {"total(np=2)<50%", {"column 15: there is no unit '%' here", "units are us, ms, s, min, h"}},
      {"speedup(np=2)>3x", {"column 16: there is no unit 'x' here", "plain number"}},
      {"total(np=2)==1s", {"column 12: values are not compared for being equal", ""}},
      {"total(np=2)=<1s", {"column 12: expected <, <=, > or >=", "did you mean '<='?"}},
      {"growth(totl)<1", {"column 8: there is no growth of 'totl'", "did you mean 'total'?"}},
      {"growth(speedup)<1", {"column 8: there is no growth of 'speedup'", ""}},
      {"efficiency(np=2)>=80", {"column 19: an efficiency is 1 where it is all", "did you mean 80%?"}},
      {"kernel('f').share(np=2)<30", {"column 25: a share is 1 where it is all", "did you mean 30%?"}},
  };
  for (const auto& [text, failed] : expected) {
    const auto [what, hint] = failure(text);
    EXPECT_EQ(what, failed.first) << text;
    EXPECT_NE(hint.find(failed.second), std::string::npos) << text << ": " << hint;
  }
}

TEST(Rule, WhatIsMissingIsNamedWithItsColumn) {
  const std::pair<const char*, const char*> expected[] = {
      {"", "column 1: a rule begins with a quantity, and the rule ends"},
      {"total", "column 6: expected '(', and the rule ends"},
      {"total()<1s", "column 7: expected at which scale, as np=512, found ')<1s'"},
      {"total(np)<1s", "column 9: expected '=', found ')<1s'"},
      {"total(np=)<1s", "column 10: expected a number after np=, found ')<1s'"},
      {"total(np=2<1s", "column 11: expected ')', found '<1s'"},
      {"total(np=2)", "column 12: expected <, <=, > or >="},
      {"total(np=2)<", "column 13: expected a number to compare with, and the rule ends"},
      {"total(np=2)<1s or more", "column 16: 'or more' is more than a rule"},
      {"total(np=0)<1s", "column 10: a parameter has to be above 0"},
      {"total(np=2,np=4)<1s", "column 12: 'np' is given twice"},
      {"total(np=2)<1e999s", "column 13: the number is too large or too small"},
      {"total(np=2)<infs", "column 13: expected a number to compare with, found 'infs'"},
      {"scales(kernel('f)", "column 15: the quote is not closed"},
      {"scales(kernel(f))", "column 15: expected the kernel's name in quotes, as in kernel('solve'), found 'f))'"},
      {"scales('f')", "column 8: expected a kernel"},
      {"kernel('f')>3", "column 12: expected .time, .share, .rank or .metric of the kernel, found '>3'"},
      {"kernel('').rank(np=2)>3", "column 10: the kernel has no name"},
  };
  for (const auto& [text, what] : expected) EXPECT_EQ(failure(text).first, what) << text;
}

TEST(Rule, ColumnsCountCharactersNotBytes) {
  // The two bytes of ö are one column.
  EXPECT_EQ(failure("scales(kernel('lösen'), np=x)").first, "column 28: expected a number after np=, found 'x)'");
}

TEST(Rule, FileHasARuleALine) {
  const auto rules = parse_rules(
      "# scaling\n"
      "\n"
      "  speedup(np=64)>30   # with a comment\r\n"
      "scales(kernel('{lambda()#1}'))\n"
      "scales(kernel('a #b'))\n"
      "  spedup(np=64)>30",
      "ci.rules");
  ASSERT_EQ(rules.size(), 4u);
  ASSERT_TRUE(rules[0].ok() && rules[1].ok() && rules[2].ok());
  EXPECT_EQ(rules[0].value().where, "ci.rules:3");
  EXPECT_EQ(rules[1].value().kernel, "{lambda()#1}");
  EXPECT_EQ(rules[2].value().kernel, "a #b");
  ASSERT_FALSE(rules[3].ok());
  EXPECT_EQ(rules[3].error().message,
            "ci.rules:6: rule \"  spedup(np=64)>30\", column 3: there is no quantity 'spedup'");
  EXPECT_TRUE(parse_rules("", "empty").empty());
}

TEST(Rule, DamagedTextIsRefusedOrMeansSomething) {
  std::mt19937 random(1);
  std::vector<std::string> seeds;
  for (const auto& [text, meaning] : rule_examples()) seeds.emplace_back(text);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = core::mutate_text(seeds[static_cast<size_t>(i) % seeds.size()], random);
    const auto rule = parse_rule(text);
    if (!rule.ok()) {
      ++refused;
      EXPECT_NE(rule.error().message.find("column "), std::string::npos);
      for (const char c : rule.error().message) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << text;
      continue;
    }
    ++accepted;
    EXPECT_TRUE(std::isfinite(rule.value().limit));
    for (const RuleTarget& target : rule.value().at) EXPECT_TRUE(target.value > 0 && !target.parameter.empty());
    const bool of_kernel = rule.value().quantity == Quantity::kKernelRank || rule.value().quantity == Quantity::kScales;
    EXPECT_FALSE(of_kernel && rule.value().kernel.empty()) << text;
  }
  // A changed digit or letter of a name still gives a rule; most damage does not.
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace scalediag::report
