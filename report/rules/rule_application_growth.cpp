// Rules about how times grow, and whether kernels scale.
#include <cmath>

#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/rules/rule_application.h"
#include "report/rules/rule_application_parts.h"
#include "report/rules/rule_growth.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {

using core::Result;

std::optional<RuleFact> ApplicationRules::growth_of_kernel(size_t kernel, size_t target) const {
  const fit::KernelModel* k = model_of(kernel);
  if (k == nullptr) return std::nullopt;
  const size_t p = data_.processes;
  const std::vector<double>& at = targets_[target];
  std::vector<double> base = at;
  base[p] = data_.scales().back();
  const double reference = k->critical_value(base);
  const Estimate there = k->critical_s(at);
  const auto growth = growth_between(reference, base[p], there, at[p]);
  if (!growth) return std::nullopt;
  RuleFact fact;
  fact.value = *growth;
  fact.formula = k->formula();
  fact.evidence = "from " + value_text(reference) + " at " + text_of(point_of(data_.parameter_names, base)) + " to " +
                  value_text(there.value) + (data_.has_totals() ? ", slowest rank" : "");
  return fact;
}

std::optional<RuleFact> ApplicationRules::growth_of_total(Quantity quantity, size_t target) const {
  const std::vector<double>& at = targets_[target];
  std::vector<double> base = at;
  base.front() = data_.scales().back();
  const Findings of_base = application_findings(*predictor_, {predict::Target::of(data_, base)}, options_);
  const auto reference = predicted_total(of_base.targets.front(), quantity);
  const auto there = predicted_total(findings_.targets[target], quantity);
  if (!reference || !there) return std::nullopt;
  const auto growth = growth_between(reference->value, fit::process_count(base), *there, fit::process_count(at));
  if (!growth) return std::nullopt;
  RuleFact fact;
  fact.value = *growth;
  fact.evidence = "from " + core::time_text(reference->value) + " at " +
                  text_of(point_of(data_.parameter_names, base)) + " to " + core::time_text(there->value);
  return fact;
}

Result<RuleFact> ApplicationRules::growth(const Rule& rule, size_t kernel, size_t target) const {
  const std::vector<double>& at = targets_[target];
  const bool of_kernel = rule.grows == Quantity::kKernelTime;
  if (at[data_.processes] > data_.scales().back() * 1.001) {
    if (of_kernel && model_of(kernel) == nullptr) return no_model(rule, kernel);
    const auto fact = of_kernel ? growth_of_kernel(kernel, target) : growth_of_total(rule.grows, target);
    return fact ? Result<RuleFact>(*fact) : rule_error(rule, 1, "growth is not known: a value is 0", "");
  }
  const bool has_mpi = of_kernel ? is_mpi(data_.kernels[kernel])
                                 : rule.grows != Quantity::kComputation && rule.grows != Quantity::kOthers;
  if (has_mpi && on_given_network()) {
    return rule_error(rule, 1, "over the measured scales it grew as on the network that was measured on",
                      "ask for a scale beyond them, or leave --network out");
  }
  const fit::Series& series =
      of_kernel ? data_.kernels[kernel].critical_series() : data_.totals.at(total_name(rule.grows));
  const bool modelled = cpu() && has_mpi;
  GrowthOptions options;
  options.known_error = of_kernel ? sampling_error_of(data_.kernels[kernel]) : 0;
  // All repeats share the same shortest calls, so they do not vary in them; the other parts of a total vary with the
  // repeats.
  options.repeats_tell = !modelled || rule.grows == Quantity::kTotal || rule.grows == Quantity::kRun;
  Result<RuleFact> fact = growth_measured(rule, series, domain_, at, options);
  if (fact && modelled) {
    fact.value().origin = Origin::kModelled;
    fact.value().evidence += std::string("; ") + how_modelled(of_kernel ? Quantity::kCommunication : rule.grows);
  }
  return fact;
}

Result<RuleFact> ApplicationRules::scales(const Rule& rule, size_t kernel, size_t target) const {
  const KernelFinding* f = finding(kernel, target);
  RuleFact fact;
  if (f == nullptr) return no_model(rule, kernel);
  fact.scales = f->scales;
  fact.value.value = f->exponent.value_or(0);
  fact.formula = f->formula;
  const std::string slope = f->exponent ? "time goes as P^" + core::fixed(*f->exponent, 2) : "";
  if (!data_.kernels[kernel].is_time) {
    fact.evidence = "the metric is no time";
  } else if (!f->scales) {
    fact.evidence = findings_.scaling == Scaling::kUnknown
                        ? "the data do not tell strong from weak scaling: say --scaling strong or weak"
                        : "the data do not decide it: " + slope;
  } else if (*f->scales) {
    fact.evidence = slope;
  } else {
    fact.evidence = slope + "; does not scale from " + core::to_text(std::round(f->stops_at.value_or(0))) + " on";
    if (f->cause != Cause::kNone) fact.evidence += std::string(": ") + name_of(f->cause);
    if (!f->evidence.empty()) fact.evidence += " (" + f->evidence + ")";
  }
  return fact;
}

}  // namespace scalediag::report
