#include "fit/counts/count_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/profile/metric_names.h"
#include "core/statistics.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "fit/curves/fit.h"

namespace scalediag::fit {
namespace {

// Hypotheses that fit to rounding errors only cannot be told apart by their deviation.
constexpr double kEqualDeviation = 1e-9;
// A problem of another shape has another grid of processes: messages along one direction where there were three.
constexpr double kOtherGrid = 3;

std::vector<double> others_of(std::span<const double> at) { return {at.begin() + 1, at.end()}; }

std::vector<ScaledCount> counts_of(const Series& series) {
  std::vector<ScaledCount> counts;
  for (const Observation& o : series.observations) {
    if (!o.values.empty()) counts.push_back({process_count(o.at), core::mean(o.values)});
  }
  return counts;
}

// The largest relative deviation of a repeat from the mean of its configuration.
double variation_of_repeats(const Series& series) {
  double largest = 0;
  for (const Observation& o : series.observations) {
    const double mean = o.values.empty() ? 0 : core::mean(o.values);
    if (mean <= 0) continue;
    for (const double value : o.values) largest = std::max(largest, std::abs(value / mean - 1));
  }
  return largest;
}

// A hypothesis of one term that three scales meet has two points more than unknowns. Where all are powers of two a
// butterfly, a cube and others coincide; else they do not.
bool is_proven(const std::vector<CountHypothesis>& hypotheses, bool exact, const std::set<double>& scales) {
  const auto is_power_of_two = [](double p) { return std::exp2(std::round(std::log2(p))) == p; };
  return exact && scales.size() >= static_cast<size_t>(kScalesForHypothesis) - 1 &&
         hypotheses.front().parts().size() == 1 && !std::ranges::all_of(scales, is_power_of_two);
}

std::set<double> scales_of_several_ranks(const Series& series) {
  std::set<double> scales;
  for (const Observation& o : series.observations) {
    if (process_count(o.at) > 1) scales.insert(process_count(o.at));
  }
  return scales;
}

// The series at each value of the other parameters.
std::map<std::vector<double>, Series> by_size(const Series& series) {
  std::map<std::vector<double>, Series> all;
  for (const Observation& o : series.observations) {
    Series& one = all[others_of(o.at)];
    if (one.observations.empty()) {
      one = {series.parameter_names, series.metric, series.kernel, {}, series.is_estimate};
    }
    one.observations.push_back(o);
  }
  return all;
}

}  // namespace

std::span<const CountHypothesis> CountModel::hypotheses() const {
  if (!is_exact() || few_scales_) return hypotheses_;
  const auto equal = [&](const CountHypothesis& hypothesis) {
    return hypothesis.largest_deviation() <= std::max(2 * hypotheses_.front().largest_deviation(), kEqualDeviation);
  };
  return {hypotheses_.begin(), std::find_if_not(hypotheses_.begin(), hypotheses_.end(), equal)};
}

Estimate CountModel::evaluate(std::span<const double> at) const {
  if (const CountModel* own = of_measured_size(at)) return own->along_processes(at);
  if (several_sizes_) return terms_.empty() ? general(at) : of_terms(at);
  return size_ && at[*size_] != measured_size_ ? of_other_size(at) : along_processes(at);
}

const CountModel* CountModel::of_measured_size(std::span<const double> at) const {
  const auto found = std::find(sizes_.begin(), sizes_.end(), others_of(at));
  return found == sizes_.end() ? nullptr : &of_sizes_[static_cast<size_t>(found - sizes_.begin())];
}

Estimate CountModel::along_processes(std::span<const double> at) const {
  Estimate estimate{0, 0, 0, level_};
  if (hypotheses_.empty()) return model_ ? general(at) : estimate;
  estimate.value = estimate.low = estimate.high = hypotheses_.front().at(process_count(at));
  for (const CountHypothesis& hypothesis : hypotheses()) {
    estimate.low = std::min(estimate.low, hypothesis.at(process_count(at)));
    estimate.high = std::max(estimate.high, hypothesis.at(process_count(at)));
  }
  const double open = variation_at(process_count(at));
  estimate.low *= std::max(0.0, 1 - open);
  estimate.high *= 1 + open;
  if (model_) {
    const Estimate of_model = general(at);
    estimate.low = std::min(estimate.low, of_model.low);
    estimate.high = std::max(estimate.high, of_model.high);
  }
  return estimate;
}

// A drift that departs by v to both sides of the hypothesis over the measured doublings departs by 2 v more over as
// many further ones.
double CountModel::variation_at(double processes) const {
  if (variation_ <= kEqualDeviation) return 0;
  const double beyond = doublings_ > 0 ? std::max(0.0, std::log2(processes / largest_scale_)) / doublings_ : 0;
  return variation_ * (1 + 2 * beyond);
}

Estimate CountModel::of_terms(std::span<const double> at) const {
  Estimate sum{0, 0, 0, level_};
  for (const SizedTerm& term : terms_) {
    const Estimate part = times(term.coefficient.evaluate(at), term.unit.at(process_count(at)));
    sum.value += part.value;
    sum.low += part.low;
    sum.high += part.high;
  }
  return sum;
}

Estimate CountModel::general(std::span<const double> at) const {
  if (process_count(at) < 2 && nothing_alone_) return {0, 0, 0, level_};
  return times(model_->evaluate(at), of_one_rank_ ? 1 : process_count(at));
}

Estimate CountModel::of_other_size(std::span<const double> at) const {
  std::vector<double> measured(at.begin(), at.end());
  measured[*size_] = measured_size_;
  const Estimate stays = along_processes(measured);
  if (is_volume_ && volume_ratio_) return times(stays, *volume_ratio_);
  const double growth = at[*size_] / measured_size_;
  double value = stays.value;
  if (hypotheses_.empty()) {
    value = model_ ? general(at).value : 0;
  } else if (is_volume_ && !of_one_rank_) {
    value = hypotheses_.front().at_size(process_count(at), growth);
  }
  return {value, std::min({value, stays.low, stays.low * growth}) / kOtherGrid,
          std::max({value, stays.high, stays.high * growth}) * kOtherGrid, level_};
}

std::string CountModel::formula() const {
  const std::string ranks = of_one_rank_ ? "" : "P ";
  if (!terms_.empty()) {
    return core::join(terms_, " + ", [](const SizedTerm& term) {
      const std::string name = term.unit.coefficients().front().term;
      return "(" + term.coefficient.formula() + ")" + (name == "1" ? "" : " " + name);
    });
  }
  if (hypotheses_.empty()) return model_ ? ranks + "(" + model_->formula() + ")" : "0";
  const std::string hypothesis = hypotheses_.front().formula();
  if (size_name_.empty()) return hypothesis;
  return hypothesis + " at " + size_name_ + " = " + core::to_text(measured_size_);
}

ValueOfFormula CountModel::value_of_formula() const {
  ValueOfFormula least;
  for (const SizedTerm& term : terms_) {
    const ValueOfFormula value = term.coefficient.value_of_formula();
    if (value.trust() < least.trust()) least = value;
  }
  return terms_.empty() && hypotheses_.empty() && model_ ? model_->value_of_formula() : least;
}

// The counts of the mean rank. A single rank has nobody to talk to: its counts are no point of the curve that those of
// several ranks follow.
Series CountModel::per_rank(const Series& series) const {
  Series ranks = series;
  const bool enough = scales_of_several_ranks(series).size() >= kScalesForTrend;
  if (enough) std::erase_if(ranks.observations, [](const Observation& o) { return process_count(o.at) < 2; });
  if (of_one_rank_) return ranks;
  for (Observation& o : ranks.observations) {
    for (double& value : o.values) value /= process_count(o.at);
  }
  return ranks;
}

Status CountModel::fit_along_processes(const Series& series, const FitOptions& options) {
  const std::vector<ScaledCount> counts = counts_of(series);
  hypotheses_ = hypotheses_that_meet(counts);
  if (!hypotheses_.empty()) {
    const double missed = hypotheses_.front().largest_deviation();  // relative to the count
    variation_ = std::max(missed / (1 - missed), variation_of_repeats(series));
    if (series.is_estimate) variation_ = std::max(variation_, kNearly);
    exact_ = variation_ <= kExactly;
  }
  const std::set<double> several = scales_of_several_ranks(series);
  if (!several.empty()) {
    largest_scale_ = *several.rbegin();
    doublings_ = std::log2(largest_scale_ / *several.begin());
  }
  few_scales_ = several.size() < kScalesForHypothesis && !is_proven(hypotheses_, exact_, several);
  if (!hypotheses_.empty() && !few_scales_) return Done{};
  Result<Model> model = fit(per_rank(series), options);
  if (!model && hypotheses_.empty()) return model.error();
  if (model) model_ = std::move(model).value();
  return Done{};
}

// Terms whose coefficients are known at every size.
void CountModel::find_common_terms(const Series& series, const FitOptions& options) {
  const std::map<std::vector<double>, Series> sizes = by_size(series);
  const Series* most = &sizes.begin()->second;
  for (const auto& [others, one] : sizes) {
    if (one.observations.size() > most->observations.size()) most = &one;
  }
  const std::vector<CountHypothesis> hypotheses = hypotheses_that_meet(counts_of(*most));
  if (hypotheses.empty()) return;
  const double tolerance = hypotheses.front().largest_deviation() <= kExactly ? kExactly : kNearly;
  for (const CountHypothesis& hypothesis : hypotheses) {
    std::vector<Series> coefficients(hypothesis.parts().size(), Series{series.parameter_names, "coefficient", "", {}});
    for (const auto& [others, one] : sizes) {
      const auto here = hypothesis_of_terms(hypothesis, counts_of(one), tolerance);
      if (!here) break;
      std::vector<double> at = {1};
      at.insert(at.end(), others.begin(), others.end());
      for (size_t i = 0; i < coefficients.size(); ++i) {
        coefficients[i].observations.push_back({at, {here->parts()[i].coefficient}});
      }
    }
    if (coefficients.front().observations.size() < sizes.size()) continue;
    std::vector<SizedTerm> terms;
    for (size_t i = 0; i < coefficients.size(); ++i) {
      Result<Model> model = fit(coefficients[i], options);
      if (model) terms.push_back({CountHypothesis({{hypothesis.parts()[i].term, 1}}, 0), std::move(model).value()});
    }
    if (terms.size() < coefficients.size()) continue;
    terms_ = std::move(terms);
    return;
  }
}

Status CountModel::fit_over_sizes(const Series& series, const FitOptions& options) {
  const CountModel of_one_size = *this;
  for (const auto& [others, one] : by_size(series)) {
    CountModel own = of_one_size;
    // Without a hypothesis of its own the model of all sizes knows more.
    const bool fitted = scales_of_several_ranks(one).size() >= kScalesForCheck && own.fit_along_processes(one, options);
    if (!fitted || own.hypotheses_.empty() || (own.few_scales_ && !own.exact_)) continue;
    sizes_.push_back(others);
    of_sizes_.push_back(std::move(own));
  }
  find_common_terms(series, options);
  Result<Model> model = fit(per_rank(series), options);
  if (!model && terms_.empty()) return model.error();
  if (model) model_ = std::move(model).value();
  return Done{};
}

Result<CountModel> fit_count(const Series& series, const FitOptions& options) {
  CountModel result;
  result.level_ = options.level;
  result.of_one_rank_ = series.metric != metric::kCalls && series.metric != metric::kBytes;
  result.is_volume_ = series.metric.ends_with("bytes");
  const std::vector<ScaledCount> counts = counts_of(series);
  const auto is_zero = [](const ScaledCount& c) { return c.count == 0; };
  if (!counts.empty() && std::ranges::all_of(counts, is_zero)) return result;
  const auto is_alone = [](const ScaledCount& c) { return c.processes < 2; };
  result.nothing_alone_ = std::ranges::any_of(counts, is_alone) &&
                          std::ranges::all_of(counts, [&](const ScaledCount& c) { return !is_alone(c) || is_zero(c); });
  for (size_t p = 1; p < series.parameter_names.size(); ++p) {
    if (series.parameter_names[p] != options.size || series.observations.empty()) continue;
    result.size_ = p;
    result.size_name_ = options.size;
    result.measured_size_ = series.observations.front().at[p];
  }
  result.several_sizes_ = by_size(series).size() > 1;
  TRY(result.several_sizes_ ? result.fit_over_sizes(series, options) : result.fit_along_processes(series, options));
  return result;
}

bool is_count_of_all_ranks(const Series& series) {
  return series.kernel.starts_with("MPI_") && (series.metric == metric::kCalls || series.metric == metric::kBytes);
}

MetHypotheses met_hypotheses(const Series& series, const FitOptions& options) {
  if (!is_count_of_all_ranks(series) || series.parameter_names.front() != options.processes) return {};
  const Result<CountModel> model = fit_count(series, options);
  if (!model) return {};
  const std::span<const CountHypothesis> hypotheses = model.value().hypotheses();
  std::set<std::vector<double>> points;
  for (const Observation& o : series.observations) {
    if (!o.values.empty()) points.insert(o.at);
  }
  return {{hypotheses.begin(), hypotheses.end()},
          static_cast<int>(points.size()),
          model.value().has_few_scales(),
          model.value().variation()};
}

}  // namespace scalediag::fit
