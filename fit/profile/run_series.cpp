#include "fit/profile/run_series.h"

#include <algorithm>
#include <utility>

#include "core/profile/metric_names.h"

namespace scalediag::fit {

std::vector<std::string> parameters_of(const core::Profile& profile) {
  std::vector<std::string> names = {"np"};
  names.insert(names.end(), profile.parameter_names.begin(), profile.parameter_names.end());
  return names;
}

std::vector<double> configuration_of(const core::Profile& profile, const core::Run& run) {
  std::vector<double> at = {static_cast<double>(run.np)};
  for (const std::string& name : profile.parameter_names) {
    const auto value = run.parameters.find(name);
    at.push_back(value == run.parameters.end() ? 1.0 : value->second);
  }
  return at;
}

RunSeries::RunSeries(const core::Profile& profile, std::vector<std::vector<const core::Run*>> runs)
    : runs_(std::move(runs)), parameter_names_(parameters_of(profile)) {
  for (const auto& repeats : runs_) points_.push_back(configuration_of(profile, *repeats.front()));
}

Series RunSeries::series(const std::string& kernel, const std::string& metric,
                         const std::function<std::optional<double>(const core::Run&)>& value_of) const {
  Series all{parameter_names_, metric, kernel, {}, false};
  for (size_t i = 0; i < runs_.size(); ++i) {
    Observation observation{points_[i], {}};
    for (const core::Run* run : runs_[i]) {
      if (const std::optional<double> value = value_of(*run)) observation.values.push_back(std::max(0.0, *value));
    }
    if (!observation.values.empty()) all.observations.push_back(std::move(observation));
  }
  return all;
}

RunSeries::Slowest RunSeries::slowest(const std::function<TimeOverRanks(const core::Run&)>& time_of) const {
  std::vector<RepeatsOverRanks> configurations;
  for (const auto& repeats : runs_) {
    RepeatsOverRanks& c = configurations.emplace_back();
    c.np = repeats.front()->np;
    for (const core::Run* run : repeats) c.repeats.push_back(time_of(*run));
  }
  const SlowestRank found = slowest_rank(configurations);
  Slowest result{{}, found.rank, found.least};
  for (size_t i = 0; i < runs_.size(); ++i) {
    for (size_t j = 0; j < runs_[i].size(); ++j) result.time_s[runs_[i][j]] = found.time_s[i][j];
  }
  return result;
}

void RunSeries::set_slowest(const Slowest& slowest, KernelData& kernel) const {
  kernel.slowest_rank = slowest.rank;
  kernel.least_rank = slowest.least;
  kernel.series[metric::kCritical] = series(kernel.name, metric::kCritical, [&](const core::Run& run) {
    const auto of_run = slowest.time_s.find(&run);
    return of_run == slowest.time_s.end() ? std::nullopt : std::optional(of_run->second);
  });
  for (const auto& [run, time_s] : slowest.time_s) {
    kernel.largest_share = std::max(kernel.largest_share, time_s / reference_time(*run));
  }
}

bool is_estimate(const core::Run& run, const core::Kernel& kernel, const std::string& metric) {
  return run.counter_method != "events" && kernel.count_errors.count(metric) != 0;
}

const core::OverRanks* find_metric(const core::Kernel& kernel, const std::string& name) {
  const auto found = kernel.metrics.find(name);
  return found == kernel.metrics.end() ? nullptr : &found->second;
}

double time_of(const core::Kernel& kernel) {
  const core::OverRanks* time = find_metric(kernel, metric::kTime);
  return time == nullptr ? 0 : time->mean;
}

double reference_time(const core::Run& run) {
  return std::max(run.times.total_s.mean - run.times.others_s.mean, 1e-300);
}

core::OverRanks together_over_ranks(const std::vector<const core::OverRanks*>& times) {
  core::OverRanks all;
  double minima = 0;
  std::map<int, double> above_minima;
  for (const core::OverRanks* time : times) {
    all.sum += time->sum;
    all.mean += time->mean;
    minima += time->min;
    above_minima[time->rank_of_max] += time->max - time->min;
  }
  all.min = minima;
  all.max = all.mean;
  for (const auto& [rank, above] : above_minima) {
    if (minima + above <= all.max) continue;
    all.max = minima + above;
    all.rank_of_max = rank;
  }
  return all;
}

}  // namespace scalediag::fit
