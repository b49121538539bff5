// Linear and nonlinear least squares for problems of general form.
//
// The hypotheses of scaling have closed forms of their own (fit/curves/hypotheses.h). These fit the models of Ding et
// al. as the paper has them (ding_models.h), and are tested against NIST's certified problems.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/result.h"

namespace scalediag::fit {

struct LeastSquares {
  std::vector<double> coefficients;
  std::vector<double> standard_errors;  // of the coefficients; 0 where there are no more rows than coefficients
  double residual_sum = 0;              // of squares
  int iterations = 0;
};

// Minimises sum_i (values[i] - sum_j columns[j][i] c_j)^2 by Householder QR with column pivoting and one step of
// iterative refinement. Errors (kInput): fewer rows than columns, columns that depend on each other, values that are
// not finite.
Result<LeastSquares> linear_least_squares(std::span<const std::vector<double>> columns, std::span<const double> values);

// Value of the model at x, and its derivatives by the coefficients (size of `coefficients`).
using CurveFunction =
    std::function<double(double x, std::span<const double> coefficients, std::span<double> derivatives)>;

// Minimises sum_i (values[i] - f(x[i], c))^2 from `start` by Levenberg's and Marquardt's method, until a step changes
// no coefficient by more than 1e-12 of itself. Eigen's implementation, which is 20 lines less, misses NIST's BoxBOD.
// Errors (kInput): fewer rows than coefficients, no finite value at the start, no solution within `most_steps` at which
// all coefficients have an influence.
Result<LeastSquares> nonlinear_least_squares(const CurveFunction& f, std::span<const double> x,
                                             std::span<const double> values, std::span<const double> start,
                                             int most_steps = 2000);

}  // namespace scalediag::fit
