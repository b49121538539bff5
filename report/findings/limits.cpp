#include "report/findings/limits.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/profile/metric_names.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

// An efficiency above 1 by no more than this may be noise.
constexpr double kAboveIdeal = 0.05;

void explain_simulation(Findings& findings) {
  for (const TargetFindings& target : findings.targets) {
    if (!target.simulated || target.simulated->is_certain()) continue;
    findings.notes.push_back("not all events of the trace at " + text_of(target.at) +
                             " obey one equation: the error of what is simulated with the others is not known, "
                             "and not in the intervals; `scalediag phases` names them");
  }
  findings.communication = "simulation of the trace, " + findings.communication;
  findings.notes.push_back(
      "times of MPI operations are those of the simulation, with their waits, which say nothing of other scales; the "
      "backtest of the run has averaged costs of calls");
}

void explain_network(const fit::ApplicationModel& model, bool simulated, Findings& findings) {
  if (simulated) explain_simulation(findings);
  if (!findings.on_given_network) return;
  std::vector<std::string> unknown;
  const auto is_simulated = [&](const std::string& operation) {
    return std::all_of(findings.targets.begin(), findings.targets.end(), [&](const TargetFindings& target) {
      return target.simulated && target.simulated->operations.count(operation) > 0;
    });
  };
  for (const fit::KernelModel& kernel : model.kernels()) {
    const std::string& name = kernel.data().name;
    if (kernel.data().kind != fit::KernelKind::kMpi || kernel.on_given_network() || is_simulated(name)) continue;
    unknown.push_back(name);
  }
  if (!unknown.empty()) {
    findings.notes.push_back(
        "the network has no cost for " + core::join(unknown) + ": modelled as measured" +
        (simulated ? ", or, in the simulation, without the time that was measured in it" : std::string()));
  }
  if (simulated) return;
  findings.notes.push_back(
      "the cost of calls on the network is that of their mean size, collectives on communicators of the mean size, "
      "nonblocking calls as if nothing were computed meanwhile (`scalediag simulate` overlaps them); the backtest is "
      "that of the network the profile was measured on");
}

void explain_clock(const fit::ApplicationModel& model, bool simulated, Findings& findings) {
  if (model.data().clock != core::Clock::kCpu) return;
  if (simulated) {
    findings.notes.push_back(
        "CPU clock: waiting in MPI cannot be measured. Totals at measured scales are " +
        std::string(findings.measured_totals.empty() || !findings.measured_totals.front().simulated
                        ? "made of what the calls cost at their shortest"
                        : "those of their traces, simulated, and that of the backtest of what the calls cost at their "
                          "shortest") +
        ": `scalediag show` prints others");
    return;
  }
  const std::string network =
      findings.on_given_network ? "what the network takes for the calls" : "what the calls cost at their shortest";
  const std::string likewise = findings.on_given_network
                                   ? "made of what the calls cost at their shortest on the network they ran on"
                                   : "made likewise";
  findings.notes.push_back(
      "CPU clock: waiting in MPI cannot be measured. Predictions take BF_comm as 1: communication is " + network +
      " and does not contain waiting, except for imbalance of computation (waiting). Totals at "
      "measured scales, which the backtest is held against, are " +
      likewise + ": `scalediag show` prints others");
}

void explain_counters(const fit::ApplicationModel& model, Findings& findings) {
  if (model.data().counters == "clock") {
    findings.notes.push_back(
        "no counters: kernels are modelled by their time only, and work is told from memory stalls by nothing but "
        "that; `scalediag profile --counters` counts instructions");
  }
}

}  // namespace

void add_limits(const predict::Predictor& predictor, Findings& findings) {
  const fit::ApplicationModel& model = predictor.model();
  const bool simulated = std::any_of(findings.targets.begin(), findings.targets.end(),
                                     [](const TargetFindings& target) { return target.simulated.has_value(); });
  explain_network(model, simulated, findings);
  if (!predictor.why_not_simulated().empty())
    findings.notes.push_back("not all measured scales are simulated: " + predictor.why_not_simulated());
  if (!findings.region.empty()) return;  // how a region's times come about is said by its profile
  explain_clock(model, simulated, findings);
  explain_counters(model, findings);
}

std::optional<FurtherRun> further_run(const fit::ApplicationModel& model, const Findings& findings) {
  const fit::Model* total = model.total_model(metric::kComputation);
  const auto next = total == nullptr ? std::nullopt : total->next_run();
  const bool all_replayed = std::ranges::all_of(findings.targets, [](const auto& t) { return t.replayed.has_value(); });
  if (!next || all_replayed) return std::nullopt;
  FurtherRun run{point_of(total->parameter_names(), next->at), next->reason};
  const std::vector<double> scales = model.data().scales();
  if (!(next->at[model.data().processes] > scales.back())) return run;
  const TargetFindings& target = main_target(findings);
  predict::ImprovementInput known;
  for (const double scale : scales) known.scales.push_back(static_cast<int>(scale));
  const auto after = predict::next_scale(with_parts_of(target, known));
  if (after) {
    std::vector<double> at = next->at;
    at[model.data().processes] = after->ranks;
    run.at = point_of(total->parameter_names(), at);
  }
  run.reason = !after || after->ranks == 2 * known.scales.back() ? "a run at twice the largest " + findings.processes
                                                                 : "a run at the next number of processes of this kind";
  if (!after || !(target.run_s->low > 0) || fit::is_no_value(*target.run_s)) return run;
  const double before = target.run_s->high / target.run_s->low;
  if (after->width < before) {
    run.reason += " narrows the interval at " + text_of(target.at) + " from a factor of " + core::fixed(before, 2) +
                  " to about " + core::fixed(after->width, 2);
  }
  return run;
}

void add_superlinearity(std::span<const MeasuredScale> scales, Findings& findings) {
  if (findings.scaling == Scaling::kUnknown || scales.empty() || !(scales.front().value > 0)) return;
  const MeasuredScale& base = scales.front();
  const MeasuredScale* best = nullptr;
  double most = 0;
  for (const MeasuredScale& scale : scales) {
    if (!(scale.value > 0)) continue;
    const double ideal = findings.scaling == Scaling::kWeak ? 1 : scale.processes / base.processes;
    const double efficiency = base.value / scale.value / ideal;
    const double noise = 2 * std::max(scale.relative_error, base.relative_error);
    if (efficiency <= std::max(most, 1 + std::max(kAboveIdeal, noise))) continue;
    most = efficiency;
    best = &scale;
  }
  if (best == nullptr) return;
  const auto at = [&](const MeasuredScale& scale) { return findings.processes + "=" + core::to_text(scale.processes); };
  const bool is_weak = findings.scaling == Scaling::kWeak;
  if (is_weak) findings.above_ideal = most;
  findings.notes.push_back("efficiency is above 100%, " + core::percent(most) + " at " + at(*best) + " over " +
                           at(base) + ": likely " +
                           (is_weak ? "" : "a rank's data fit into a cache from some scale on, or ") + "the base at " +
                           at(base) + " was slowed by other programs or ran out of memory; " +
                           (is_weak ? "" : "the gain ends where all data fit, and ") + "a larger base judges the rest");
}

}  // namespace scalediag::report
