#include "report/findings/findings.h"

#include <algorithm>
#include <limits>

#include "core/profile/metric_names.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "fit/data/measurement_set.h"

namespace scalediag::report {

int place_of(const KernelFinding& kernel) {
  return kernel.rank.value_or(kernel.rank_measured.value_or(std::numeric_limits<int>::max()));
}

std::string place_text(const KernelFinding& kernel) { return kernel.rank ? std::to_string(*kernel.rank) : "?"; }

std::string cause_text(const KernelFinding& kernel) {
  const std::string name = name_of(kernel.cause);
  if (kernel.work_exponent) return name + " as P^" + core::fixed(*kernel.work_exponent, 2);
  if (kernel.slowest_rank.empty()) return name;
  if (kernel.cause == Cause::kSerial) return name + ", " + kernel.slowest_rank + " alone";
  if (kernel.cause == Cause::kRooted) return kernel.slowest_rank + " alone";
  return name;
}

const char* total_is(const Findings& findings) { return findings.totals_modelled ? "modelled" : "measured"; }

const char* origin_of_totals(const Findings& findings) {
  return findings.totals_modelled ? "modelled from runs" : "measured";
}

bool tells_communication(const Findings& findings) { return findings.region.empty() || findings.clock != "cpu"; }

std::string sentence_of(const FurtherRun& run) { return text_of(run.at) + ": " + run.reason; }

namespace {

double processes_of(const Findings& findings, const TargetFindings& target) {
  for (const auto& [name, value] : target.at) {
    if (name == findings.processes) return value;
  }
  return process_count(target.at);
}

// The target is no measured scale, and none between them, and only models tell what its ranks compute.
bool lies_beyond(const TargetFindings& target) { return target.beyond.value_or(0) > 1.001 && !target.replayed; }

}  // namespace

const TargetFindings& main_target(const Findings& findings) {
  const TargetFindings* main = &findings.targets.front();
  for (const TargetFindings& target : findings.targets) {
    if (processes_of(findings, target) >= processes_of(findings, *main)) main = &target;
  }
  return *main;
}

const KernelFinding* exported_run(const TargetFindings& target) {
  for (const KernelFinding& kernel : target.kernels) {
    if (kernel.name == fit::kWholeProgram && kernel.metric == metric::kRun) return &kernel;
  }
  return nullptr;
}

const KernelFinding* answered_series(const TargetFindings& target) {
  if (const KernelFinding* run = exported_run(target)) return run;
  if (target.kernels.empty()) return nullptr;
  const auto time = std::find_if(target.kernels.begin(), target.kernels.end(),
                                 [](const KernelFinding& kernel) { return fit::is_time_metric(kernel.metric); });
  return time == target.kernels.end() ? &target.kernels.front() : &*time;
}

std::vector<std::string> metrics_of(const TargetFindings& target) {
  std::vector<std::string> metrics;
  for (const KernelFinding& k : target.kernels) {
    if (metrics.empty() || metrics.back() != k.metric) metrics.push_back(k.metric);
  }
  return metrics;
}

const char* name_of_predicted(const Findings& findings) { return findings.region.empty() ? "run" : "region"; }

predict::ImprovementInput with_parts_of(const TargetFindings& target, predict::ImprovementInput known) {
  known.target = static_cast<int>(process_count(target.at));
  known.computation = *target.computation_s;
  known.is_replayed = target.replayed.has_value();
  for (const auto* part :
       {&target.communication_s, &target.waiting_s, &target.unattributed_s, &target.openmp_waiting_s, &target.gpu_s}) {
    if (*part) known.others.push_back(**part);
  }
  return known;
}

namespace {

// The values that a finding was modelled from; null: `finding` is null, or not of `data`.
const fit::Series* series_of(const KernelFinding* finding, const fit::ApplicationData& data) {
  const auto is_its = [finding](const fit::KernelData& kernel) {
    return kernel.name == finding->name && kernel.module == finding->module && kernel.metric == finding->metric;
  };
  if (finding == nullptr) return nullptr;
  const auto kernel = std::find_if(data.kernels.begin(), data.kernels.end(), is_its);
  return kernel == data.kernels.end() ? nullptr : &kernel->main_series();
}

}  // namespace

const TargetFindings* farthest_beyond(const Findings& findings) {
  const TargetFindings* farthest = nullptr;
  for (const TargetFindings& t : findings.targets) {
    if (lies_beyond(t) && (farthest == nullptr || *t.beyond >= *farthest->beyond)) farthest = &t;
  }
  return farthest;
}

const TargetFindings* answered_target(const Findings& findings) {
  const TargetFindings* told = nullptr;
  for (const TargetFindings& t : findings.targets) {
    if (t.trust.tells_nothing()) continue;
    if (told == nullptr || processes_of(findings, t) >= processes_of(findings, *told)) told = &t;
  }
  return told;
}

Trust trust_of(const Findings& findings, const TargetFindings* target, const fit::ApplicationData& data,
               const core::Profile* profile, const core::Experiment* experiment) {
  TrustEvidence evidence{data, profile, experiment};
  const BacktestFindings& backtest = findings.backtest;
  if (backtest.possible) {
    evidence.missed_run = backtest.error.has_value();
    evidence.missed = backtest.error.value_or(backtest.kernels > 0 ? backtest.median_kernel_error : 0);
    evidence.backtest_at = {{backtest.parameter, backtest.scale}};
  } else if (backtest.all_values_zero) {
    evidence.missed = 0;
  }
  evidence.above_ideal = findings.above_ideal;
  evidence.base = findings.base;
  if (!findings.targets.empty()) evidence.series = series_of(answered_series(main_target(findings)), data);
  if (target == nullptr || !lies_beyond(*target)) return trust_by(evidence);
  evidence.is_beyond = true;
  evidence.answer = target->run_s;
  if (const KernelFinding* series = answered_series(*target); series != nullptr && !evidence.answer) {
    evidence.answer = series->estimate;
  }
  for (const predict::SourceLine& line : target->sources) {
    if (line.component != predict::Component::kComputation || !line.estimate || target->points) continue;
    evidence.computations.push_back(*line.estimate);
  }
  evidence.waiting_is_told =
      std::any_of(target->sources.begin(), target->sources.end(), [](const predict::SourceLine& line) {
        return line.component == predict::Component::kWaiting && line.taken && line.source != predict::Source::kCosts;
      });
  return trust_by(evidence);
}

void take_scaling(const ScalingKind& kind, Findings& findings) {
  findings.scaling = kind.scaling;
  findings.scaling_source = kind.source;
  findings.scaling_reason = kind.reason;
  findings.scaling_contradiction = kind.contradiction;
  findings.scaling_is_open = kind.open;
  if (!kind.contradiction.empty()) {
    findings.notes.push_back(std::string("scaling is taken as ") + name_of(kind.scaling) + " (" + kind.reason +
                             "), but " + kind.contradiction +
                             "; efficiencies and verdicts hold only if it is: --scaling says which");
  }
}

}  // namespace scalediag::report
