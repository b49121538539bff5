#include "report/findings/measurement_findings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/statistics.h"
#include "fit/curves/fit.h"
#include "report/findings/evidence.h"
#include "report/findings/kernel_evidence.h"
#include "report/scaling/measured_series.h"
#include "report/scaling/scaling_kind.h"

namespace scalediag::report {
namespace {

// Whether a verdict on strong or weak scaling makes sense for the metric.
bool is_time(const std::string& metric) {
  return metric.find("time") != std::string::npos || metric.ends_with("_s") || metric == fit::kDefaultMetric;
}

// "main->solve->MPI_Send"; "[MPI other]" of a profile that was exported.
bool is_mpi_call_path(const std::string& call_path) {
  const size_t arrow = call_path.rfind("->");
  const std::string last = call_path.substr(arrow == std::string::npos ? 0 : arrow + 2);
  return last.starts_with("MPI_") || last.starts_with("[MPI ");
}

class SeriesBuilder {
 public:
  SeriesBuilder(const fit::MeasurementSet& set, const std::vector<core::Result<fit::Model>>& models,
                const FindingsOptions& options)
      : set_(set), models_(models), options_(options), processes_(processes_parameter(set.parameter_names)) {
    findings_.processes = set.parameter_names[processes_];
    std::set<std::vector<double>> points;
    for (const fit::Series& series : set.series) {
      for (const fit::Observation& o : series.observations) points.insert(o.at);
    }
    for (const std::vector<double>& at : points) {
      findings_.measured.push_back(point_of(set.parameter_names, at));
      scales_.insert(at[processes_]);
    }
    largest_ = scales_.empty() ? 0 : *scales_.rbegin();
    was_exported_ = std::any_of(set.series.begin(), set.series.end(),
                                [](const fit::Series& series) { return series.kernel == fit::kWholeProgram; });
    if (was_exported_) {
      findings_.notes.push_back(
          "exported from a profile, of which this has no samples, no slowest ranks and no sizes of messages: totals, "
          "\"[all]\", are series like others here, there are no causes, and intervals hold less. `scalediag predict` "
          "on "
          "the experiment or its profile.json has all of that");
    }
    if (std::string assumed = assumed_processes(set.parameter_names); !assumed.empty()) {
      findings_.notes.push_back(std::move(assumed));
    }
    tell_failures();
    find_scaling(options);
    find_backtest();
  }

  Findings build(const std::vector<std::vector<double>>& targets) {
    for (const std::vector<double>& at : targets) add_target(at);
    if (options_.detailed) add_evidence(targets);
    return std::move(findings_);
  }

 private:
  void add_evidence(const std::vector<std::vector<double>>& targets) {
    const std::vector<double>* largest = &targets.front();
    for (const std::vector<double>& at : targets) {
      if (at[processes_] >= (*largest)[processes_]) largest = &at;
    }
    std::vector<double> scales;
    for (const Point& point : findings_.measured) scales.push_back(point[processes_].second);
    for (const auto& at : curve_points(scales, *largest, processes_, targets)) {
      findings_.evidence_points.push_back(point_of(set_.parameter_names, at));
    }
    findings_.evidence = kernel_evidence(set_, models_, findings_);
  }

  void tell_failures() {
    size_t failed = 0;
    for (size_t i = 0; i < models_.size(); ++i) {
      if (models_[i]) continue;
      if (failed++ < 3) {
        findings_.notes.push_back(set_.series[i].kernel + " (" + set_.series[i].metric +
                                  ") is not predicted: " + models_[i].error().message);
      }
    }
    if (failed > 3) findings_.notes.push_back(std::to_string(failed - 3) + " more series are not predicted");
  }

  // Whether the series is the time of a call path. An exported profile has parts of such times as well, and totals.
  bool is_judged(const fit::Series& series) const {
    if (!was_exported_) return is_time(series.metric);
    return series.metric == "time_s" && series.kernel != fit::kWholeProgram;
  }

  void find_scaling(const FindingsOptions& options) {
    std::vector<TimedSeries> times;
    std::set<std::vector<double>> points;
    for (const fit::Series& series : set_.series) {
      if (!is_judged(series) || is_mpi_call_path(series.kernel)) continue;
      times.push_back({&series, 0});
      for (const fit::Observation& o : series.observations) points.insert(o.at);
    }
    ScalingSaid said;
    said.option = options.scaling;
    take_scaling(scaling_of(computation_of(times, {points.begin(), points.end()}, processes_), said), findings_);
  }

  // The errors of all models at the largest scale; series below 1 % of the largest of their metric are left out.
  void find_backtest() {
    findings_.backtest.parameter = findings_.processes;
    // By metric, since seconds and counts cannot be compared.
    std::map<std::string, std::vector<std::pair<double, double>>> measured_and_error;
    for (size_t i = 0; i < models_.size(); ++i) {
      if (!models_[i]) continue;
      const fit::Backtest b = models_[i].value().backtest();
      if (b.predictions == 0 || !(b.measured_largest > 0)) continue;
      measured_and_error[set_.series[i].metric].emplace_back(b.measured_largest,
                                                             std::abs(b.predicted_largest / b.measured_largest - 1));
    }
    if (measured_and_error.empty()) {
      findings_.backtest.all_values_zero = all_values_zero();
      return;
    }
    BacktestFindings& to = findings_.backtest;
    to.possible = true;
    to.scale = largest_;
    std::set<double> scales;
    for (const Point& point : findings_.measured) {
      if (point[processes_].second < largest_) scales.insert(point[processes_].second);
    }
    to.from.assign(scales.begin(), scales.end());
    std::vector<double> errors;
    for (const auto& [metric, pairs] : measured_and_error) {
      const double largest_value = std::max_element(pairs.begin(), pairs.end())->first;
      for (const auto& [measured, error] : pairs) {
        if (measured >= 0.01 * largest_value) errors.push_back(error);
      }
    }
    to.median_kernel_error = core::median(errors);
    to.kernels = static_cast<int>(errors.size());
  }

  bool all_values_zero() const {
    return std::all_of(set_.series.begin(), set_.series.end(), [](const fit::Series& series) {
      return std::all_of(series.observations.begin(), series.observations.end(), [](const fit::Observation& o) {
        return std::all_of(o.values.begin(), o.values.end(), [](double value) { return value == 0; });
      });
    });
  }

  void add_target(const std::vector<double>& at) {
    TargetFindings target;
    target.at = point_of(set_.parameter_names, at);
    target.beyond = at[processes_] / largest_;
    target.is_unchecked = lies_beyond_two_scales(scales_.size(), largest_, at[processes_]);
    for (size_t i = 0; i < models_.size(); ++i) {
      if (!models_[i]) continue;
      target.kernels.push_back(kernel_finding(set_.series[i], models_[i].value(), at));
      target.kernels.back().id = i;
    }
    rank(target.kernels, target.is_unchecked);
    findings_.targets.push_back(std::move(target));
  }

  KernelFinding kernel_finding(const fit::Series& series, const fit::Model& model,
                               const std::vector<double>& at) const {
    KernelFinding f;
    f.name = series.kernel;
    f.kind = "callpath";
    f.metric = series.metric;
    f.estimate = model.evaluate(at);
    f.formula = model.formula();
    const fit::ValueOfFormula value_of_formula = model.value_of_formula();
    f.formula_weight = value_of_formula.trust();
    f.formula_note = value_of_formula.text();
    f.method = "time";
    const fit::Backtest b = model.backtest();
    if (b.predictions > 0 && b.measured_largest > 0) f.backtest_error = b.predicted_largest / b.measured_largest - 1;
    const std::vector<double> largest = largest_configuration(series, processes_, at);
    if (largest[processes_] == largest_) f.measured = measured_at(series, largest);
    if (findings_.scaling == Scaling::kUnknown || !is_judged(series)) return f;

    std::vector<MeasuredScale> measured = along_processes(series, processes_, at, 0);
    if (measured.empty()) measured = {{largest[processes_], model.value(largest), 0}};
    std::vector<double> moving = at;
    const auto value = [&](double processes) {
      moving[processes_] = processes;
      return model.value(moving);
    };
    const auto estimate = [&](double processes) {
      moving[processes_] = processes;
      return model.evaluate(moving);
    };
    const ScalingVerdict verdict = judge_scaling(value, estimate, measured, at[processes_], findings_.scaling);
    f.exponent = verdict.exponent;
    if (lies_beyond_two_scales(measured.size(), measured.back().processes, at[processes_])) return f;
    f.scales = verdict.scales;
    f.stops_at = verdict.stops_at;
    return f;
  }

  // Numbers the kernels within each metric, ties by name.
  static void rank(std::vector<KernelFinding>& kernels, bool is_unchecked) {
    std::map<std::string, std::vector<size_t>> by_metric;
    std::map<std::string, double> largest;
    for (size_t i = 0; i < kernels.size(); ++i) {
      by_metric[kernels[i].metric].push_back(i);
      largest[kernels[i].metric] = std::max(largest[kernels[i].metric], kernels[i].estimate.value);
    }
    for (auto& [metric, members] : by_metric) {
      std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
        return kernels[a].measured.value_or(-1) > kernels[b].measured.value_or(-1);
      });
      for (size_t i = 0; i < members.size(); ++i) {
        if (kernels[members[i]].measured) kernels[members[i]].rank_measured = static_cast<int>(i + 1);
      }
    }
    std::stable_sort(kernels.begin(), kernels.end(), [&](const KernelFinding& a, const KernelFinding& b) {
      if (a.metric != b.metric) return a.metric < b.metric;
      if (is_unchecked && place_of(a) != place_of(b)) return place_of(a) < place_of(b);
      if (a.estimate.value != b.estimate.value) return a.estimate.value > b.estimate.value;
      return a.name < b.name;
    });
    std::map<std::string, int> next;
    for (KernelFinding& kernel : kernels) {
      if (!is_unchecked) kernel.rank = ++next[kernel.metric];
      kernel.matters = kernel.estimate.value >= 0.01 * largest[kernel.metric];
    }
  }

  const fit::MeasurementSet& set_;
  const std::vector<core::Result<fit::Model>>& models_;
  const FindingsOptions options_;
  const size_t processes_;
  std::set<double> scales_;  // measured numbers of processes
  double largest_ = 0;
  bool was_exported_ = false;
  Findings findings_;
};

}  // namespace

size_t processes_parameter(const std::vector<std::string>& names) { return fit::named_processes(names).value_or(0); }

std::string assumed_processes(const std::vector<std::string>& names) {
  if (fit::named_processes(names)) return "";
  return "no parameter is called np, p, P, processes, ranks, nodes, cores or gpus: " +
         names[processes_parameter(names)] + " is taken for the number of processes";
}

Findings measurement_findings(const fit::MeasurementSet& set, const std::vector<core::Result<fit::Model>>& models,
                              const std::vector<std::vector<double>>& targets, const FindingsOptions& options) {
  return SeriesBuilder(set, models, options).build(targets);
}

}  // namespace scalediag::report
