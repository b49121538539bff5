#include "report/rules/rule_value.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "fit/numerics/normal_quantile.h"
#include "fit/numerics/student_t.h"

namespace scalediag::report {
namespace {

// Half the interval of kRuleLevel in standard errors.
constexpr double kHalfInterval = fit::kNormal90;

}  // namespace

const char* name_of(Origin origin) {
  switch (origin) {
    case Origin::kMeasured:
      return "measured";
    case Origin::kModelled:
      return "modelled";
    case Origin::kPredicted:
      break;
  }
  return "predicted";
}

std::optional<RuleValue> observed(const fit::Series& series, const std::vector<double>& at, double known_error,
                                  bool exact) {
  std::vector<double> values;
  for (const fit::Observation& o : series.observations) {
    if (o.at == at) values.insert(values.end(), o.values.begin(), o.values.end());
  }
  if (values.empty()) return std::nullopt;
  RuleValue result{core::mean(values), std::nullopt, std::nullopt};
  const double n = static_cast<double>(values.size());
  double half = kHalfInterval * known_error * result.value;
  if (values.size() > 1) {
    const double error = core::standard_deviation(values) / std::sqrt(n);
    half = std::max(half, error * fit::student_t_quantile(0.5 + kRuleLevel / 2, n - 1));
  } else if (!exact) {
    return result;
  }
  result.low = std::max(0.0, result.value - half);
  result.high = result.value + half;
  return result;
}

RuleValue rule_value(const Estimate& estimate) { return {estimate.value, estimate.low, estimate.high}; }

std::optional<RuleValue> growth_between(double reference, double from, const Estimate& estimate, double to) {
  if (!(reference > 0) || !(estimate.value > 0)) return std::nullopt;
  const double distance = std::log(to / from);
  RuleValue growth{std::log(estimate.value / reference) / distance, std::nullopt, std::nullopt};
  // An interval that reaches down to 0 gives no bound for the steepness of a fall.
  constexpr double kNothing = 1e-6;
  growth.low = std::log(std::max(estimate.low, kNothing * estimate.value) / reference) / distance;
  growth.high = std::log(std::max(estimate.high, estimate.value) / reference) / distance;
  return growth;
}

RuleValue rank_of(const std::vector<RuleValue>& values, size_t which) {
  const RuleValue& own = values[which];
  int above = 0, surely_above = 0, perhaps_above = 0;
  bool known = own.low && own.high;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i == which) continue;
    const RuleValue& other = values[i];
    // Ties go to the one that comes first, as in the findings.
    if (other.value > own.value || (other.value == own.value && i < which)) ++above;
    if (!other.low || !other.high) {
      known = known && other.value <= 0;
      continue;
    }
    if (known && *other.low > *own.high) ++surely_above;
    if (known && *other.high > *own.low) ++perhaps_above;
  }
  RuleValue rank{1.0 + above, std::nullopt, std::nullopt};
  if (known) {
    rank.low = std::min(rank.value, 1.0 + surely_above);
    rank.high = std::max(rank.value, 1.0 + perhaps_above);
  }
  return rank;
}

bool is_unchecked(const Findings& findings, size_t target) {
  return target < findings.targets.size() && findings.targets[target].is_unchecked;
}

void leave_rank_open(size_t places, RuleFact& fact) {
  fact.value.low = 1;
  fact.value.high = static_cast<double>(places);
  fact.evidence += "; two scales rank nothing beyond twice the larger one";
}

}  // namespace scalediag::report
