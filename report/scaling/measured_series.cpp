#include "report/scaling/measured_series.h"

#include <algorithm>
#include <map>

#include "core/statistics.h"

namespace scalediag::report {

bool same_problem(std::span<const double> a, std::span<const double> b, size_t except) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (i != except && a[i] != b[i]) return false;
  }
  return true;
}

Point point_of(const std::vector<std::string>& names, std::span<const double> at) {
  Point point;
  for (size_t i = 0; i < names.size(); ++i) point.emplace_back(names[i], at[i]);
  return point;
}

std::optional<double> measured_at(const fit::Series& series, std::span<const double> at) {
  double sum = 0;
  size_t count = 0;
  for (const fit::Observation& o : series.observations) {
    if (!std::equal(o.at.begin(), o.at.end(), at.begin(), at.end())) continue;
    for (const double value : o.values) sum += value;
    count += o.values.size();
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

std::map<std::vector<double>, double> measured_means(const fit::Series& series) {
  std::map<std::vector<double>, std::pair<double, size_t>> sums;  // with the number of values
  for (const fit::Observation& o : series.observations) {
    auto& [sum, count] = sums[o.at];
    for (const double value : o.values) sum += value;
    count += o.values.size();
  }
  std::map<std::vector<double>, double> means;
  for (const auto& [at, sum] : sums) {
    if (sum.second > 0) means.emplace_hint(means.end(), at, sum.first / static_cast<double>(sum.second));
  }
  return means;
}

std::vector<MeasuredScale> along_processes(const fit::Series& series, size_t processes, std::span<const double> like,
                                           double relative_error) {
  std::map<double, double> by_scale;
  for (const fit::Observation& o : series.observations) {
    if (o.values.empty() || !same_problem(o.at, like, processes)) continue;
    by_scale[o.at[processes]] = core::mean(o.values);
  }
  std::vector<MeasuredScale> all;
  for (const auto& [scale, value] : by_scale) all.push_back({scale, value, relative_error});
  return all;
}

std::vector<double> largest_configuration(const fit::Series& series, size_t processes, std::span<const double> like) {
  const std::vector<double>* best = &series.observations.front().at;
  for (const fit::Observation& o : series.observations) {
    const bool larger = o.at[processes] > (*best)[processes];
    const bool closer = o.at[processes] == (*best)[processes] && same_problem(o.at, like, processes);
    if (larger || closer) best = &o.at;
  }
  return *best;
}

}  // namespace scalediag::report
