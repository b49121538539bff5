#include "fit/preparation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/statistics.h"

namespace scalediag::fit {
namespace {

using core::median;

// Standard deviation of repeats relative to their median; 0 where it is not defined.
double relative_deviation(const std::vector<double>& values, double center) {
  if (values.size() < 2 || !(center > 0)) return 0;
  double sum = 0;
  for (const double v : values) sum += (v / center - 1) * (v / center - 1);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

bool usable(const std::vector<double>& at, size_t parameters) {
  return at.size() == parameters &&
         std::all_of(at.begin(), at.end(), [](double v) { return std::isfinite(v) && v > 0; });
}

std::string counted(int n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

}  // namespace

Prepared prepare(const Series& series) {
  Prepared out;
  std::map<std::vector<double>, std::vector<double>> repeats;
  int bad_values = 0;
  int bad_configurations = 0;
  for (const Observation& o : series.observations) {
    if (!usable(o.at, series.parameter_names.size())) {
      bad_configurations += 1;
      continue;
    }
    for (const double v : o.values) {
      if (std::isfinite(v) && v >= 0)
        repeats[o.at].push_back(v);
      else
        bad_values += 1;
    }
  }
  if (bad_values > 0)
    out.notes.push_back(counted(bad_values, "value is", "values are") +
                        " not a number, infinite or negative: left out");
  if (bad_configurations > 0)
    out.notes.push_back(counted(bad_configurations, "configuration has", "configurations have") +
                        " parameters that are not positive numbers: left out");

  double smallest = 0;
  std::vector<double> deviations;
  for (const auto& [at, values] : repeats) {
    Point p;
    p.at = at;
    p.value = median(values);
    p.repeats = static_cast<int>(values.size());
    out.values += p.repeats;
    if (p.value > 0) {
      smallest = smallest > 0 ? std::min(smallest, p.value) : p.value;
      if (p.repeats > 1) deviations.push_back(relative_deviation(values, p.value));
    }
    out.points.push_back(std::move(p));
  }
  if (!deviations.empty()) out.noise = median(deviations);
  out.all_zero = !out.points.empty() && smallest == 0;
  if (out.all_zero) return out;

  int zeros = 0;
  for (Point& p : out.points) {
    if (p.value == 0) {
      p.value = smallest / 2;
      zeros += 1;
      continue;
    }
    // A point's own repeats are few: their variance is drawn towards that of all points, which counts as two more.
    constexpr double kShared = 2;
    const double own = relative_deviation(repeats[p.at], p.value);
    const double freedom = p.repeats - 1;
    const double variance = (freedom * own * own + kShared * out.noise * out.noise) / (freedom + kShared) / p.repeats;
    p.weight = 1 / (1 + variance / (kMisfit * kMisfit));
  }
  if (zeros > 0)
    out.notes.push_back(counted(zeros, "configuration", "configurations") +
                        " measured as 0 among positive ones: taken as half the smallest positive value");
  return out;
}

}  // namespace scalediag::fit
