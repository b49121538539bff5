#include "report/platforms/platform_comparison.h"

#include <utility>

namespace scalediag::report {

PlatformFindings platform_of(const TargetFindings& target, PlatformFindings platform) {
  constexpr double kSecondsPerHour = 3600;
  platform.run_s = *target.run_s;
  platform.core_hours =
      fit::times(platform.run_s, process_count(target.at) * platform.cores_per_rank / kSecondsPerHour);
  if (platform.price) platform.cost = fit::times(platform.core_hours, *platform.price);
  return platform;
}

std::optional<Least> least_of(const std::vector<std::optional<Estimate>>& values) {
  std::optional<Least> least;
  size_t known = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    ++known;
    if (!least || values[i]->value < values[least->index]->value) least = Least{i, {}};
  }
  if (known < 2) return std::nullopt;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] && i != least->index && values[i]->low <= values[least->index]->high) least->others.push_back(i);
  }
  return least;
}

PlatformComparison compare_platforms(std::string application, Point at, std::vector<PlatformFindings> platforms) {
  PlatformComparison comparison{std::move(application), std::move(at), std::move(platforms), {}, {}, {}};
  std::vector<std::optional<Estimate>> times, core_hours, costs;
  for (const PlatformFindings& platform : comparison.platforms) {
    times.emplace_back(platform.run_s);
    core_hours.emplace_back(platform.core_hours);
    costs.push_back(platform.cost);
  }
  comparison.fastest = least_of(times);
  comparison.fewest_core_hours = least_of(core_hours);
  comparison.cheapest = least_of(costs);
  return comparison;
}

}  // namespace scalediag::report
