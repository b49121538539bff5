#include "report/rules/rule_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/most_ranks.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/suggestion.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

using core::Result;

// Growth beyond the measurements is judged up to this many times the largest measured scale, as a model's behaviour is
// (fit/curves/model.h).
constexpr double kBeyond = 4;

std::set<double> values_of(const RuleDomain& domain, size_t parameter) {
  std::set<double> values;
  for (const std::vector<double>& point : domain.points) values.insert(point[parameter]);
  return values;
}

core::Status check_value(const Rule& rule, const RuleTarget& target, size_t parameter, const RuleDomain& domain) {
  if (parameter != domain.processes) return core::Done{};
  if (target.value > core::kMostProcesses) {
    return rule_error(rule, target.column, core::to_text(target.value) + " is more than 1e9 processes",
                      "no model reaches that far");
  }
  if (domain.whole_processes && target.value != std::floor(target.value)) {
    return rule_error(rule, target.column, core::to_text(target.value) + " is not a whole number of processes", "");
  }
  const std::set<double> measured = values_of(domain, parameter);
  if (target.value >= *measured.begin()) return core::Done{};
  return rule_error(rule, target.column,
                    target.parameter + "=" + core::to_text(target.value) + " is below the measured range (" +
                        core::to_text(*measured.begin()) + " to " + core::to_text(*measured.rbegin()) + ")",
                    "predictions go to larger scales; measure this one");
}

bool needs_model(const Rule& rule) {
  // Efficiency depends on whether scaling is strong or weak, which the findings say.
  return rule.quantity == Quantity::kEfficiency || rule.quantity == Quantity::kGrowth ||
         rule.quantity == Quantity::kScales;
}

RuleVerdict judge(const Rule& rule, RuleFact fact, bool strict, const Trust& trust) {
  RuleVerdict verdict{rule, {}, std::move(fact), false, false, false, false, {}};
  const RuleValue& value = verdict.fact.value;
  if (rule.quantity == Quantity::kScales) {
    verdict.holds = verdict.fact.scales.value_or(true);
    verdict.certain = verdict.fact.scales.has_value();
  } else {
    verdict.holds = compare(value.value, rule.comparison, rule.limit);
    const double high = value.high.value_or(std::numeric_limits<double>::infinity());
    verdict.certain = value.low && compare(*value.low, rule.comparison, rule.limit) == verdict.holds &&
                      compare(high, rule.comparison, rule.limit) == verdict.holds;
  }
  if (verdict.fact.origin == Origin::kPredicted && trust.tells_nothing()) {
    verdict.certain = false;
    verdict.undecided = verdict.holds;
  }
  verdict.passed = verdict.holds && !verdict.undecided && (verdict.certain || !strict);
  return verdict;
}

}  // namespace

size_t RuleCheck::failed() const {
  return static_cast<size_t>(std::ranges::count_if(verdicts, [this](const RuleVerdict& v) { return fails(v); }));
}

bool compare(double value, Relation comparison, double limit) {
  // The last digits of a calculated value are those of rounding: 945 calls must not exceed 945.
  constexpr double kRounding = 1e-12;
  if (std::abs(value - limit) <= kRounding * std::abs(limit)) value = limit;
  switch (comparison) {
    case Relation::kLess:
      return value < limit;
    case Relation::kLessOrEqual:
      return value <= limit;
    case Relation::kGreater:
      return value > limit;
    case Relation::kGreaterOrEqual:
      break;
  }
  return value >= limit;
}

Result<std::vector<double>> rule_target(const Rule& rule, const RuleDomain& domain) {
  const std::vector<std::string>& names = domain.parameter_names;
  std::vector<double> at(names.size(), 0);
  for (const RuleTarget& target : rule.at) {
    const auto found = std::find(names.begin(), names.end(), target.parameter);
    if (found == names.end()) {
      const std::string question = core::did_you_mean(target.parameter, names);
      return rule_error(rule, target.column, "there is no parameter '" + target.parameter + "'",
                        question + (question.empty() ? "" : " ") + "the data have: " + core::join(names));
    }
    const size_t parameter = static_cast<size_t>(found - names.begin());
    if (const core::Status usable = check_value(rule, target, parameter, domain); !usable) return usable.error();
    at[parameter] = target.value;
  }
  for (size_t p = 0; p < names.size(); ++p) {
    if (at[p] > 0) continue;
    const std::set<double> measured = values_of(domain, p);
    const bool beyond = rule.quantity == Quantity::kGrowth || rule.quantity == Quantity::kScales;
    if (p == domain.processes && beyond) {
      at[p] = kBeyond * *measured.rbegin();
    } else if (measured.size() == 1) {
      at[p] = *measured.begin();
    } else {
      const size_t column = rule.at.empty() ? 1 : rule.at.front().column;
      return rule_error(rule, column, "it does not say at which " + names[p] + ", which was measured at several values",
                        "add " + names[p] + "=" + core::to_text(*measured.rbegin()));
    }
  }
  return at;
}

Result<RuleCheck> check_rules(const std::vector<Rule>& rules, ApplicationRules& source, bool strict) {
  const RuleDomain& domain = source.domain();
  std::vector<std::vector<double>> targets;
  std::vector<size_t> target_of, kernel_of;
  bool measured_only = true;
  for (const Rule& rule : rules) {
    Result<std::vector<double>> at = rule_target(rule, domain);
    if (!at) return at.error();
    Result<size_t> kernel = rule.kernel.empty() ? Result<size_t>(size_t{0}) : source.find_kernel(rule);
    if (!kernel) return kernel.error();
    kernel_of.push_back(kernel.value());
    const bool measured = std::find(domain.points.begin(), domain.points.end(), at.value()) != domain.points.end();
    measured_only = measured_only && measured && !needs_model(rule);
    const auto known = std::find(targets.begin(), targets.end(), at.value());
    target_of.push_back(static_cast<size_t>(known - targets.begin()));
    if (known == targets.end()) targets.push_back(std::move(at).value());
  }
  if (const core::Status predicted = source.predict(targets, measured_only); !predicted) return predicted.error();
  RuleCheck check;
  check.strict = strict;
  check.notes = source.notes();
  check.trust = source.trust();
  for (size_t i = 0; i < rules.size(); ++i) {
    Result<RuleFact> fact = source.fact(rules[i], kernel_of[i], target_of[i]);
    if (!fact) return fact.error();
    RuleVerdict verdict = judge(rules[i], std::move(fact).value(), strict, check.trust);
    if (!rules[i].kernel.empty()) verdict.place = source.source_of(kernel_of[i]);
    verdict.at = point_of(domain.parameter_names, targets[target_of[i]]);
    check.verdicts.push_back(std::move(verdict));
  }
  return check;
}

}  // namespace scalediag::report
