#include "report/rules/rule_measurements.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/suggestion.h"
#include "fit/curves/fit.h"
#include "report/findings/measurement_findings.h"
#include "report/rules/rule_growth.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

using core::Result;

core::Error not_modelled(const Rule& rule, const Result<fit::Model>& model) {
  return rule_error(rule, rule.kernel_column,
                    "the kernel has no model" + (model.ok() ? std::string() : ": " + model.error().message), "");
}

}  // namespace

MeasurementRules::MeasurementRules(fit::MeasurementSet set, fit::FitOptions fitting, FindingsOptions findings)
    : set_(std::move(set)), fitting_(std::move(fitting)), options_(std::move(findings)) {
  domain_.parameter_names = set_.parameter_names;
  domain_.processes = processes_parameter(set_.parameter_names);
  std::set<std::vector<double>> points;
  std::set<std::string> names;
  for (const fit::Series& series : set_.series) {
    if (names.insert(series.kernel).second) kernels_.push_back({series.kernel, "", ""});
    for (const fit::Observation& o : series.observations) points.insert(o.at);
  }
  domain_.points.assign(points.begin(), points.end());
}

Result<size_t> MeasurementRules::find_kernel(const Rule& rule) const { return find_rule_kernel(rule, kernels_); }

std::optional<size_t> MeasurementRules::series_of(size_t kernel, const std::string& metric) const {
  std::vector<size_t> own;
  for (size_t i = 0; i < set_.series.size(); ++i) {
    if (set_.series[i].kernel == kernels_[kernel].name) own.push_back(i);
  }
  for (const size_t i : own) {
    const std::string& name = set_.series[i].metric;
    const bool is_time = name == "time" || name == "time_s" || name == fit::kDefaultMetric;
    if (metric.empty() ? is_time : name == metric) return i;
  }
  // A kernel with one metric means that one, whatever its name.
  if (metric.empty() && own.size() == 1) return own.front();
  return std::nullopt;
}

// Series may lack configurations that others have, so that models are made in any case.
core::Status MeasurementRules::predict(const std::vector<std::vector<double>>& targets, bool /*measured_only*/) {
  targets_ = targets;
  if (targets.empty()) return core::Done{};
  models_ = fit::fit_all(set_.series, fitting_);
  findings_ = measurement_findings(set_, models_, targets_, options_);
  return core::Done{};
}

const KernelFinding* MeasurementRules::finding(size_t series, size_t target) const {
  if (models_.empty()) return nullptr;
  for (const KernelFinding& f : findings_.targets[target].kernels) {
    if (f.name == set_.series[series].kernel && f.metric == set_.series[series].metric) return &f;
  }
  return nullptr;
}

RuleFact MeasurementRules::value(size_t series, size_t target) const {
  RuleFact fact;
  if (const auto value = observed(set_.series[series], targets_[target], 0, false)) {
    fact.value = *value;
    fact.origin = Origin::kMeasured;
    return fact;
  }
  if (const KernelFinding* f = finding(series, target)) {
    fact.value = rule_value(f->estimate);
    fact.formula = f->formula;
  }
  return fact;
}

Result<RuleFact> MeasurementRules::rank(const Rule& rule, size_t series, size_t target) const {
  std::vector<RuleValue> values;
  size_t which = 0;
  for (size_t i = 0; i < set_.series.size(); ++i) {
    if (set_.series[i].metric != set_.series[series].metric) continue;
    const bool known = observed(set_.series[i], targets_[target], 0, false) || finding(i, target) != nullptr;
    if (i == series && !known) return not_modelled(rule, models_[i]);
    if (i == series) which = values.size();
    if (known) values.push_back(value(i, target).value);
  }
  RuleFact fact = value(series, target);
  fact.evidence = core::to_text(fact.value.value) + " of " + set_.series[series].metric;
  fact.value = rank_of(values, which);
  if (is_unchecked(findings_, target)) leave_rank_open(values.size(), fact);
  return fact;
}

Result<RuleFact> MeasurementRules::growth(const Rule& rule, size_t series, size_t target) const {
  const std::vector<double>& at = targets_[target];
  const size_t p = domain_.processes;
  double largest = 0;
  for (const std::vector<double>& point : domain_.points) largest = std::max(largest, point[p]);
  if (at[p] <= largest * 1.001) {
    return growth_measured(rule, set_.series[series], domain_, at, {});
  }
  if (!models_[series]) return not_modelled(rule, models_[series]);
  const fit::Model& model = models_[series].value();
  std::vector<double> base = at;
  base[p] = largest;
  const auto growth = growth_between(model.value(base), largest, model.evaluate(at), at[p]);
  if (!growth) return rule_error(rule, 1, "growth is not known: the metric is 0", "");
  RuleFact fact;
  fact.value = *growth;
  fact.formula = model.formula();
  return fact;
}

Result<RuleFact> MeasurementRules::scales(const Rule& rule, size_t series, size_t target) const {
  const KernelFinding* f = finding(series, target);
  if (f == nullptr) return not_modelled(rule, models_[series]);
  RuleFact fact;
  fact.scales = f->scales;
  fact.value.value = f->exponent.value_or(0);
  fact.formula = f->formula;
  if (!f->exponent) {
    fact.evidence = "the data do not tell strong from weak scaling, or the metric is no time";
  } else {
    fact.evidence = "it goes as P^" + core::fixed(*f->exponent, 2);
    if (!f->scales) fact.evidence += ", and the data do not decide it";
    if (f->stops_at) fact.evidence += "; does not scale from " + core::to_text(std::round(*f->stops_at)) + " on";
  }
  return fact;
}

Result<RuleFact> MeasurementRules::fact(const Rule& rule, size_t kernel, size_t target) const {
  const bool of_run = rule.kernel.empty();
  if (of_run || rule.quantity == Quantity::kKernelShare) {
    return rule_error(rule, 1, "call paths may contain one another, so there is no total",
                      "rules about this input: kernel('NAME').time, .rank, .metric; growth and scales of a kernel");
  }
  const auto series = series_of(kernel, rule.metric);
  if (!series) {
    std::vector<std::string> metrics;
    std::string list;
    for (const fit::Series& s : set_.series) {
      if (s.kernel != kernels_[kernel].name) continue;
      metrics.push_back(s.metric);
      list += (list.empty() ? "" : ", ") + s.metric;
    }
    const std::string question = core::did_you_mean(rule.metric, metrics);
    return rule_error(rule, std::max<size_t>(1, rule.metric_column),
                      rule.metric.empty() ? "no metric of the kernel is called time"
                                          : "the kernel has no metric '" + rule.metric + "'",
                      question + (question.empty() ? "" : " ") + "it has: " + list);
  }
  switch (rule.quantity) {
    case Quantity::kKernelRank:
      return rank(rule, *series, target);
    case Quantity::kGrowth:
      return growth(rule, *series, target);
    case Quantity::kScales:
      return scales(rule, *series, target);
    default:
      break;
  }
  const bool known = observed(set_.series[*series], targets_[target], 0, false) || finding(*series, target) != nullptr;
  if (!known) return not_modelled(rule, models_[*series]);
  return value(*series, target);
}

}  // namespace scalediag::report
