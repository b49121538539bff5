#include "report/findings/application_findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/mpi_routines.h"
#include "core/parallel.h"
#include "core/profile/metric_names.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "fit/application/interval_sum.h"
#include "report/findings/causes/causes.h"
#include "report/findings/efficiencies.h"
#include "report/findings/evidence.h"
#include "report/findings/kernel_evidence.h"
#include "report/findings/kernel_shares.h"
#include "report/findings/kernel_verdict.h"
#include "report/findings/limits.h"
#include "report/findings/memory_contention.h"
#include "report/findings/places/path_callers.h"
#include "report/scaling/measured_series.h"
#include "report/scaling/scaling_kind.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {
namespace {

using fit::ApplicationModel;
using fit::KernelKind;
using fit::KernelModel;

std::set<double> scales_of(const fit::Series& series, size_t processes) {
  std::set<double> scales;
  for (const fit::Observation& o : series.observations) scales.insert(o.at[processes]);
  return scales;
}

class Builder {
 public:
  Builder(const predict::Predictor& predictor, const FindingsOptions& options)
      : predictor_(predictor),
        model_(predictor.model()),
        data_(model_.data()),
        options_(options),
        processes_(data_.processes),
        scales_(data_.scales()) {
    findings_.processes = data_.parameter_names[processes_];
    findings_.notes = model_.notes();
    for (const fit::ConfigurationPoint& c : data_.configurations) {
      findings_.measured.push_back(point_of(data_.parameter_names, c.at));
    }
    findings_.region = options.region;
    find_scaling(options);
    find_backtest();
    if (data_.has_totals()) describe_run();
  }

  Findings build(const std::vector<std::vector<double>>& targets) {
    targets_ = targets;
    for (const std::vector<double>& at : targets) add_target(at);
    find_superlinearity(targets.front());
    if (options_.node && findings_.targets.front().memory) {
      findings_.memory_limit = memory_limit(model_, targets.front(), *options_.node);
    }
    if (data_.has_totals()) explain_run(targets);
    add_curve(targets);
    const auto trust_in = [this](const TargetFindings* target) {
      return trust_of(findings_, target, data_, options_.profile, options_.experiment);
    };
    for (TargetFindings& target : findings_.targets) target.trust = trust_in(&target);
    const TargetFindings* const farthest = farthest_beyond(findings_);
    findings_.trust = farthest != nullptr ? farthest->trust : trust_in(nullptr);
    return std::move(findings_);
  }

 private:
  // Describes the run as a whole, which call paths do not make up.
  void describe_run() {
    findings_.clock = core::name_of(*data_.clock);
    findings_.lone_factor = data_.lone_factor;
    if (findings_.clock == "cpu" && options_.profile != nullptr) {
      findings_.shared_cores = shared_cores(*options_.profile, options_.experiment);
    }
    findings_.totals_modelled = data_.clock == core::Clock::kCpu && findings_.region.empty();
    findings_.on_given_network = model_.on_given_network();
    findings_.counters = data_.counters;
    findings_.counters_reason = data_.counters_reason;
    findings_.communication = model_.cost().description();
    if (options_.experiment != nullptr) findings_.machine = options_.experiment->host.cpu;
    find_base();
    find_measured_totals();
    find_left_out();
  }

  void explain_run(const std::vector<std::vector<double>>& targets) {
    if (tells_communication(findings_)) {
      findings_.efficiencies = efficiencies_of(predictor_, base_, targets, findings_.scaling);
    }
    add_limits(predictor_, findings_);
    findings_.next_run = further_run(model_, findings_);
    findings_.blocking = blocking_factors(model_, targets.front());
    findings_.blocking_at = point_of(data_.parameter_names, targets.front());
    if (std::string note = contention_note(data_, targets); !note.empty()) findings_.notes.push_back(std::move(note));
  }

  // The curve over the number of processes, and where asked for the evidence of each kernel along it.
  void add_curve(const std::vector<std::vector<double>>& targets) {
    const std::vector<double>* largest = &targets.front();
    for (const std::vector<double>& at : targets) {
      if (at[processes_] >= (*largest)[processes_]) largest = &at;
    }
    const auto points = curve_points(scales_, *largest, processes_, targets, !predictor_.is_more_than_model());
    if (data_.has_totals() && findings_.scaling != Scaling::kUnknown) {
      findings_.curve =
          scaling_curve(predictor_, findings_.scaling, fit::process_count(base_), points, options_.efficiency_bound);
    }
    if (!options_.detailed) return;
    for (const auto& at : points) findings_.evidence_points.push_back(point_of(data_.parameter_names, at));
    findings_.evidence = kernel_evidence(model_, findings_);
  }

  void find_scaling(const FindingsOptions& options) {
    if (options.program_scaling) return take_scaling(*options.program_scaling, findings_);
    take_scaling(scaling_kind_of(data_, options.scaling), findings_);
  }

  bool waits_for_threads() const { return data_.totals.count("openmp_waiting_s") != 0; }
  bool weak() const { return findings_.scaling == Scaling::kWeak; }

  void find_base() {
    base_ = base_of(data_, options_.profile, options_.experiment);
    // The other parameters of the base are those of the target.
    findings_.base = {{data_.parameter_names.front(), fit::process_count(base_)}};
  }

  // Of the run; of call paths, of the one that takes the most time.
  void find_superlinearity(const std::vector<double>& at) {
    const fit::Series* series = nullptr;
    if (const auto run = data_.totals.find("run_s"); run != data_.totals.end()) {
      series = &run->second;
    } else if (!data_.has_totals()) {
      double most = 0;
      for (const fit::KernelData& kernel : data_.kernels) {
        if (!kernel.is_time) continue;
        const auto scales = along_processes(kernel.main_series(), processes_, at, 0);
        if (scales.empty() || scales.front().value <= most) continue;
        most = scales.front().value;
        series = &kernel.main_series();
      }
    }
    if (series == nullptr) return;
    std::vector<MeasuredScale> scales = along_processes(*series, processes_, at, 0);
    if (!base_.empty()) std::erase_if(scales, [&](const auto& s) { return s.processes < fit::process_count(base_); });
    add_superlinearity(scales, findings_);
  }

  void find_measured_totals() {
    if (data_.clock != core::Clock::kCpu || !predictor_.is_more_than_model()) return;
    for (const fit::ConfigurationPoint& c : data_.configurations) {
      const predict::Prediction p = predictor_.at(c.at);
      findings_.measured_totals.push_back(
          {p.run.estimate, p.total.estimate, p.others.estimate, predictor_.measured(c.at) != nullptr});
    }
  }

  // Of several configurations that leave some out, the one with the largest share is told.
  void find_left_out() {
    constexpr double kTelling = 0.1;
    if (data_.clock != core::Clock::kCpu) return;
    double most = kTelling;
    for (const fit::ConfigurationPoint& c : data_.configurations) {
      LeftOut out{point_of(data_.parameter_names, c.at), 0, 0, 0};
      const auto total = [&](const char* name) {
        const auto known = data_.totals.find(name);
        return known == data_.totals.end() ? 0 : measured_at(known->second, c.at).value_or(0);
      };
      out.run_s = total("run_s");
      const auto telling = [&](double s) { return s > kTelling * (s + out.run_s) ? s : 0; };
      out.asleep_s = telling(total("asleep_s"));
      out.children_s = telling(total("children_s"));
      const double share = (out.asleep_s + out.children_s) / (out.asleep_s + out.children_s + out.run_s);
      if (!(share > most)) continue;
      most = share;
      findings_.left_out = out;
    }
  }

  void find_backtest() {
    const fit::ApplicationBacktest& b = model_.backtest();
    BacktestFindings& to = findings_.backtest;
    to.parameter = findings_.processes;
    to.possible = b.np > 0;
    if (!to.possible) {
      to.all_values_zero = std::all_of(data_.kernels.begin(), data_.kernels.end(), [](const fit::KernelData& kernel) {
        return fit::is_zero_everywhere(kernel.main_series());
      });
      return;
    }
    to.scale = b.np;
    to.from = b.from;
    to.median_kernel_error = b.median_kernel_error;
    to.kernels = b.kernels;
    if (!data_.has_totals()) return;
    to.measured = b.measured_s;
    to.predicted = b.predicted_s;
    to.error = b.error();
    to.computation_error = b.computation_error();
    to.inside = b.inside;
  }

  void add_target(const std::vector<double>& at) {
    TargetFindings target;
    target.at = point_of(data_.parameter_names, at);
    target.beyond = at[processes_] / scales_.back();
    target.is_unchecked = lies_beyond_two_scales(scales_.size(), scales_.back(), at[processes_]);
    const predict::Prediction prediction = data_.has_totals() ? predictor_.at(at) : predict::Prediction();
    if (data_.has_totals()) add_totals(at, prediction, target);
    target.memory = memory_at(model_, at, options_.node);
    add_kernels(at, prediction, target);
    findings_.targets.push_back(std::move(target));
  }

  void add_totals(const std::vector<double>& at, const predict::Prediction& p, TargetFindings& target) const {
    target.simulated = p.simulated;
    target.replayed = p.replayed;
    target.points = p.points;
    target.sources = p.sources;
    target.waiting_causes = p.waiting_causes;
    target.disagreement = p.disagreement;
    target.run_s = p.run.estimate;
    target.total_s = p.total.estimate;
    target.computation_s = p.computation.estimate;
    target.communication_s = p.communication.estimate;
    if (data_.clock == core::Clock::kCpu || target.simulated) target.waiting_s = p.waiting.estimate;
    target.unattributed_s = p.unattributed.estimate;
    target.others_s = p.others.estimate;
    if (data_.totals.count(metric::kGpu) != 0) target.gpu_s = p.gpu.estimate;
    if (waits_for_threads()) target.openmp_waiting_s = p.openmp_waiting.estimate;
    if (!(target.run_s->value > 0)) return;
    const double base_s = base_run_s(predictor_, fit::process_count(base_), at);
    target.speedup = base_s / target.run_s->value;
    // The efficiency depends on whether the problem grows with the processes.
    target.efficiency_weak = *target.speedup;
    target.efficiency_strong = *target.speedup * fit::process_count(base_) / fit::process_count(at);
    if (findings_.scaling == Scaling::kUnknown) return;
    target.efficiency = weak() ? target.efficiency_weak : target.efficiency_strong;
    const double growth = fit::process_count(at) / fit::process_count(base_);
    const Estimate s = speedup_over(base_s, *target.run_s, weak() ? 1 : growth);
    const double divided_by = weak() ? 1 : growth;
    target.efficiency_interval = {s.value / divided_by, s.low / divided_by, s.high / divided_by, s.level};
  }

  void add_kernels(const std::vector<double>& at, const predict::Prediction& p, TargetFindings& target) const {
    const std::vector<KernelModel>& kernels = model_.kernels();
    target.kernels.resize(kernels.size());
    core::in_parallel(kernels.size(), 0, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        if (!kernels[i].failure().empty()) continue;
        const KernelKind kind = kernels[i].data().kind;
        target.kernels[i] =
            p.simulated && kind == KernelKind::kMpi
                ? simulated_finding(kernels[i], at, target.is_unchecked, *p.simulated, p.communication.estimate)
                : kernel_finding(kernels[i], at, target.is_unchecked, p);
        target.kernels[i].id = i;
      }
    });
    std::erase_if(target.kernels, [](const KernelFinding& kernel) { return kernel.metric.empty(); });
    if (data_.paths_are_inclusive) lift_callers(target.kernels);
    add_shares(target);
    withdraw_weak_accusations(target.kernels);
    rank(target.kernels, target.is_unchecked);
  }

  // The parts of a finding that no prediction is in.
  KernelFinding measured_finding(const KernelModel& kernel, const std::vector<double>& at) const {
    const fit::KernelData& data = kernel.data();
    KernelFinding f;
    f.name = data.name;
    f.module = data.module;
    f.file = data.file;
    f.line = data.line;
    f.kind = data.kind;
    f.pooled = data.pooled;
    f.metric = data.metric;
    f.method = kernel.method();
    if (const auto& check = kernel.backtest(); check && check->measured_s > 0) {
      f.backtest_error = check->predicted_s / check->measured_s - 1;
    }
    f.measured = at_largest_scale(data.main_series(), at);
    if (data.kind != KernelKind::kCallPath) f.measured_slowest = at_largest_scale(data.critical_series(), at);
    f.resource_notes.assign(data.resource_notes.begin(), data.resource_notes.end());
    return f;
  }

  // An operation with the time, calls and bytes that its trace has. Its time holds its waits, and so does not show how
  // it scales. Messages that one rank makes for the others do.
  KernelFinding simulated_finding(const KernelModel& kernel, const std::vector<double>& at, bool is_unchecked,
                                  const predict::SimulatedCommunication& simulated,
                                  const Estimate& communication) const {
    KernelFinding f = measured_finding(kernel, at);
    const auto found = simulated.operations.find(f.name);
    const double value = found == simulated.operations.end() ? 0 : found->second.time_s;
    const double error = communication.value > 0 ? communication.high / communication.value - 1 : 0;
    f.estimate = fit::widened({value, value, value, communication.level}, error);
    f.formula_weight = 0;
    f.formula_note = "the value is simulated, and contains waiting for other ranks";
    if (found != simulated.operations.end() && found->second.counts) {
      const auto exact = [&](double count) { return Estimate{count, count, count, communication.level}; };
      f.metrics["calls"] = exact(found->second.counts->calls);
      f.metrics["bytes"] = exact(found->second.counts->bytes);
    } else {
      add_metrics(kernel, at, f);
    }
    if (const mpi::Routine* routine = mpi::find_routine(f.name);
        routine != nullptr && routine->group == mpi::Group::kCompletion && routine->can_wait()) {
      const CauseFinding cause = cause_of(model_, kernel, at, findings_.scaling, &simulated);
      f.cause = cause.cause;
      f.evidence = cause.evidence;
    }
    const double mean_s = kernel.time_value(at);
    if (is_rooted(kernel) && mean_s > 0) {
      judge(kernel, at, is_unchecked, f);
      if (f.slowest) f.slowest = fit::times(f.estimate, kernel.critical_value(at) / mean_s);
    }
    return f;
  }

  KernelFinding kernel_finding(const KernelModel& kernel, const std::vector<double>& at, bool is_unchecked,
                               const predict::Prediction& p) const {
    KernelFinding f = measured_finding(kernel, at);
    f.estimate = kernel.time_s(at);
    f.formula = kernel.formula();
    const fit::ValueOfFormula value_of_formula = kernel.value_of_formula();
    f.formula_weight = value_of_formula.trust();
    f.formula_note = value_of_formula.text();
    if (const auto of_formula = kernel.formula_value(at); of_formula && is_other_value(*of_formula, f.estimate.value)) {
      f.formula.clear();
      f.formula_note += std::string(f.formula_note.empty() ? "the formula" : "; it") +
                        " is not shown, since it comes to " + core::four_digits(*of_formula);
    }
    const bool is_least = kernel.is_least_cost(at);
    if (is_least || kernel.is_most_cost(at)) {
      f.formula.clear();
      f.formula_weight = 0;
      f.formula_note =
          is_least ? "the value is what its calls and bytes take at least, by the fastest calls that were measured"
                   : "the value is what its calls and bytes may take at most, by what was measured at the "
                     "largest scale";
    }
    f.cost = kernel.cost_explained(at);
    if (f.kind != KernelKind::kCallPath) add_metrics(kernel, at, f);
    judge(kernel, at, is_unchecked, f);
    const bool computes = f.kind == KernelKind::kFunction || f.kind == KernelKind::kSystem;
    if (f.kind == KernelKind::kMpi && p.operation_factor != 1) {
      multiply(
          f, p.operation_factor,
          "the value is " + core::fixed(p.operation_factor, 3) +
              " times what its calls and bytes cost, so that operations add up to the communication that is taken");
    } else if (computes && !p.function_note.empty()) {
      multiply(f, p.function_factor, p.function_note);
    }
    return f;
  }

  static void multiply(KernelFinding& f, double factor, const std::string& note) {
    f.estimate = fit::times(f.estimate, factor);
    if (is_other_value(1, factor)) f.formula.clear();
    if (f.slowest) f.slowest = fit::times(*f.slowest, factor);
    f.formula_weight = 0;
    f.formula_note = note;
  }

  // Empty where the series lacks the largest scale, as one of call paths may.
  std::optional<double> at_largest_scale(const fit::Series& series, const std::vector<double>& like) const {
    const std::vector<double> largest = largest_configuration(series, processes_, like);
    return largest[processes_] == scales_.back() ? measured_at(series, largest) : std::nullopt;
  }

  static void add_metrics(const KernelModel& kernel, const std::vector<double>& at, KernelFinding& f) {
    const auto add_metric = [&](const char* name) {
      if (const auto value = kernel.metric(name, at)) f.metrics[name] = *value;
    };
    for (const char* name : {"calls", "bytes", metric::kGpuLaunches, metric::kGpuBytes, metric::kGpuBandwidth})
      add_metric(name);
    for (const char* name : core::kCounterMetrics) add_metric(name);
    for (const char* name : core::kResourceMetrics) add_metric(name);
  }

  void judge(const KernelModel& kernel, const std::vector<double>& at, bool is_unchecked, KernelFinding& f) const {
    const fit::KernelData& data = kernel.data();
    const Estimate slowest = kernel.critical_s(at);
    if (slowest.value > 1.05 * f.estimate.value) {
      f.slowest = slowest;
      f.slowest_rank = rank_text(data.slowest_rank);
    }
    if (findings_.scaling == Scaling::kUnknown || data.hardly_sampled || !data.is_time) return;

    const std::set<double> own_scales = scales_of(data.critical_series(), processes_);
    const ScalingVerdict verdict = kernel_verdict(model_, kernel, at, findings_.scaling);
    f.chance = verdict.chance;
    f.exponent = verdict.exponent;
    // Two scales are one step, which nothing checks. Call paths may have fewer scales than the data as a whole.
    if (is_unchecked || lies_beyond_two_scales(own_scales.size(), *own_scales.rbegin(), at[processes_])) return;
    f.scales = verdict.scales;
    // A sum of small functions accuses none of them.
    if (data.pooled > 0 && f.scales == std::optional(false)) f.scales.reset();
    // OpenMP libraries let threads that wait for long sleep, which takes no CPU time, so that shorter waits show more
    // of it. With the CPU clock only waiting that does not fall is therefore judged not to scale.
    constexpr double kFalls = -0.2;
    const bool falls = data.kind == fit::KernelKind::kWaiting && verdict.exponent < kFalls;
    if (falls && data_.clock == core::Clock::kCpu && f.scales == std::optional(false)) f.scales.reset();
    if (f.scales != std::optional(false)) return;
    f.stops_at = verdict.stops_at;
    if (data.kind == KernelKind::kCallPath) return;
    const std::vector<double> farthest = farthest_target(at);
    const auto there = predictor_.at(farthest).simulated;
    const CauseFinding cause =
        cause_of(model_, kernel, farthest, findings_.scaling, there ? &*there : predictor_.measured({scales_.back()}));
    f.cause = cause.cause;
    f.evidence = cause.evidence;
    f.work_exponent = cause.work_exponent;
  }

  // That of the same problem with the most processes.
  std::vector<double> farthest_target(std::vector<double> at) const {
    for (const std::vector<double>& other : targets_) {
      if (same_problem(other, at, processes_) && other[processes_] > at[processes_]) at = other;
    }
    return at;
  }

  // Numbers the kernels of each metric by size.
  static void rank(std::vector<KernelFinding>& kernels, bool is_unchecked) {
    const auto measured = [](const KernelFinding& k) { return k.measured_slowest ? k.measured_slowest : k.measured; };
    std::vector<KernelFinding*> by_measured;
    for (KernelFinding& kernel : kernels) {
      if (measured(kernel)) by_measured.push_back(&kernel);
    }
    std::stable_sort(by_measured.begin(), by_measured.end(),
                     [&](const KernelFinding* a, const KernelFinding* b) { return *measured(*a) > *measured(*b); });
    std::map<std::string, int> next_measured, next;
    for (KernelFinding* kernel : by_measured) kernel->rank_measured = ++next_measured[kernel->metric];
    std::stable_sort(kernels.begin(), kernels.end(), [&](const KernelFinding& a, const KernelFinding& b) {
      // Parts of the run come before what devices do meanwhile.
      if (overlaps_run(a) != overlaps_run(b)) return overlaps_run(b);
      if (a.metric != b.metric) return a.metric < b.metric;
      if (is_unchecked && place_of(a) != place_of(b)) return place_of(a) < place_of(b);
      if (of_slowest(a).value != of_slowest(b).value) return of_slowest(a).value > of_slowest(b).value;
      return a.name < b.name;
    });
    if (is_unchecked) return;
    for (KernelFinding& kernel : kernels) kernel.rank = ++next[kernel.metric];
  }

  const predict::Predictor& predictor_;
  const ApplicationModel& model_;
  const fit::ApplicationData& data_;
  const FindingsOptions options_;
  const size_t processes_;
  const std::vector<double> scales_;  // measured numbers of processes, rising
  std::vector<double> base_;
  std::vector<std::vector<double>> targets_;
  Findings findings_;
};

}  // namespace

Findings application_findings(const predict::Predictor& predictor, const std::vector<predict::Target>& targets,
                              const FindingsOptions& options) {
  std::vector<std::vector<double>> values;
  for (const predict::Target& target : targets) values.push_back(target.values());
  return Builder(predictor, options).build(values);
}

Findings application_findings(const ApplicationModel& model, const std::vector<std::vector<double>>& targets,
                              const FindingsOptions& options) {
  const predict::Predictor predictor(model);
  return Builder(predictor, options).build(targets);
}

}  // namespace scalediag::report
