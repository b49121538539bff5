#include "fit/nonnegative_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace scalediag::fit {
namespace {

// Columns divided by the values and by their own length, so that a coefficient is of the order of one.
struct Scaled {
  std::vector<std::vector<double>> columns;
  std::vector<double> lengths;
  size_t rows = 0;
};

Scaled scale(std::span<const std::vector<double>> columns, std::span<const double> values) {
  Scaled scaled;
  for (const std::vector<double>& column : columns) {
    std::vector<double> c;
    double squares = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] > 0)) continue;
      c.push_back(column[i] / values[i]);
      squares += c.back() * c.back();
    }
    const double length = std::sqrt(squares);
    if (length > 0) {
      for (double& x : c) x /= length;
    }
    scaled.rows = c.size();
    scaled.columns.push_back(std::move(c));
    scaled.lengths.push_back(length);
  }
  return scaled;
}

using Vector = std::array<double, kMaxColumns>;
using Matrix = std::array<Vector, kMaxColumns>;

// Gaussian elimination with pivoting; false where the columns depend on one another.
bool solve(Matrix a, Vector b, size_t n, Vector& x) {
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    if (std::abs(a[pivot][k]) < 1e-12) return false;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    double sum = b[k];
    for (size_t j = k + 1; j < n; ++j) sum -= a[k][j] * x[j];
    x[k] = sum / a[k][k];
  }
  return true;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::optional<NonnegativeFit> fit_nonnegative(std::span<const std::vector<double>> columns,
                                              std::span<const double> values) {
  if (columns.empty() || columns.size() > kMaxColumns) return std::nullopt;
  const Scaled scaled = scale(columns, values);
  if (scaled.rows == 0) return std::nullopt;

  std::optional<NonnegativeFit> best;
  for (unsigned subset = 1; subset < (1U << columns.size()); ++subset) {
    std::vector<size_t> chosen;
    for (size_t j = 0; j < columns.size(); ++j) {
      if ((subset >> j & 1U) != 0 && scaled.lengths[j] > 0) chosen.push_back(j);
    }
    if (chosen.empty() || chosen.size() > scaled.rows) continue;
    Matrix a{};
    Vector b{}, x{};
    for (size_t i = 0; i < chosen.size(); ++i) {
      for (size_t j = 0; j < chosen.size(); ++j) a[i][j] = dot(scaled.columns[chosen[i]], scaled.columns[chosen[j]]);
      for (const double c : scaled.columns[chosen[i]]) b[i] += c;
    }
    if (!solve(a, b, chosen.size(), x)) continue;
    if (std::any_of(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(chosen.size()),
                    [](double c) { return !(c >= 0); })) {
      continue;
    }
    NonnegativeFit fit;
    fit.coefficients.assign(columns.size(), 0.0);
    double squares = 0;
    for (size_t row = 0; row < scaled.rows; ++row) {
      double ratio = 0;
      for (size_t j = 0; j < chosen.size(); ++j) ratio += x[j] * scaled.columns[chosen[j]][row];
      fit.largest_deviation = std::max(fit.largest_deviation, std::abs(ratio - 1));
      squares += (ratio - 1) * (ratio - 1);
    }
    for (size_t j = 0; j < chosen.size(); ++j) fit.coefficients[chosen[j]] = x[j] / scaled.lengths[chosen[j]];
    fit.rms_deviation = std::sqrt(squares / static_cast<double>(scaled.rows));
    if (!best || fit.rms_deviation < best->rms_deviation) best = std::move(fit);
  }
  return best;
}

}  // namespace scalediag::fit
