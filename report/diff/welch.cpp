#include "report/diff/welch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"
#include "fit/numerics/student_t.h"

namespace scalediag::report {
namespace {

// The variance of the mean of a group.
double mean_variance(std::span<const double> values, double least_variance) {
  const double deviation = core::standard_deviation(values);
  return std::max(deviation * deviation, least_variance) / static_cast<double>(values.size());
}

}  // namespace

std::optional<Difference> welch_difference(std::span<const double> a, std::span<const double> b,
                                           double least_variance_a, double least_variance_b, double tolerance,
                                           double level) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const double of_a = mean_variance(a, least_variance_a), of_b = mean_variance(b, least_variance_b);
  Difference d;
  d.value = core::mean(b) - core::mean(a);
  d.error = std::sqrt(of_a + of_b);
  if (!(d.error > 0)) {
    // Runs agree to the last digit: counts, or times of a test.
    d.low = d.high = d.value;
    d.p = std::abs(d.value) > tolerance ? 0 : 1;
    return d;
  }
  const double squares =
      of_a * of_a / static_cast<double>(a.size() - 1) + of_b * of_b / static_cast<double>(b.size() - 1);
  const double least_degrees = static_cast<double>(std::min(a.size(), b.size()) - 1);
  const double degrees = std::max(squares > 0 ? (of_a + of_b) * (of_a + of_b) / squares : 0, least_degrees);
  const double half = d.error * fit::student_t_quantile(0.5 + level / 2, degrees);
  d.low = d.value - half;
  d.high = d.value + half;
  // The sum over both ends of the tolerance: for a tolerance of 0 it is the two-sided test.
  d.p = std::min(1.0, fit::student_t_above((std::abs(d.value) - tolerance) / d.error, degrees) +
                          fit::student_t_above((std::abs(d.value) + tolerance) / d.error, degrees));
  return d;
}

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double before = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    before = std::max(before, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    adjusted[order[i]] = before;
  }
  return adjusted;
}

}  // namespace scalediag::report
