#include "report/findings/kernel_evidence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/parallel.h"
#include "core/profile/metric_names.h"
#include "core/profile/profile.h"
#include "core/statistics.h"
#include "core/text/numbers.h"
#include "fit/application/modelled_metrics.h"

namespace scalediag::report {
namespace {

// The number of alternatives that are listed for a metric; the others are counted.
constexpr size_t kAlternatives = 8;

using Configurations = std::map<std::vector<double>, size_t>;

std::vector<double> values_of(const Point& point) {
  std::vector<double> values;
  for (const auto& [name, value] : point) values.push_back(value);
  return values;
}

Configurations configurations_of(const Findings& findings) {
  Configurations all;
  for (size_t i = 0; i < findings.measured.size(); ++i) all.emplace(values_of(findings.measured[i]), i);
  return all;
}

std::vector<std::vector<double>> points_of(const Findings& findings) {
  std::vector<std::vector<double>> all;
  for (const Point& point : findings.evidence_points) all.push_back(values_of(point));
  return all;
}

void add_measured(const fit::Series& series, const Configurations& configurations, MetricEvidence& to) {
  std::map<size_t, std::vector<double>> by_configuration;
  for (const fit::Observation& o : series.observations) {
    const auto known = configurations.find(o.at);
    if (known == configurations.end()) continue;
    auto& values = by_configuration[known->second];
    values.insert(values.end(), o.values.begin(), o.values.end());
  }
  for (const auto& [configuration, values] : by_configuration) {
    if (values.empty()) continue;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    to.measured.push_back({configuration, core::mean(values), *low, *high, values.size()});
  }
}

// Adds the formula of `Model`, a model of fit/ or a kernel's.
template <class Model>
void add_formula(const Model& model, MetricEvidence& to) {
  to.formula = model.formula();
  const fit::ValueOfFormula value = model.value_of_formula();
  to.formula_weight = value.trust();
  to.formula_note = value.text();
}

void add_model(const fit::Model& model, bool with_alternatives, MetricEvidence& to) {
  add_formula(model, to);
  if (model.noise() > 0) to.noise = model.noise();
  const fit::Backtest check = model.backtest();
  if (check.predictions > 0) to.median_error = check.median_error;
  if (!with_alternatives) return;
  to.notes = model.notes();
  if (const auto change = model.regime_change()) to.notes.push_back(regime_text(*change));
  std::vector<fit::Alternative> all = model.alternatives();
  to.alternatives_left_out = all.size() > kAlternatives ? all.size() - kAlternatives : 0;
  all.resize(std::min(all.size(), kAlternatives));
  to.alternatives = std::move(all);
}

// Leaves the formula out where it comes to another value than the prediction at a target, which stands beside it.
template <class Model>
void leave_out_other_formula(const Model& model, std::span<const std::vector<double>> targets, MetricEvidence& to,
                             const std::function<Estimate(std::span<const double>)>& predicted) {
  const auto other = [&](const std::vector<double>& at) {
    const std::optional<double> value = model.formula_value(at);
    return value && is_other_value(*value, predicted(at).value);
  };
  if (std::any_of(targets.begin(), targets.end(), other)) to.formula.clear();
}

// Leaves formula and curve out where the interval at a target is so wide that the prediction says nothing.
void leave_out_no_value(const Findings& findings, MetricEvidence& of) {
  for (size_t i = 0; i < of.curve.size(); ++i) {
    const Point& at = findings.evidence_points[i];
    const auto is_there = [&at](const TargetFindings& target) { return target.at == at; };
    if (!fit::is_no_value(of.curve[i]) || std::none_of(findings.targets.begin(), findings.targets.end(), is_there))
      continue;
    of.notes.push_back("not predicted: its interval at " + text_of(at) + " spans a factor of more than " +
                       core::to_text(fit::kNoValue));
    of.formula.clear();
    of.curve.clear();
    return;
  }
}

// The metric by which kernels are ranked: the slowest rank's time where it differs from the mean rank's.
const MetricEvidence& ranked_metric(const KernelEvidence& kernel) {
  for (const MetricEvidence& metric : kernel.metrics) {
    if (metric.name == metric::kCritical) return metric;
  }
  return kernel.metrics.front();
}

// Ties keep the order of the kernels.
void rank_measured(size_t configurations, std::vector<KernelEvidence>& all) {
  for (KernelEvidence& kernel : all) kernel.measured_ranks.assign(configurations, 0);
  using ByMetric = std::map<std::string, std::vector<std::pair<double, KernelEvidence*>>>;
  std::vector<ByMetric> by_configuration(configurations);
  for (KernelEvidence& kernel : all) {
    if (kernel.metrics.empty()) continue;
    for (const MeasuredValue& m : ranked_metric(kernel).measured) {
      by_configuration[m.configuration][kernel.metrics.front().name].emplace_back(m.mean, &kernel);
    }
  }
  for (size_t c = 0; c < configurations; ++c) {
    for (auto& [metric, members] : by_configuration[c]) {
      std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      int rank = 0;
      for (const auto& [value, kernel] : members) kernel->measured_ranks[c] = ++rank;
    }
  }
}

class Collector {
 public:
  Collector(const fit::ApplicationModel& model, const Findings& findings)
      : model_(model), findings_(findings), configurations_(configurations_of(findings)), points_(points_of(findings)) {
    for (const TargetFindings& target : findings.targets) {
      targets_.push_back(values_of(target.at));
      for (const KernelFinding& kernel : target.kernels) {
        const bool is_large = place_of(kernel) <= static_cast<int>(kCompleteEvidence);
        if (kernel.matters || is_large || kernel.kind == fit::KernelKind::kMpi) complete_.insert(kernel.id);
      }
    }
  }

  std::vector<KernelEvidence> collect() const {
    const std::vector<fit::KernelModel>& kernels = model_.kernels();
    std::vector<KernelEvidence> all(kernels.size());
    core::in_parallel(kernels.size(), 0, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) all[i] = evidence_of(kernels[i], complete_.count(i) != 0);
    });
    return all;
  }

 private:
  KernelEvidence evidence_of(const fit::KernelModel& kernel, bool complete) const {
    KernelEvidence evidence;
    evidence.complete = complete;
    for (const std::string& metric : metrics_of(kernel.data())) {
      if (kernel.data().find(metric) == nullptr) continue;
      // The slowest rank of a kernel without imbalance is the mean one.
      if (metric == metric::kCritical && metric != kernel.data().metric && kernel.model(metric) == nullptr) continue;
      evidence.metrics.push_back(metric_evidence(kernel, metric, complete));
      if (!complete) break;
    }
    return evidence;
  }

  static std::vector<std::string> metrics_of(const fit::KernelData& kernel) {
    if (kernel.kind == fit::KernelKind::kCallPath) return {kernel.metric};
    std::vector<std::string> names;
    const bool is_mpi = kernel.kind == fit::KernelKind::kMpi;
    for (const fit::KernelMetric& metric : is_mpi ? fit::operation_metrics() : fit::function_metrics()) {
      names.emplace_back(metric.name);
    }
    return names;
  }

  MetricEvidence metric_evidence(const fit::KernelModel& kernel, const std::string& metric, bool complete) const {
    MetricEvidence evidence;
    evidence.name = metric;
    add_measured(*kernel.data().find(metric), configurations_, evidence);
    const fit::Model* model = kernel.model(metric);
    const bool is_main = metric == kernel.data().metric;
    if (model != nullptr) add_model(*model, complete && (is_main || metric == metric::kInstructions), evidence);
    if (!kernel.failure().empty()) return evidence;
    if (is_main) {
      // The formula of the time is that of the chosen method, which need not be the model of the time itself.
      add_formula(kernel, evidence);
      leave_out_other_formula(kernel, targets_, evidence, [&](auto at) { return kernel.time_s(at); });
      for (const auto& at : points_) evidence.curve.push_back(kernel.time_s(at));
    } else if (metric == metric::kCritical) {
      evidence.formula = kernel.critical_formula();
      for (const auto& at : points_) evidence.curve.push_back(kernel.critical_s(at));
    } else if (const auto known = kernel.metric_model(metric)) {
      evidence.formula = known->formula;
      evidence.formula_weight = known->value_of_formula.trust();
      evidence.formula_note = known->value_of_formula.text();
      const bool is_own = model != nullptr && model->formula() == known->formula;
      if (is_own) leave_out_other_formula(*model, targets_, evidence, known->evaluate);
      for (const auto& at : points_) evidence.curve.push_back(known->evaluate(at));
      leave_out_no_value(findings_, evidence);
    }
    return evidence;
  }

  const fit::ApplicationModel& model_;
  const Findings& findings_;
  const Configurations configurations_;
  const std::vector<std::vector<double>> points_;
  std::vector<std::vector<double>> targets_;
  std::set<size_t> complete_;
};

}  // namespace

bool is_other_value(double of_formula, double value) { return std::abs(of_formula - value) > 0.1 * std::abs(value); }

std::string regime_text(const fit::RegimeChange& change) {
  return "regime change between " + text_of(Point{{change.parameter, change.after}}) + " and " +
         text_of(Point{{change.parameter, change.before}}) + ": " + fit::factor_text(change.factor) +
         " what the trend before it says" + (change.confirmed ? "" : " (one scale only, which may be a bad run)");
}

std::vector<KernelEvidence> kernel_evidence(const fit::ApplicationModel& model, const Findings& findings) {
  std::vector<KernelEvidence> all = Collector(model, findings).collect();
  rank_measured(findings.measured.size(), all);
  return all;
}

}  // namespace scalediag::report
