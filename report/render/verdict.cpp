#include "report/render/verdict.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "core/text/bounded.h"
#include "core/text/function_name.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "core/text/value_list.h"
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

// " The target is 64 times the largest measured scale: no more than an extrapolation."
std::string distance_text(const TargetFindings& target) {
  if (!target.beyond || *target.beyond <= 1) return "";
  return " The target is " + core::times_text(*target.beyond) + " the largest measured scale" +
         (*target.beyond > kFarBeyond ? ": no more than an extrapolation." : ".");
}

// " Scaling is strong, measured: computation of all ranks goes as P^0.03."
std::string kind_text(const Findings& findings) {
  if (findings.scaling == Scaling::kUnknown) return "";
  std::string text = std::string(" Scaling is ") + name_of(findings.scaling) + ", " + findings.scaling_reason + ".";
  if (!findings.scaling_contradiction.empty()) text += " But " + findings.scaling_contradiction + ".";
  return text;
}

std::string percent_and_interval(double value, const std::optional<Estimate>& e) {
  return e ? core::bounded_text(100 * value, 100 * e->low, 100 * e->high, "%")
           : core::bounded_text(100 * value, 100 * value, 100 * value, "%");
}

// "what the run takes at np=64", to follow what cannot be told.
std::string question_of(const Findings& findings, const TargetFindings& target) {
  return std::string("what the ") + name_of_predicted(findings) + " takes at " + text_of(target.at);
}

// The sentence as the trust in the target allows it.
std::string told(const Findings& findings, const TargetFindings& target, const std::string& sentence) {
  return weakened(target.trust, sentence, question_of(findings, target));
}

// core::spread_text() of the ends as they are printed.
std::string spread_of(const Estimate& e) {
  const std::string spread = core::spread_text(e.low, e.high);
  return spread.empty() || !(e.low > 0) ? spread : core::spread_text(1, printed_factor(e));
}

std::string answer_of(const std::string& beginning, const Estimate& e, const std::string& clock) {
  const core::TimeFormat time(e.value);
  const double units = core::units_a_second(time);
  const std::string spread = spread_of(e);
  return beginning + " takes " +
         core::bounded_text(units * e.value, units * e.low, units * e.high, time.unit() + clock) +
         (spread.empty() ? "." : ": " + spread + ".");
}

std::string speedup_text(const Findings& findings, const TargetFindings& target) {
  if (!target.speedup || findings.base.empty()) return "";
  const std::string base = text_of(findings.base);
  std::string text;
  if (findings.scaling != Scaling::kWeak) {
    const Estimate speedup = speedup_of(target).value();
    text = std::string(" The ") + name_of_predicted(findings) + " is " +
           (fit::is_no_value(speedup) ? core::bounded_text(speedup.value, speedup.low, speedup.high, "")
                                      : core::bounded(speedup.value, speedup.low, speedup.high).value) +
           " times as fast as " + base + ".";
  }
  if (!target.efficiency) return text;
  text += " Efficiency is " + percent_and_interval(*target.efficiency, target.efficiency_interval) +
          (findings.scaling == Scaling::kWeak ? ", relative to " + base + "." : ".");
  // It may be of the other kind.
  const bool weak = findings.scaling == Scaling::kWeak;
  const std::optional<double>& other = weak ? target.efficiency_strong : target.efficiency_weak;
  if (!findings.scaling_is_open || !other) return text;
  return text + (weak ? " If the problem stays the same" : " If the problem grows with the processes") + ", it is " +
         percent_and_interval(*other, std::nullopt) + ".";
}

std::string cost_text(const Findings& findings, const TargetFindings& target) {
  const std::string at = "At " + text_of(target.at);
  if (!target.run_s) {
    if (target.kernels.empty()) return at + " nothing could be predicted.";
    if (const KernelFinding* run = exported_run(target)) {
      return told(findings, target, answer_of(at + " the run", run->estimate, "")) + distance_text(target) +
             kind_text(findings);
    }
    const KernelFinding& first = *answered_series(target);
    std::string text = at + " " + std::to_string(target.kernels.size()) +
                       (target.kernels.size() == 1 ? " series of call paths is" : " series of call paths are") +
                       " predicted";
    // From two scales nothing is the largest.
    if (!target.is_unchecked) {
      text += "; the largest of " + core::printable(first.metric) + " is " + name_text(first) + " with " +
              core::four_digits(first.estimate.value);
    }
    return told(findings, target, text + ".") + distance_text(target) + kind_text(findings);
  }
  std::string text = answer_sentence(findings, target, true) + distance_text(target) + left_out_text(findings);
  if (target.trust.tells_nothing()) return text + kind_text(findings);
  if (const std::string apart = disagreement_text(target); !apart.empty()) text += " " + capitalised(apart) + ".";
  return text + speedup_text(findings, target) + kind_text(findings);
}

// "solve: 12.3% of the time, from np=64, memory stalls."
std::string culprit(const KernelFinding& kernel, const Findings& findings, double run_s) {
  std::string text = name_text(kernel) + ": ";
  // The slowest rank counts: work of one rank for which the others wait is little in the mean, but all of that time is
  // the run's.
  if (run_s > 0) {
    text += core::percent(kernel.share) + " of the time" + (kernel.slowest ? " on the slowest rank, " : ", ");
  }
  text += "from " + findings.processes + "=" + core::to_text(std::round(kernel.stops_at.value_or(0)));
  return text + ", " + (kernel.cause == Cause::kNone ? "cause not known" : cause_text(kernel)) + ".";
}

// The kernel that takes longer than the named ones, and of which the data do not decide whether it scales.
std::string undecided_text(const TargetFindings& target, double named_s) {
  const KernelFinding* largest = nullptr;
  size_t n = 0;
  for (const KernelFinding& kernel : target.kernels) {
    if (overlaps_run(kernel) || !kernel.matters || kernel.scales || !kernel.exponent) continue;
    if (weight_of(kernel) <= named_s) continue;
    if (largest == nullptr) largest = &kernel;
    ++n;
  }
  if (largest == nullptr) return "";
  return " " + name_text(*largest) + " takes longer" +
         (target.run_s ? " (" + core::percent(largest->share) + " of the time)" : "") +
         ": the data do not decide whether it scales." +
         (n > 1 ? " The same holds for " + std::to_string(n - 1) + " more." : "");
}

std::string pooled_text(const TargetFindings& target, double named_s) {
  for (const KernelFinding& kernel : target.kernels) {
    if (kernel.pooled == 0 || kernel.exponent || weight_of(kernel) <= named_s || kernel.share < kMuchOutside) continue;
    return " Functions with too few samples to judge them take " + core::percent(kernel.share) + " of the time" +
           (kernel.slowest ? " on the slowest rank" : "") + ": profile --rate.";
  }
  return "";
}

std::string waiting_text(const TargetFindings& target) {
  if (!target.run_s || !target.waiting_s || !(target.waiting_s->value > kMuchOutside * target.run_s->value)) return "";
  const bool is_imbalance = target.waiting_causes.empty() || target.waiting_causes.front().cause == "imbalance";
  return std::string(" Waiting") +
         (is_imbalance ? " for the slowest rank" : " (first cause: " + target.waiting_causes.front().cause + ")") +
         " is " + core::percent(target.waiting_s->value / target.run_s->value) + " of the run in the mean.";
}

// In lower case, with a full stop after each sentence.
std::string limit_text(const Findings& findings, const TargetFindings& target, bool with_sweet_spot) {
  const std::vector<const KernelFinding*> stopping = stopping_kernels(target);
  size_t undecided = 0;
  for (const KernelFinding& kernel : target.kernels) {
    if (!overlaps_run(kernel) && kernel.matters && !kernel.scales && kernel.exponent) ++undecided;
  }
  const double run_s = target.run_s ? target.run_s->value : 0;
  std::string text;
  if (target.trust.tells_nothing()) return "what limits scaling cannot be told.";
  if (findings.scaling == Scaling::kUnknown) {
    text = "whether the problem grows with the processes is not known, so that no kernel is judged.";
  } else if (target.is_unchecked) {
    text = "two process counts cannot confirm a trend: beyond twice the larger one no kernel is ranked or judged.";
  } else if (stopping.empty()) {
    text = "no kernel of at least 2% stops scaling for certain.";
    if (undecided > 0) text += " The data do not decide it for " + core::counted(undecided, "kernel") + ".";
  } else {
    text = "the largest part that does not scale is " + culprit(*stopping[0], findings, run_s);
    if (stopping.size() > 1) text += " Next is " + culprit(*stopping[1], findings, run_s);
    if (stopping.size() == 3) text += " One more does not scale.";
    if (stopping.size() > 3) text += " " + std::to_string(stopping.size() - 2) + " more do not scale.";
    text += undecided_text(target, weight_of(*stopping[0]));
  }
  text += pooled_text(target, stopping.empty() ? 0 : weight_of(*stopping[0])) + waiting_text(target);
  if (findings.curve && with_sweet_spot) text += " " + worth_text(findings);
  const std::string start_and_end = with_sweet_spot ? start_and_end_text(target) : "";
  for (const std::string& part : {unattributed_text(target), start_and_end}) {
    if (!part.empty()) text += " " + capitalised(part) + ".";
  }
  return text;
}

}  // namespace

std::string capitalised(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::vector<const KernelFinding*> stopping_kernels(const TargetFindings& target, bool on_devices) {
  std::vector<const KernelFinding*> stopping;
  for (const KernelFinding& kernel : target.kernels) {
    if (overlaps_run(kernel) != on_devices) continue;
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
  std::string text = " Not counted: ";
  if (out.asleep_s > 0) text += "ranks sleep or wait outside MPI for " + core::time_text(out.asleep_s);
  if (out.children_s > 0) {
    text += std::string(out.asleep_s > 0 ? ", and " : "") + "processes that they start take " +
            core::time_text(out.children_s);
  }
  return text + "; the run that is counted takes " + core::time_text(out.run_s) + " at " + text_of(out.at) + ".";
}

core::Bounded in_units(const Estimate& e, double units) {
  return core::bounded(units * e.value, units * e.low, units * e.high);
}

std::optional<Estimate> speedup_of(const TargetFindings& target) {
  if (!target.speedup) return std::nullopt;
  if (!target.efficiency || !target.efficiency_interval || !(*target.efficiency > 0)) {
    return Estimate{*target.speedup, *target.speedup, *target.speedup, 0.9};
  }
  const double factor = *target.speedup / *target.efficiency;
  const Estimate& e = *target.efficiency_interval;
  return Estimate{*target.speedup, std::min(*target.speedup, factor * e.low),
                  std::max(*target.speedup, factor * e.high), e.level};
}

std::string efficiency_cell(const TargetFindings& target) {
  if (!target.efficiency) return "-";
  const double value = *target.efficiency;
  const Estimate e = target.efficiency_interval.value_or(Estimate{value, value, value, 0.9});
  return core::bounded_percent(e.value, e.low, e.high).value;
}

std::string worth_text(const Findings& findings) {
  if (!findings.curve) return "";
  const SweetSpot& spot = findings.curve->sweet_spot;
  return "Efficiency stays at or above " + core::fixed(100 * spot.bound, 0) + " % up to " +
         sweet_spot_text(spot, findings.processes) + ".";
}

std::string where_text(const Findings& findings) {
  std::vector<std::string> parts;
  std::string machine = findings.machine;
  if (!machine.empty()) {
    for (const char* mark : {"(R)", "(TM)"}) {
      for (size_t at = machine.find(mark); at != std::string::npos; at = machine.find(mark)) {
        machine.erase(at, std::strlen(mark));
      }
    }
    machine = " (" + machine + ")";
  }
  // What hosts wait for devices was elapsed time, whether or not they had a core each.
  const bool uses_devices =
      std::ranges::any_of(findings.targets, [](const TargetFindings& t) { return t.gpu_s && t.gpu_s->value > 0; });
  if (findings.clock == "cpu" && !uses_devices) {
    parts.push_back("a core for each process" + machine);
  } else if (!machine.empty()) {
    parts.push_back("cores as measured" + machine);
  }
  if (findings.on_own_network) {
    parts.emplace_back(findings.emulated ? "the emulated network (another: --network NAME, such as hdr)"
                                         : "this host's network (a cluster's: --network NAME, such as hdr)");
  } else if (!findings.network.empty()) {
    const bool is_words = findings.network.find('=') < findings.network.find('/');  // else a file or a name
    parts.push_back("the network " +
                    (is_words ? findings.network : std::filesystem::path(findings.network).filename().string()));
  } else if (findings.region.empty()) {
    parts.emplace_back("messages as fast as in these runs (a cluster's: --network NAME, such as hdr)");
  }
  return parts.empty() ? "" : "For " + core::join(parts, ", ") + ". ";
}

std::string answer_sentence(const Findings& findings, const TargetFindings& target, bool with_cores) {
  const std::string what = findings.region.empty() ? "run" : "region " + findings.region;
  // What hosts wait for devices was elapsed time, whether or not they had a core each.
  const bool uses_devices = target.gpu_s && target.gpu_s->value > 0;
  return told(findings, target,
              answer_of("At " + text_of(target.at) + " the " + what, *target.run_s,
                        with_cores && findings.clock == "cpu" && !uses_devices ? " with a core for each process" : ""));
}

std::vector<std::string> answer_sentences(const Findings& findings) {
  constexpr size_t kMostAnswers = 4;
  if (findings.targets.size() > kMostAnswers) return {answer_sentence(findings, main_target(findings))};
  std::vector<std::string> sentences;
  std::string why;       // nothing can be told of the targets before
  std::string question;  // about these
  for (const TargetFindings& target : findings.targets) {
    const Trust& trust = target.trust;
    const bool is_same = trust.tells_nothing() && text_of(trust.reasons.front()) == why;
    why = trust.tells_nothing() ? text_of(trust.reasons.front()) : "";
    question = is_same ? question + " and at " + text_of(target.at) : question_of(findings, target);
    if (is_same) {
      sentences.back() = weakened(trust, "", question);
    } else {
      sentences.push_back(answer_sentence(findings, target));
    }
  }
  return sentences;
}

std::string inside_text(const BacktestFindings& backtest) {
  if (!backtest.inside) return ", OUTSIDE its interval";
  return std::abs(backtest.error.value_or(0)) > kFarOff ? "" : ", inside its interval";
}

std::string backtest_text(const Findings& findings, bool brief) {
  const BacktestFindings& b = findings.backtest;
  if (b.all_values_zero) return "impossible, since all measured values are 0.";
  if (!b.possible) return "impossible, since there are too few scales. The intervals are guesses from experience.";
  std::string text = b.parameter + "=" + core::to_text(b.scale) + ", predicted from " + core::short_list_of(b.from);
  if (b.error) {
    text += ", came out " + core::fixed(100 * std::abs(*b.error), std::abs(*b.error) < 0.0995 ? 1 : 0) +
            (*b.error < 0 ? " % too low" : " % too high") + (brief && b.inside ? "" : inside_text(b));
  }
  const TargetFindings& target = main_target(findings);
  const double reach = target.beyond.value_or(1);
  const double checked = b.from.empty() || !(b.from.back() > 0) ? 1 : b.scale / b.from.back();
  const bool is_far = reach > 1.01 * checked;
  text += ".";
  if (!brief && b.error && std::abs(*b.error) > kFarOff) text += " The answer may be as far off.";
  if (!brief && b.kernels > 0) {
    text += " Single functions were off by " + core::fixed(100 * b.median_kernel_error, 0) + " % in the median.";
  }
  if (is_far) {
    text += " That checks " + core::times_text(checked) + " the processes; the largest target has " +
            core::times_text(reach) + " those of " + b.parameter + "=" + core::to_text(b.scale) + ".";
  }
  return text;
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

std::vector<TotalsPart> totals_parts(const Findings& findings) {
  const TargetFindings& first = findings.targets.front();
  const bool parts = tells_communication(findings);
  std::vector<TotalsPart> columns;
  const auto add = [&](bool is_there, const TotalsPart& part) {
    if (is_there) columns.push_back(part);
  };
  add(parts, {"computation", "comput.", &TargetFindings::computation_s});
  add(first.openmp_waiting_s.has_value(), {"OpenMP waiting", "omp wait", &TargetFindings::openmp_waiting_s});
  add(first.gpu_s.has_value(), {"GPU", "GPU", &TargetFindings::gpu_s});
  add(parts, {"communication", "commun.", &TargetFindings::communication_s});
  add(parts && first.waiting_s, {"waiting", "waiting", &TargetFindings::waiting_s});
  constexpr double kVisible = 0.001;
  const bool unattributed = std::ranges::any_of(findings.targets, [](const TargetFindings& target) {
    return target.unattributed_s->value > kVisible * target.run_s->value;
  });
  add(unattributed, {"unattributed", "unattr.", &TargetFindings::unattributed_s});
  return columns;
}

std::string sweet_spot_text(const SweetSpot& spot, const std::string& parameter) {
  const auto place = [&](const std::optional<double>& processes) {
    return processes ? core::to_text(*processes) : "more than " + core::to_text(spot.examined);
  };
  std::string text = parameter + "=" + core::to_text(spot.processes.value_or(spot.examined));
  if (!spot.processes) text += ", the largest that was looked at";
  if (spot.below_at) text += " at least, and is lower at " + parameter + "=" + core::to_text(*spot.below_at);
  if (spot.measured) return spot.on_network ? text : text + " (measured)";
  if (spot.at_least == spot.at_most) return text;
  return text + " (interval: " + place(spot.at_least) + " to " + place(spot.at_most) + ")";
}

std::string what_limits(const Findings& findings) {
  const std::string text = limit_text(findings, main_target(findings), false);
  return core::printable((main_target(findings).trust.grade() == Grade::kRough ? "rough: " : "") + text);
}

std::string how_certain(const Findings& findings) {
  const bool is_modelled = findings.totals_modelled && findings.backtest.error.has_value();
  return core::printable("Backtest: " + backtest_text(findings, false) +
                         (is_modelled ? " What it is held against is modelled from its runs." : ""));
}

std::vector<std::string> verdict_of(const Findings& findings) {
  if (findings.targets.empty()) return {};
  const TargetFindings& target = main_target(findings);
  return {core::printable(cost_text(findings, target)),
          core::printable(capitalised(limit_text(findings, target, true))),
          core::printable(capitalised(text_of(target.trust)) + ". " + how_certain(findings))};
}

}  // namespace scalediag::report
