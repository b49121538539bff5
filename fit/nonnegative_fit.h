// Least squares with non-negative coefficients, for the few columns that physical laws have.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace scalediag::fit {

struct NonnegativeFit {
  std::vector<double> coefficients;  // one a column, none negative
  double largest_deviation = 0;      // max |fitted - measured| / measured over the rows
  double rms_deviation = 0;          // root mean square of the same
};

// Minimises sum ((sum_j c_j columns[j][i]) / values[i] - 1)^2 over c_j >= 0: relative errors, so that a row counts the
// same whatever its size. Rows whose value is not positive are left out. All subsets of columns are tried, which is
// exact and cheap for at most kMaxColumns of them.
// Nothing when no row is left or no subset can be solved. Precondition: columns of values.size() finite numbers.
constexpr size_t kMaxColumns = 4;
std::optional<NonnegativeFit> fit_nonnegative(std::span<const std::vector<double>> columns,
                                              std::span<const double> values);

}  // namespace scalediag::fit
