#include "fit/blocks/linear_fits.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

namespace scalediag::fit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kRowsPerColumn = 5;       // at least
constexpr double kRelativeRidge = 1e-10;  // of standardised columns, by row

// Least squares in some of the standardised columns, from their products.
struct Regression {
  VectorXd coefficients;
  double residual_sum = 0;  // of squares
};

Regression regression(const MatrixXd& products, const VectorXd& with_y, double y_squares,
                      const std::vector<Index>& columns) {
  const auto k = static_cast<Index>(columns.size());
  MatrixXd gram(k, k);
  VectorXd right(k);
  for (Index i = 0; i < k; ++i) {
    right[i] = with_y[columns[static_cast<size_t>(i)]];
    for (Index j = 0; j < k; ++j)
      gram(i, j) = products(columns[static_cast<size_t>(i)], columns[static_cast<size_t>(j)]);
  }
  MatrixXd ridged = gram;
  ridged.diagonal().array() *= 1 + kRelativeRidge;
  Regression result;
  result.coefficients = ridged.ldlt().solve(right);
  const double explained = 2 * result.coefficients.dot(right) - result.coefficients.dot(gram * result.coefficients);
  result.residual_sum = std::max(0.0, y_squares - explained);
  return result;
}

double akaike(const Regression& fitted, double y_squares, Index rows) {
  const auto n = static_cast<double>(rows);
  // Below rounding errors of the sums nothing can be told apart.
  const double residuals = std::max(fitted.residual_sum, 1e-13 * y_squares);
  return n * std::log(std::max(residuals, std::numeric_limits<double>::min()) / n) +
         2 * static_cast<double>(fitted.coefficients.size());
}

// Least squares of some rows in some columns, and an intercept.
VectorXd small_least_squares(const MatrixXd& columns, const VectorXd& y, const std::vector<Index>& rows) {
  MatrixXd a(static_cast<Index>(rows.size()), columns.cols() + 1);
  VectorXd b(a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    const Index row = rows[static_cast<size_t>(i)];
    a(i, 0) = 1;
    a.row(i).tail(columns.cols()) = columns.row(row);
    b[i] = y[row];
  }
  return a.colPivHouseholderQr().solve(b);
}

VectorXd residuals(const MatrixXd& columns, const VectorXd& y, const VectorXd& solution) {
  return y - (columns * solution.tail(columns.cols())).array().matrix() - VectorXd::Constant(y.size(), solution[0]);
}

double median_of_squares(const VectorXd& residual) {
  std::vector<double> squares(static_cast<size_t>(residual.size()));
  for (Index i = 0; i < residual.size(); ++i) squares[static_cast<size_t>(i)] = residual[i] * residual[i];
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return *middle;
}

}  // namespace

LinearFit unscaled(const VectorXd& coefficients, double intercept, const Standardised& scaled,
                   const std::vector<Index>& which, Index columns) {
  LinearFit fit{intercept, VectorXd::Zero(columns)};
  for (Index j = 0; j < coefficients.size(); ++j) {
    const double coefficient = coefficients[j] / scaled.scales[j];
    fit.coefficients[which[static_cast<size_t>(j)]] = coefficient;
    fit.intercept -= coefficient * scaled.means[j];
  }
  return fit;
}

std::vector<Index> used_columns(const LinearFit& fit) {
  std::vector<Index> used;
  for (Index j = 0; j < fit.coefficients.size(); ++j) {
    if (fit.coefficients[j] != 0) used.push_back(j);
  }
  return used;
}

std::vector<Index> independent_columns(const MatrixXd& x, double least_part) {
  std::vector<Index> kept;
  MatrixXd directions(x.rows(), x.cols());  // orthonormal; as many as are kept
  for (Index j = 0; j < x.cols(); ++j) {
    const double mean = x.col(j).mean();
    VectorXd left = x.col(j).array() - mean;
    const double spread = left.norm();
    if (!(spread > 1e-12 * std::abs(mean) * std::sqrt(static_cast<double>(x.rows())))) continue;
    const auto known = directions.leftCols(static_cast<Index>(kept.size()));
    for (int twice = 0; twice < 2; ++twice) left -= known * (known.transpose() * left).eval();
    const double new_part = left.norm();
    if (new_part <= least_part * spread) continue;
    directions.col(static_cast<Index>(kept.size())) = left / new_part;
    kept.push_back(j);
  }
  return kept;
}

LinearFit stepwise_regression(const MatrixXd& x, const VectorXd& y) {
  const std::vector<Index> independent = independent_columns(x);
  const double mean_y = y.mean();
  const Standardised scaled = standardised(x, independent);
  const VectorXd centred = y.array() - mean_y;
  const double y_squares = centred.squaredNorm();
  const MatrixXd products = scaled.columns.transpose() * scaled.columns;
  const VectorXd with_y = scaled.columns.transpose() * centred;

  std::vector<Index> kept(independent.size());
  std::iota(kept.begin(), kept.end(), 0);
  Regression best = regression(products, with_y, y_squares, kept);
  while (!kept.empty()) {
    Index smallest = 0;
    best.coefficients.cwiseAbs().minCoeff(&smallest);
    std::vector<Index> fewer = kept;
    fewer.erase(fewer.begin() + smallest);
    Regression without = regression(products, with_y, y_squares, fewer);
    const bool are_enough_rows = static_cast<Index>(kept.size()) * kRowsPerColumn <= y.size();
    if (are_enough_rows && akaike(without, y_squares, y.size()) >= akaike(best, y_squares, y.size())) break;
    kept = std::move(fewer);
    best = std::move(without);
  }
  VectorXd all = VectorXd::Zero(scaled.columns.cols());
  for (size_t i = 0; i < kept.size(); ++i) all[kept[i]] = best.coefficients[static_cast<Index>(i)];
  return unscaled(all, mean_y, scaled, independent, x.cols());
}

LinearFit least_median_of_squares(const MatrixXd& x, const VectorXd& y) {
  constexpr int kSubsets = 500;
  constexpr uint32_t kSeed = 20100914;
  const LinearFit selected = stepwise_regression(x, y);
  const std::vector<Index> used = used_columns(selected);
  const Standardised scaled = standardised(x, used);
  const auto unknowns = static_cast<size_t>(scaled.columns.cols()) + 1;
  const auto n = static_cast<size_t>(y.size());
  if (n < 2 * unknowns + 1) return selected;

  // std::shuffle and distributions differ between libraries; a remainder of the generator does not.
  std::mt19937 random(kSeed);
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  VectorXd best;
  double best_median = std::numeric_limits<double>::infinity();
  for (int subset = 0; subset < kSubsets; ++subset) {
    for (size_t i = 0; i < 2 * unknowns; ++i) std::swap(rows[i], rows[i + random() % (n - i)]);
    const VectorXd solution = small_least_squares(
        scaled.columns, y, {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(2 * unknowns)});
    const double median = median_of_squares(residuals(scaled.columns, y, solution));
    if (median < best_median) {
      best_median = median;
      best = solution;
    }
  }
  const double deviation = 1.4826 * (1 + 5 / static_cast<double>(n - unknowns)) * std::sqrt(best_median);
  const VectorXd off = residuals(scaled.columns, y, best);
  std::vector<Index> near;
  for (Index i = 0; i < off.size(); ++i) {
    if (std::abs(off[i]) <= 2.5 * deviation) near.push_back(i);
  }
  if (near.size() > 2 * unknowns) best = small_least_squares(scaled.columns, y, near);
  return unscaled(best.tail(scaled.columns.cols()), best[0], scaled, used, x.cols());
}

}  // namespace scalediag::fit
