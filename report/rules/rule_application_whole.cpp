// Rules about speed-ups, and about the whole program where one call path of a table stands for it.
#include <algorithm>
#include <cmath>

#include "report/rules/rule_application.h"
#include "report/rules/rule_application_parts.h"
#include "report/scaling/measured_series.h"
#include "report/scaling/scaling_curve.h"

namespace scalediag::report {

using core::Result;

// The value, its interval, and the kind of scaling as evidence. Errors of both times are independent: they were
// measured or predicted apart.
RuleFact ApplicationRules::speedup_from(const Rule& rule, size_t target, const std::vector<double>& base,
                                        const RuleValue& there, const RuleFact& here) const {
  const size_t p = data_.processes;
  const double growth = targets_[target][p] / base[p];
  const double scale = rule.quantity == Quantity::kEfficiency && findings_.scaling != Scaling::kWeak ? 1 / growth : 1;
  RuleFact fact;
  fact.origin = here.origin;
  fact.formula = here.formula;
  if (rule.quantity == Quantity::kEfficiency) {
    fact.evidence += std::string("; ") + name_of(findings_.scaling) + " scaling";
    if (findings_.scaling == Scaling::kUnknown) fact.evidence += ", taken as strong";
    if (!findings_.scaling_reason.empty()) fact.evidence += " (" + findings_.scaling_reason + ")";
    if (!findings_.scaling_contradiction.empty()) fact.evidence += ", but " + findings_.scaling_contradiction;
  }
  if (!(here.value.value > 0)) return fact;
  fact.value.value = scale * there.value / here.value.value;
  if (base == targets_[target]) {
    fact.value.low = fact.value.high = fact.value.value;
  } else if (here.origin == Origin::kPredicted && here.value.low && here.value.high) {
    // The base counts as exact, as everywhere in predictions.
    const Estimate run = {here.value.value, *here.value.low, *here.value.high};
    const Estimate over = speedup_over(there.value, run, findings_.scaling == Scaling::kWeak ? 1 : growth);
    fact.value.low = scale * over.low;
    fact.value.high = scale * over.high;
  } else if (here.value.low && there.low && *there.low > 0) {
    const auto apart = [](double a, double b) { return std::hypot(std::log(a), std::log(b)); };
    fact.value.low = fact.value.value / std::exp(apart(there.value / *there.low, *here.value.high / here.value.value));
    // The time may be near 0, so that the speed-up has no upper end.
    if (*here.value.low > 0) {
      fact.value.high =
          fact.value.value * std::exp(apart(*there.high / there.value, here.value.value / *here.value.low));
    }
  }
  return fact;
}

Result<RuleFact> ApplicationRules::of_whole_program(const Rule& rule, size_t target) const {
  const auto is_whole = [this](const fit::KernelData& kernel) {
    return kernel.is_time && kernel.name == table_->whole_program;
  };
  const auto found = std::find_if(data_.kernels.begin(), data_.kernels.end(), is_whole);
  if (found == data_.kernels.end()) return rule_error(rule, 1, "the table has no time of the whole program", "");
  const size_t whole = static_cast<size_t>(found - data_.kernels.begin());
  const Quantity quantity = rule.quantity == Quantity::kGrowth ? rule.grows : rule.quantity;
  const bool is_part = quantity != Quantity::kTotal && quantity != Quantity::kRun && quantity != Quantity::kSpeedup &&
                       quantity != Quantity::kEfficiency;
  if (is_part) {
    return rule_error(rule, 1, "a table of timings does not say what of the time this is",
                      "rules about this input: total, speedup, efficiency, growth(total), and those of kernels");
  }
  if (rule.quantity == Quantity::kGrowth) {
    Rule of_kernel = rule;
    of_kernel.grows = Quantity::kKernelTime;
    return growth(of_kernel, whole, target);
  }
  if (quantity == Quantity::kEfficiency && findings_.scaling_source != ScalingSource::kOption) {
    return rule_error(rule, 1, "a table of timings does not say whether the problem grew with the processes",
                      "--scaling strong where it stayed, --scaling weak where it grew");
  }
  if (!is_known(whole, target)) return no_model(rule, whole);
  const RuleFact here = kernel_time(whole, target);
  if (quantity == Quantity::kTotal || quantity == Quantity::kRun) return here;
  std::vector<double> base = targets_[target];
  std::optional<RuleValue> there;
  double least = base[data_.processes];
  for (const std::vector<double>& point : domain_.points) {
    std::vector<double> same = point;
    same[data_.processes] = base[data_.processes];
    if (same != targets_[target] || point[data_.processes] > least) continue;
    const auto measured = measured_time(whole, point);
    if (!measured) continue;
    least = point[data_.processes];
    there = measured;
  }
  base[data_.processes] = least;
  if (!there) {
    return rule_error(rule, 1, "no run of this size was measured that the speed-up could be over",
                      "ask for total, or for a size that was measured");
  }
  RuleFact fact = speedup_from(rule, target, base, *there, here);
  fact.evidence = value_text(there->value) + " at " + text_of(point_of(data_.parameter_names, base)) + ", " +
                  value_text(here.value.value) + " here" + fact.evidence;
  return fact;
}

}  // namespace scalediag::report
