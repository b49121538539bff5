#include "fit/count_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/statistics.h"

namespace scalediag::fit {
namespace {

// Laws that fit to rounding errors only cannot be told apart by their deviation.
constexpr double kEqualDeviation = 1e-9;
// Counts that depend on what is computed (particles that cross a border) may deviate by this much from the law of their
// grid.
constexpr double kNearly = 0.01;

bool only_processes_vary(const Series& series) {
  for (size_t p = 1; p < series.parameter_names.size(); ++p) {
    std::set<double> values;
    for (const Observation& o : series.observations) values.insert(o.at[p]);
    if (values.size() > 1) return false;
  }
  return true;
}

// A law of one term that three scales meet has two points more than unknowns. Where all are powers of two a butterfly,
// a cube and others coincide; else they do not.
bool is_proven(const std::vector<CountLaw>& laws, bool exact, const std::set<double>& scales) {
  const auto is_power_of_two = [](double p) { return std::exp2(std::round(std::log2(p))) == p; };
  return exact && scales.size() >= static_cast<size_t>(kScalesForLaw) - 1 && laws.front().parts().size() == 1 &&
         !std::all_of(scales.begin(), scales.end(), is_power_of_two);
}

}  // namespace

std::span<const CountLaw> CountModel::laws() const {
  if (!is_exact() || few_scales_) return laws_;
  const auto equal = [&](const CountLaw& law) {
    return law.largest_deviation() <= std::max(2 * laws_.front().largest_deviation(), kEqualDeviation);
  };
  return {laws_.begin(), std::find_if_not(laws_.begin(), laws_.end(), equal)};
}

Estimate CountModel::evaluate(std::span<const double> at) const {
  Estimate estimate{0, 0, 0, level_};
  if (laws_.empty()) return model_ ? model_->evaluate(at) : estimate;
  estimate.value = estimate.low = estimate.high = laws_.front().at(at.front());
  for (const CountLaw& law : laws()) {
    estimate.low = std::min(estimate.low, law.at(at.front()));
    estimate.high = std::max(estimate.high, law.at(at.front()));
  }
  // The largest relative deviation of the law at the measured scales.
  const double open = laws_.front().largest_deviation();
  if (open > kEqualDeviation) {
    estimate.low *= 1 - open;
    estimate.high *= 1 + open;
  }
  if (model_) {
    const Estimate general = model_->evaluate(at);
    estimate.low = std::min(estimate.low, general.low);
    estimate.high = std::max(estimate.high, general.high);
  }
  return estimate;
}

std::string CountModel::formula() const {
  if (!laws_.empty()) return laws_.front().formula();
  return model_ ? model_->formula() : "0";
}

ValueOfFormula CountModel::value_of_formula() const {
  return laws_.empty() && model_ ? model_->value_of_formula() : ValueOfFormula{};
}

core::Result<CountModel> fit_count(const Series& series, const FitOptions& options) {
  CountModel result;
  result.level_ = options.level;
  std::vector<ScaledCount> counts;
  bool all_zero = true;
  for (const Observation& o : series.observations) {
    if (o.values.empty()) continue;
    counts.push_back({o.at.front(), core::mean(o.values)});
    all_zero = all_zero && counts.back().count == 0;
  }
  if (!counts.empty() && all_zero) return result;
  if (only_processes_vary(series)) {
    result.laws_ = exact_laws(counts);
    result.exact_ = !result.laws_.empty();
    if (!result.exact_) result.laws_ = exact_laws(counts, kNearly);
  }
  std::set<double> several;
  for (const ScaledCount& count : counts) {
    if (count.processes > 1) several.insert(count.processes);
  }
  result.few_scales_ = several.size() < kScalesForLaw && !is_proven(result.laws_, result.exact_, several);
  if (!result.laws_.empty() && !result.few_scales_) return result;
  core::Result<Model> model = fit(series, options);
  if (!model) {
    if (result.laws_.empty()) return model.error();
    return result;
  }
  result.model_ = std::move(model).value();
  return result;
}

std::vector<CountLaw> laws_of_counts(const Series& series, const FitOptions& options) {
  const bool counts = series.kernel.starts_with("MPI_") && (series.metric == "calls" || series.metric == "bytes");
  if (!counts || series.parameter_names.front() != options.processes) return {};
  const core::Result<CountModel> model = fit_count(series, options);
  if (!model) return {};
  const std::span<const CountLaw> laws = model.value().laws();
  return {laws.begin(), laws.end()};
}

}  // namespace scalediag::fit
