#include "fit/curves/preparation.h"

#include <algorithm>
#include <cmath>
#include <set>

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
  return at.size() == parameters && std::ranges::all_of(at, [](double v) { return std::isfinite(v) && v > 0; });
}

std::string counted(int n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

// The observations by configuration; those of equal ones keep their order.
std::vector<const Observation*> usable_observations(const Series& series, int* bad) {
  std::vector<const Observation*> all;
  all.reserve(series.observations.size());
  for (const Observation& o : series.observations) {
    if (usable(o.at, series.parameter_names.size()))
      all.push_back(&o);
    else
      *bad += 1;
  }
  const auto less = [](const Observation* a, const Observation* b) { return a->at < b->at; };
  if (!std::is_sorted(all.begin(), all.end(), less)) std::ranges::stable_sort(all, less);
  return all;
}

// Whether none of the configuration's parameters is above that of a point with a positive value: at a first scale, work
// that begins with the second (what only several processes do) is 0 for another reason than being too short.
bool before_every_positive(const Point& point, const std::vector<Point>& points) {
  return point.value == 0 && std::ranges::none_of(points, [&](const Point& other) {
           return other.value > 0 && std::equal(other.at.begin(), other.at.end(), point.at.begin(),
                                                [](double a, double b) { return a <= b; });
         });
}

// Whether every parameter has three values or more (or all of those it had) among the points that are kept.
bool enough_without(const std::vector<Point>& points, const std::vector<bool>& left_out) {
  constexpr size_t kEnough = 3;
  for (size_t d = 0; d < points.front().at.size(); d++) {
    std::set<double> all;
    std::set<double> kept;
    for (size_t i = 0; i < points.size(); i++) {
      all.insert(points[i].at[d]);
      if (!left_out[i]) kept.insert(points[i].at[d]);
    }
    if (kept.size() < std::min(kEnough, all.size())) return false;
  }
  return true;
}

void leave_out_zeros_before_the_first_value(Prepared& prepared, std::vector<double>& deviations) {
  std::vector<Point>& points = prepared.points;
  std::vector<bool> left_out;
  for (const Point& p : points) left_out.push_back(before_every_positive(p, points));
  const auto count = std::count(left_out.begin(), left_out.end(), true);
  if (count == 0 || !enough_without(points, left_out)) return;
  size_t kept = 0;
  for (size_t i = 0; i < points.size(); i++) {
    if (left_out[i]) {
      prepared.values -= points[i].repeats;
      continue;
    }
    deviations[kept] = deviations[i];
    if (kept != i) points[kept] = std::move(points[i]);
    kept += 1;
  }
  points.resize(kept);
  deviations.resize(kept);
  prepared.notes.push_back(counted(static_cast<int>(count), "configuration", "configurations") +
                           " measured as 0 before the first positive value: left out");
}

}  // namespace

Prepared prepare(const Series& series) {
  Prepared out;
  int bad_values = 0;
  int bad_configurations = 0;
  const std::vector<const Observation*> observations = usable_observations(series, &bad_configurations);
  out.points.reserve(observations.size());
  double smallest = 0;
  std::vector<double> own_deviations;  // of each point
  std::vector<double> deviations;      // of those with repeats
  std::vector<double> values;
  for (size_t i = 0; i < observations.size();) {
    const std::vector<double>& at = observations[i]->at;
    values.clear();
    for (; i < observations.size() && observations[i]->at == at; i++) {
      for (const double v : observations[i]->values) {
        if (std::isfinite(v) && v >= 0)
          values.push_back(v);
        else
          bad_values += 1;
      }
    }
    if (values.empty()) continue;
    Point& p = out.points.emplace_back();
    p.at = at;
    p.value = values.size() == 1 ? values.front() : median(values);
    p.repeats = static_cast<int>(values.size());
    out.values += p.repeats;
    own_deviations.push_back(relative_deviation(values, p.value));
    if (p.value > 0) {
      smallest = smallest > 0 ? std::min(smallest, p.value) : p.value;
      if (p.repeats > 1) deviations.push_back(own_deviations.back());
    }
  }
  if (bad_values > 0)
    out.notes.push_back(counted(bad_values, "value is", "values are") +
                        " not a number, infinite or negative: left out");
  if (bad_configurations > 0)
    out.notes.push_back(counted(bad_configurations, "configuration has", "configurations have") +
                        " parameters that are not positive numbers: left out");
  if (!deviations.empty()) out.noise = median(deviations);
  out.all_zero = !out.points.empty() && smallest == 0;
  if (out.all_zero) return out;
  leave_out_zeros_before_the_first_value(out, own_deviations);

  int zeros = 0;
  for (size_t i = 0; i < out.points.size(); i++) {
    Point& p = out.points[i];
    if (p.value == 0) {
      p.value = smallest / 2;
      zeros += 1;
      continue;
    }
    // A point's own repeats are few: their variance is drawn towards that of all points, which counts as two more.
    constexpr double kShared = 2;
    const double own = own_deviations[i];
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
