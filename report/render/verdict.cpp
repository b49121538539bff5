#include "report/render/verdict.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/profile/metric_names.h"
#include "core/text/function_name.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "core/text/value_list.h"
#include "fit/data/measurement_set.h"
#include "report/render/source_text.h"

namespace scalediag::report {
namespace {

constexpr size_t kKernelWidth = 60;  // of its name, in columns
// The share of the run from which the verdict mentions time outside the kernels.
constexpr double kMuchOutside = 0.1;
// Beyond so many times the measured scales, their trend says little about the target.
constexpr double kFarBeyond = 16;

double weight_of(const KernelFinding& kernel) { return of_slowest(kernel).value; }

std::string name_text(const KernelFinding& kernel) {
  return core::shorten_function(core::without_anonymous_namespaces(core::printable(kernel.name)), kKernelWidth);
}

double scale_of(const TargetFindings& target, const Findings& findings) {
  for (const auto& [name, value] : target.at) {
    if (name == findings.processes) return value;
  }
  return process_count(target.at);
}

double largest_measured(const Findings& findings) {
  double largest = 0;
  for (const Point& point : findings.measured) {
    for (const auto& [name, value] : point) {
      if (name == findings.processes) largest = std::max(largest, value);
    }
  }
  return largest;
}

std::string distance_text(const TargetFindings& target) {
  if (!target.beyond || *target.beyond <= 1) return "";
  return ", " + core::times_text(*target.beyond) + " the largest measured scale" +
         (*target.beyond > kFarBeyond ? " and so no more than an extrapolation (more than " +
                                            core::to_text(kFarBeyond) + " times beyond the data)"
                                      : "") +
         ",";
}

// "strong scaling (measured: computation of all ranks goes as P^0.03)"
std::string kind_text(const Findings& findings) {
  std::string text = std::string(name_of(findings.scaling)) + " scaling (" + findings.scaling_reason;
  if (!findings.scaling_contradiction.empty()) text += "; but " + findings.scaling_contradiction;
  return text + ")";
}

// The efficiency if the kind of scaling were the other one, which it may be.
std::string other_reading(const Findings& findings, const TargetFindings& target) {
  const bool weak = findings.scaling == Scaling::kWeak;
  const std::optional<double>& other = weak ? target.efficiency_strong : target.efficiency_weak;
  if (!findings.scaling_is_open || !other) return "";
  return ", of " + core::percent(*other) +
         (weak ? " if the problem is the same at every scale (strong)"
               : " if the problem grows with the processes (weak)");
}

// "45.7% (90% interval 40.1% - 52.0%)"
std::string efficiency_text(const TargetFindings& target) {
  std::string text = core::percent(*target.efficiency);
  if (!target.efficiency_interval) return text;
  const Estimate& e = *target.efficiency_interval;
  return text + " (" + core::fixed(100 * e.level, 0) + "% interval " + core::percent(e.low) + " - " +
         core::percent(e.high) + ")";
}

// The whole run where data that were exported from a profile have it as one of their series.
const KernelFinding* exported_run(const TargetFindings& target) {
  for (const KernelFinding& kernel : target.kernels) {
    if (kernel.name == fit::kWholeProgram && kernel.metric == metric::kRun) return &kernel;
  }
  return nullptr;
}

std::string cost_sentence(const Findings& findings, const TargetFindings& target) {
  std::string text = "At " + text_of(target.at) + distance_text(target);
  if (!target.run_s) {
    if (target.kernels.empty()) return text + " nothing could be predicted.";
    if (const KernelFinding* run = exported_run(target)) {
      const core::TimeFormat time(run->estimate.value);
      return text + " the run between MPI_Init and MPI_Finalize is predicted to take " + time(run->estimate.value) +
             " " + time.unit() + " (" + core::fixed(100 * run->estimate.level, 0) + "% interval " +
             time(run->estimate.low) + " - " + time(run->estimate.high) + ")" +
             (findings.scaling == Scaling::kUnknown ? "" : ", in " + kind_text(findings)) + ".";
    }
    // Of several metrics a time is preferred.
    const auto time = std::find_if(target.kernels.begin(), target.kernels.end(),
                                   [](const KernelFinding& k) { return fit::is_time_metric(k.metric); });
    const KernelFinding& first = time == target.kernels.end() ? target.kernels.front() : *time;
    text += " " + std::to_string(target.kernels.size()) +
            (target.kernels.size() == 1 ? " series of call paths is predicted" : " series of call paths are predicted");
    // From two scales nothing is the largest.
    if (!target.is_unchecked) {
      text += "; the largest of " + core::printable(first.metric) + " is " + name_text(first) + " with " +
              core::four_digits(first.estimate.value);
    }
    return text + (findings.scaling == Scaling::kUnknown ? "" : ", in " + kind_text(findings)) + ".";
  }
  const core::TimeFormat time(target.run_s->value);
  text += (findings.region.empty() ? " the run between MPI_Init and MPI_Finalize" : " the region " + findings.region) +
          " is predicted to take " + time(target.run_s->value) + " " + time.unit() + clock_text(findings) + " (" +
          core::fixed(100 * target.run_s->level, 0) + "% interval " + time(target.run_s->low) + " - " +
          time(target.run_s->high) + ")" + left_out_text(findings);
  if (const std::string apart = disagreement_text(target); !apart.empty()) text += ", though " + apart;
  if (target.speedup && !findings.base.empty()) {
    const std::string base = text_of(findings.base);
    if (findings.scaling == Scaling::kWeak) {
      text += ": an efficiency of " + efficiency_text(target) + " from " + base + " in " + kind_text(findings);
    } else {
      text += ": " + core::fixed(*target.speedup, 2) + " times as fast as " + base;
      if (target.efficiency) text += ", an efficiency of " + efficiency_text(target) + " in " + kind_text(findings);
    }
    text += other_reading(findings, target);
  }
  return text + ".";
}

std::string culprit(const KernelFinding& kernel, const Findings& findings, double run_s) {
  const bool application = run_s > 0;
  std::string text = name_text(kernel) + " (";
  // The slowest rank counts: work of one rank for which the others wait is little in the mean, but all of that time is
  // the run's.
  if (application) {
    text += core::percent(kernel.share) + " of the time" + (kernel.slowest ? " on the slowest rank, " : ", ");
  }
  text += "from " + findings.processes + "=" + core::to_text(std::round(kernel.stops_at.value_or(0)));
  return text + (kernel.cause == Cause::kNone ? ", cause not known" : ", " + cause_text(kernel)) + ")";
}

// The kernel that takes longer than the named ones, and of which the data do not decide whether it scales.
std::string undecided_text(const TargetFindings& target, double named_s) {
  const KernelFinding* largest = nullptr;
  size_t n = 0;
  for (const KernelFinding& kernel : target.kernels) {
    if (!kernel.matters || kernel.scales || !kernel.exponent || weight_of(kernel) <= named_s) continue;
    if (largest == nullptr) largest = &kernel;
    ++n;
  }
  if (largest == nullptr) return "";
  return "; of " + name_text(*largest) + (target.run_s ? " (" + core::percent(largest->share) + " of the time)" : "") +
         (n > 1 ? " and " + std::to_string(n - 1) + " more that take" : ", which takes") +
         " longer, the data do not decide whether it scales";
}

std::string pooled_text(const TargetFindings& target, double named_s) {
  for (const KernelFinding& kernel : target.kernels) {
    if (kernel.pooled == 0 || kernel.exponent || weight_of(kernel) <= named_s || kernel.share < kMuchOutside) continue;
    return "; " + core::percent(kernel.share) + " of the time" + (kernel.slowest ? " on the slowest rank" : "") +
           " is of functions with too few samples to judge them (profile --rate)";
  }
  return "";
}

std::string waiting_text(const TargetFindings& target) {
  if (!target.run_s || !target.waiting_s || !(target.waiting_s->value > kMuchOutside * target.run_s->value)) return "";
  const bool is_imbalance = target.waiting_causes.empty() || target.waiting_causes.front().cause == "imbalance";
  return "; waiting " +
         (is_imbalance ? "for the slowest rank" : "(first cause: " + target.waiting_causes.front().cause + ")") +
         " is " + core::percent(target.waiting_s->value / target.run_s->value) + " of the run in the mean";
}

// In lower case, with a full stop.
std::string limit_clause(const Findings& findings, const TargetFindings& target, bool with_sweet_spot) {
  const std::vector<const KernelFinding*> stopping = stopping_kernels(target);
  size_t undecided = 0;
  for (const KernelFinding& kernel : target.kernels) {
    if (kernel.matters && !kernel.scales && kernel.exponent) ++undecided;
  }
  const double run_s = target.run_s ? target.run_s->value : 0;
  std::string text;
  if (findings.scaling == Scaling::kUnknown) {
    text = "whether the problem grows with the processes is not known, so that no kernel is judged";
  } else if (target.is_unchecked) {
    text = "two process counts cannot confirm a trend: beyond twice the larger one no kernel is ranked or judged";
  } else if (stopping.empty()) {
    text = "no kernel of at least 1% stops scaling for certain";
    if (undecided > 0) {
      text += ", and of " + std::to_string(undecided) + " the data do not decide it";
    }
  } else {
    text = "the largest part that does not scale is " + culprit(*stopping[0], findings, run_s);
    if (stopping.size() > 1) text += ", then " + culprit(*stopping[1], findings, run_s);
    if (stopping.size() > 2) text += ", and " + std::to_string(stopping.size() - 2) + " more";
    text += undecided_text(target, weight_of(*stopping[0]));
  }
  text += pooled_text(target, stopping.empty() ? 0 : weight_of(*stopping[0])) + waiting_text(target);
  if (findings.curve && with_sweet_spot) {
    text += "; efficiency stays at or above " + core::fixed(100 * findings.curve->sweet_spot.bound, 0) + "% up to " +
            sweet_spot_text(findings.curve->sweet_spot, findings.processes);
  }
  const std::string start_and_end = with_sweet_spot ? start_and_end_text(target) : "";
  for (const std::string& part : {unattributed_text(target), start_and_end}) {
    if (!part.empty()) text += "; " + part;
  }
  return text + ".";
}

std::string trust_sentence(const Findings& findings) {
  const BacktestFindings& b = findings.backtest;
  if (b.all_values_zero) return "All measured values are 0, so that there is nothing to check a prediction against.";
  if (!b.possible) {
    return "There are too few scales to check a prediction against one of them: measure at least one more before "
           "relying on this.";
  }
  std::string text = "Predicted in the same way from " + core::short_list_of(b.from) + ", " + b.parameter + "=" +
                     core::to_text(b.scale);
  if (b.error) {
    text += " came out " + core::percent(std::abs(*b.error)) + (*b.error < 0 ? " too low" : " too high") +
            (findings.totals_modelled ? " against what is modelled from its runs (" : " (") +
            (b.inside ? "inside" : "outside") + " its interval)";
    if (b.kernels > 0) text += findings.totals_modelled ? " and single functions" : " and single kernels";
  } else {
    text += b.kernels > 0 ? " came out" : " has no measured time to be held against";
  }
  if (b.kernels > 0) text += " wrong by " + core::percent(b.median_kernel_error) + " in the median";
  const double largest = largest_measured(findings);
  const double reach = largest > 0 ? scale_of(main_target(findings), findings) / largest : 1;
  const double checked = b.from.empty() || !(b.from.back() > 0) ? 1 : b.scale / b.from.back();
  if (reach > 1.01 * checked) {
    text += "; that checks a step of " + core::times_text(checked) + " the processes, not one of " +
            core::times_text(reach);
  }
  return text + ".";
}

}  // namespace

const TargetFindings& main_target(const Findings& findings) {
  const TargetFindings* main = &findings.targets.front();
  for (const TargetFindings& target : findings.targets) {
    if (scale_of(target, findings) >= scale_of(*main, findings)) main = &target;
  }
  return *main;
}

std::vector<const KernelFinding*> stopping_kernels(const TargetFindings& target) {
  std::vector<const KernelFinding*> stopping;
  for (const KernelFinding& kernel : target.kernels) {
    if (kernel.scales == std::optional(false) && kernel.matters) stopping.push_back(&kernel);
  }
  std::stable_sort(stopping.begin(), stopping.end(),
                   [](const KernelFinding* a, const KernelFinding* b) { return weight_of(*a) > weight_of(*b); });
  return stopping;
}

std::string unattributed_text(const TargetFindings& target) {
  if (!target.run_s || !target.unattributed_s || !(target.run_s->value > 0)) return "";
  const double share = target.unattributed_s->value / target.run_s->value;
  return share < kMuchOutside ? ""
                              : core::percent(share) + " of the run are in no function: no sample accounts for them";
}

std::string start_and_end_text(const TargetFindings& target) {
  if (!target.run_s || !target.others_s || target.others_s->value < kMuchOutside * target.run_s->value) return "";
  const core::TimeFormat time(target.others_s->value);
  return "starting and ending take " + time(target.others_s->value) + " " + time.unit() + " more";
}

std::string left_out_text(const Findings& findings) {
  if (!findings.left_out) return "";
  const LeftOut& out = *findings.left_out;
  const core::TimeFormat time(std::max({out.run_s, out.asleep_s, out.children_s}));
  std::string text;
  if (out.asleep_s > 0) text += ", not counting that ranks sleep or wait outside MPI (" + time(out.asleep_s);
  if (out.children_s > 0) {
    text += (text.empty() ? ", not counting" : " " + std::string(time.unit()) + ") and") +
            std::string(" processes that ranks start (") + time(out.children_s);
  }
  return text + " " + time.unit() + " beside " + time(out.run_s) + " " + time.unit() + " at " + text_of(out.at) + ")";
}

std::string kernels_by_text(const TargetFindings& target) {
  return target.is_unchecked ? ": kernels, neither ranked nor judged, by measured " : ": kernels by predicted ";
}

std::string run_line(const Findings& findings) {
  const std::string times = findings.clock == "cpu" ? "CPU time per rank" : "elapsed, mean over ranks";
  if (!findings.region.empty()) {
    return "The times are those of the region " + findings.region + " (" + times +
           (tells_communication(findings) ? "" : ", with what ranks burn in MPI while they wait") +
           "); speed-up and efficiency are of it, relative to " + text_of(findings.base) + ".";
  }
  return std::string("The run lies between the end of MPI_Init and the start of MPI_Finalize (") +
         (findings.clock == "cpu" ? "CPU time per rank" : "mean over ranks") +
         "); speed-up and efficiency are of it, relative to " + text_of(findings.base) + ".";
}

std::string start_and_end_line(const Findings& findings) {
  if (!findings.region.empty()) return "";
  const std::string times = core::join(findings.targets, ", ", [](const TargetFindings& target) {
    const core::TimeFormat time(target.others_s->value);
    return time(target.others_s->value) + " " + time.unit() + " at " + text_of(target.at);
  });
  return "Start and end, no part of it: " + times + ".";
}

bool has_unattributed(const Findings& findings) {
  constexpr double kVisible = 0.001;
  return std::any_of(findings.targets.begin(), findings.targets.end(), [](const TargetFindings& target) {
    return target.unattributed_s->value > kVisible * target.run_s->value;
  });
}

const char* clock_text(const Findings& findings) { return findings.clock == "cpu" ? " of CPU time per rank" : ""; }

std::string sweet_spot_text(const SweetSpot& spot, const std::string& parameter) {
  const auto place = [&](const std::optional<double>& processes) {
    return processes ? core::to_text(*processes) : "more than " + core::to_text(spot.examined);
  };
  std::string text = parameter + "=" + core::to_text(spot.processes.value_or(spot.examined));
  if (!spot.processes) text += ", the largest that was looked at";
  if (spot.measured) return text + " (measured)";
  if (spot.at_least == spot.at_most) return text;
  return text + " (interval: " + place(spot.at_least) + " to " + place(spot.at_most) + ")";
}

std::string what_limits(const Findings& findings) {
  return core::printable(limit_clause(findings, main_target(findings), false));
}

std::string how_certain(const Findings& findings) { return core::printable(trust_sentence(findings)); }

std::vector<std::string> verdict_of(const Findings& findings) {
  if (findings.targets.empty()) return {};
  const TargetFindings& target = main_target(findings);
  std::string limit = limit_clause(findings, target, true);
  limit.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(limit.front())));
  return {core::printable(cost_sentence(findings, target)), core::printable(limit), how_certain(findings)};
}

}  // namespace scalediag::report
