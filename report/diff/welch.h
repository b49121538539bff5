// A test of whether two small groups of runs differ.
//
//   Welch 1947   t = (mean_b - mean_a) / s,  s^2 = var_a / n_a + var_b / n_b,
//                degrees of freedom  s^4 / ((var_a / n_a)^2 / (n_a - 1) + (var_b / n_b)^2 / (n_b - 1))
//   Holm 1979    of m tests the smallest p is multiplied by m, the next by m - 1, ..., each no less than the one before
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace scalediag::report {

struct Difference {
  double value = 0;  // mean_b - mean_a
  double error = 0;  // its standard error
  double low = 0;    // the interval of `level`
  double high = 0;
  double p = 1;  // the probability of a difference as large as this one if the true one is within +- tolerance
};

// `least_variance` is the variance of a single value that is known besides (sampling); the larger one counts. Empty for
// fewer than two values on a side. Preconditions: 0 < level < 1, tolerance >= 0.
std::optional<Difference> welch_difference(std::span<const double> a, std::span<const double> b,
                                           double least_variance_a, double least_variance_b, double tolerance,
                                           double level);

// The p of every test as Holm adjusts them, at most 1, in the order of `p`.
std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace scalediag::report
