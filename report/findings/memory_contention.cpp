#include "report/findings/memory_contention.h"

#include <algorithm>
#include <map>

#include "core/profile/memory_contention.h"
#include "core/profile/metric_names.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {

bool is_other_problem(const fit::ApplicationData& data, const std::vector<double>& at) {
  for (size_t p = 0; p < at.size(); ++p) {
    if (p == data.processes) continue;
    const auto measured_there = [&](const fit::ConfigurationPoint& point) { return point.at[p] == at[p]; };
    if (std::none_of(data.configurations.begin(), data.configurations.end(), measured_there)) return true;
  }
  return false;
}

Contention contention_of(const fit::ApplicationData& data) {
  Contention all;
  std::map<std::vector<double>, double> contended_s;
  for (const fit::KernelData& kernel : data.kernels) {
    const fit::Series* ratios = kernel.find("llc_miss_ratio");
    const fit::Series* accesses = kernel.find("memory_accesses");
    if (ratios == nullptr || accesses == nullptr) continue;
    all.counted = true;
    if (kernel.resource_notes.count("cache_size_guessed") != 0) {
      all.guessed = true;
      return all;
    }
    bool shows = false;
    for (const fit::ConfigurationPoint& point : data.configurations) {
      core::MissEvidence evidence;
      evidence.llc_miss_ratio = fit::mean_at(ratios, point.at);
      evidence.memory_accesses = fit::mean_at(accesses, point.at);
      if (const fit::Series* time = kernel.find("t_mem_memory_s")) {
        evidence.t_mem_memory_s = measured_at(*time, point.at);
      }
      evidence.time_s = fit::mean_at(kernel.find(metric::kTime), point.at);
      if (!core::shows_contention(evidence)) continue;
      shows = true;
      contended_s[point.at] += evidence.time_s;
      if (evidence.llc_miss_ratio <= all.largest_ratio) continue;
      all.largest_ratio = evidence.llc_miss_ratio;
      all.worst = kernel.name + " at " + text_of(point_of(data.parameter_names, point.at));
    }
    all.functions += shows ? 1 : 0;
  }
  for (const auto& [at, time_s] : contended_s) {
    const double computation_s = fit::mean_at(&data.totals.at(metric::kComputation), at);
    if (computation_s > 0) all.share = std::max(all.share, std::min(1.0, time_s / computation_s));
  }
  return all;
}

std::string contention_note(const fit::ApplicationData& data, const std::vector<std::vector<double>>& targets) {
  const auto is_other = [&](const std::vector<double>& at) { return is_other_problem(data, at); };
  if (std::none_of(targets.begin(), targets.end(), is_other)) return "";
  const Contention found = contention_of(data);
  if (!found.counted) {
    return "whether memory contention spoils predictions for other problem sizes is not known: misses of the last "
           "cache were not counted (`scalediag profile --counters`)";
  }
  if (found.guessed) {
    return "whether memory contention spoils predictions for other problem sizes is not known: misses of the last "
           "cache were simulated with a guess of its size (`scalediag profile` simulates the size that `scalediag "
           "machine` measures, where that finds one)";
  }
  if (found.functions == 0) return "";
  return "predictions for other problem sizes are in doubt: more than 1e-4 of the memory accesses miss the last cache "
         "in " +
         std::to_string(found.functions) + (found.functions == 1 ? " function" : " functions") + " with " +
         core::percent(found.share) + " of the computation (most: " + core::four_digits(found.largest_ratio) + " in " +
         found.worst +
         "), so that memory contention shows in what was measured already; measure more processes, of "
         "which each has less to do";
}

}  // namespace scalediag::report
