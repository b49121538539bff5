// Least squares with non-negative coefficients, for the few terms that physical hypotheses have.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/equations/combinations.h"

namespace scalediag::fit {

constexpr size_t kMaxColumns = core::kMostTerms;
using core::NormalEquations;

struct NonnegativeSolution {
  core::PerTerm c{};
  double gain = 0;  // by how much the weighted sum of squares falls below that of no terms at all
};

// The exact solution: where the unconstrained one is not feasible, all smaller subsets of columns are tried. Of columns
// that cannot be told apart at most one gets a coefficient.
NonnegativeSolution solve_nonnegative(const NormalEquations& equations, size_t columns);

struct NonnegativeFit {
  std::vector<double> coefficients;  // one a column, none negative
  double largest_deviation = 0;      // max |fitted - measured| / measured over the rows
  double rms_deviation = 0;          // root mean square of the same
};

// Minimises sum ((sum_j c_j columns[j][i]) / values[i] - 1)^2 over c_j >= 0: relative errors, so that a row counts the
// same whatever its size. Rows whose value is not positive are left out.
// Empty when no row is left, when there are more than kMaxColumns columns, or when all columns are zero. Precondition:
// columns of values.size() finite numbers that are not negative.
std::optional<NonnegativeFit> fit_nonnegative(std::span<const std::vector<double>> columns,
                                              std::span<const double> values);

}  // namespace scalediag::fit
