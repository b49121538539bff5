#include "report/rules/history/history_baseline.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "fit/numerics/student_t.h"

namespace scalediag::report {
namespace {

// log(time) of every run. Empty where a time is not positive.
std::vector<double> logarithms(const std::vector<double>& seconds) {
  std::vector<double> all;
  for (const double s : seconds) {
    if (!(s > 0)) return {};
    all.push_back(std::log(s));
  }
  return all;
}

// By kernel the median of log(time) over the earlier experiments' medians.
std::map<std::string, double> usual_of(std::span<const RunTimes> earlier, const std::vector<std::string>& names) {
  std::map<std::string, double> usual;
  for (const std::string& name : names) {
    std::vector<double> medians;
    for (const RunTimes& experiment : earlier) {
      const auto found = experiment.find(name);
      if (found == experiment.end()) continue;
      const std::vector<double> logs = logarithms(found->second);
      if (!logs.empty()) medians.push_back(core::median(logs));
    }
    if (!medians.empty()) usual[name] = core::median(medians);
  }
  return usual;
}

// log(time) of a kernel's runs less what the other kernels of each run are above their usual.
std::vector<double> against_others(const std::string& name, const RunTimes& experiment,
                                   const std::map<std::string, double>& usual) {
  std::vector<double> own = logarithms(experiment.at(name));
  for (size_t run = 0; run < own.size(); ++run) {
    std::vector<double> others;
    for (const auto& [other, at_usual] : usual) {
      const auto found = experiment.find(other);
      if (other == name || found == experiment.end() || found->second.size() != own.size()) continue;
      if (found->second[run] > 0) others.push_back(std::log(found->second[run]) - at_usual);
    }
    if (others.size() + 1 < kFunctionsToCompare) return {};
    own[run] -= core::median(others);
  }
  return own;
}

struct Baseline {
  std::vector<double> medians;  // x of the earlier experiments
  double of_runs = 0;           // sum of the squared standard errors of their medians
};

void add_to(Baseline& baseline, const std::vector<double>& logs) {
  baseline.medians.push_back(core::median(logs));
  const double error = core::standard_deviation(logs) * core::error_of_median(logs.size());
  baseline.of_runs += error * error;
}

struct Excess {
  double change = 0, allowed = 0, spread = 0, median = 0;
};

Excess excess_of(const std::vector<double>& now, const Baseline& baseline, double tolerance, size_t tests) {
  const auto n = static_cast<double>(baseline.medians.size());
  Excess excess;
  excess.median = core::median(baseline.medians);
  const double of_runs = std::sqrt(baseline.of_runs / n);
  excess.spread = std::max(core::standard_deviation(baseline.medians), of_runs);
  const double t = fit::student_t_quantile(1 - kFalseAlarms / static_cast<double>(tests), n - 1);
  excess.change = core::median(now) - excess.median;
  excess.allowed = t * excess.spread * std::sqrt(1 + 1 / n) + std::log1p(tolerance);
  return excess;
}

}  // namespace

std::optional<HistoryComparison> compare_with_history(const std::string& name, const RunTimes& now,
                                                      std::span<const RunTimes> earlier,
                                                      const std::vector<std::string>& names, double tolerance,
                                                      size_t tests) {
  const auto here = now.find(name);
  if (here == now.end()) return std::nullopt;
  const std::vector<double> seconds = logarithms(here->second);
  if (seconds.empty()) return std::nullopt;
  const std::map<std::string, double> usual = usual_of(earlier, names);
  std::vector<double> relative = against_others(name, now, usual);
  Baseline by_seconds, by_others;
  for (const RunTimes& experiment : earlier) {
    const auto found = experiment.find(name);
    const std::vector<double> logs = found == experiment.end() ? std::vector<double>{} : logarithms(found->second);
    if (logs.empty()) continue;
    add_to(by_seconds, logs);
    const std::vector<double> others = against_others(name, experiment, usual);
    if (!others.empty()) add_to(by_others, others);
  }
  if (by_seconds.medians.size() < kFewestExperiments) return std::nullopt;
  HistoryComparison result;
  result.against_others = !relative.empty() && by_others.medians.size() >= kFewestExperiments;
  const Excess in_seconds = excess_of(seconds, by_seconds, tolerance, tests);
  const Excess judged = result.against_others ? excess_of(relative, by_others, tolerance, tests) : in_seconds;
  result.experiments = result.against_others ? by_others.medians.size() : by_seconds.medians.size();
  result.value = std::exp(core::median(seconds));
  result.median = std::exp(in_seconds.median);
  result.spread = judged.spread;
  result.change = std::expm1(judged.change);
  result.allowed = std::expm1(judged.allowed);
  // A change that the machine makes to all functions of these runs moves the limit, too.
  result.limit = std::exp(core::median(seconds) - judged.change + judged.allowed);
  result.slower = judged.change > judged.allowed && in_seconds.change > judged.change / 2;
  return result;
}

}  // namespace scalediag::report
