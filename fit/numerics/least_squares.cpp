#include "fit/numerics/least_squares.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace scalediag::fit {
namespace {

Error refused(std::string message, std::string hint) {
  return {ErrorCode::kInput, std::move(message), std::move(hint)};
}

// Square roots of the diagonal of variance x (J^T J)^-1, from the triangular factor's inverse.
std::vector<double> standard_errors(const Eigen::MatrixXd& jacobian, double residual_sum) {
  const auto n = jacobian.rows();
  const auto m = jacobian.cols();
  std::vector<double> errors(static_cast<size_t>(m), 0.0);
  if (n <= m) return errors;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(jacobian);
  if (qr.rank() < m) return errors;
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(m, m);
  const Eigen::MatrixXd r = qr.matrixR().topLeftCorner(m, m);
  const Eigen::MatrixXd inverse = qr.colsPermutation() * r.triangularView<Eigen::Upper>().solve(identity).eval();
  const double variance = residual_sum / static_cast<double>(n - m);
  for (Eigen::Index j = 0; j < m; j++) errors[static_cast<size_t>(j)] = std::sqrt(variance) * inverse.row(j).norm();
  return errors;
}

struct Evaluation {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;
  double sum = 0;
};

Evaluation evaluate(const CurveFunction& f, std::span<const double> x, std::span<const double> values,
                    const Eigen::VectorXd& c) {
  const auto n = static_cast<Eigen::Index>(x.size());
  Evaluation e{Eigen::VectorXd(n), Eigen::MatrixXd(n, c.size()), 0};
  std::vector<double> derivatives(static_cast<size_t>(c.size()));
  const std::span<const double> coefficients(c.data(), static_cast<size_t>(c.size()));
  for (Eigen::Index i = 0; i < n; i++) {
    const auto k = static_cast<size_t>(i);
    e.residuals[i] = values[k] - f(x[k], coefficients, derivatives);
    for (Eigen::Index j = 0; j < c.size(); j++) e.jacobian(i, j) = derivatives[static_cast<size_t>(j)];
  }
  e.sum = e.residuals.squaredNorm();
  return e;
}

}  // namespace

Result<LeastSquares> linear_least_squares(std::span<const std::vector<double>> columns,
                                          std::span<const double> values) {
  const auto n = static_cast<Eigen::Index>(values.size());
  const auto m = static_cast<Eigen::Index>(columns.size());
  if (m == 0 || n < m)
    return refused(std::to_string(n) + " rows do not determine " + std::to_string(m) + " coefficients",
                   "give at least as many rows as columns");
  Eigen::MatrixXd a(n, m);
  for (Eigen::Index j = 0; j < m; j++) {
    const std::vector<double>& column = columns[static_cast<size_t>(j)];
    if (static_cast<Eigen::Index>(column.size()) != n)
      return refused("columns and values differ in length", "give a value for every row");
    a.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), n);
  }
  const Eigen::Map<const Eigen::VectorXd> y(values.data(), n);
  if (!a.allFinite() || !y.allFinite()) return refused("a value is not finite", "leave such rows out");
  // Columns of a polynomial differ by many powers of ten, so they are first scaled to equal lengths.
  Eigen::VectorXd scale = a.colwise().norm().transpose();
  for (Eigen::Index j = 0; j < m; j++)
    if (!(scale[j] > 0)) return refused("a column is zero", "leave the column out");
  const Eigen::MatrixXd scaled = a * scale.cwiseInverse().asDiagonal();
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled);
  qr.setThreshold(1e-14);
  if (qr.rank() < m) return refused("columns depend on each other", "leave one of them out");
  Eigen::VectorXd c = qr.solve(y);
  c += qr.solve(y - scaled * c);
  LeastSquares out;
  out.residual_sum = (y - scaled * c).squaredNorm();
  out.standard_errors = standard_errors(scaled, out.residual_sum);
  c = c.cwiseQuotient(scale);
  for (Eigen::Index j = 0; j < m; j++) out.standard_errors[static_cast<size_t>(j)] /= scale[j];
  out.coefficients.assign(c.data(), c.data() + m);
  out.iterations = 1;
  return out;
}

namespace {

// One descent; false where it does not end within `most_steps`, or ends where a coefficient has lost its influence.
bool descend(const CurveFunction& f, std::span<const double> x, std::span<const double> values, int most_steps,
             double damping, Eigen::VectorXd* c, Evaluation* now, int* steps) {
  const auto m = c->size();
  Eigen::VectorXd lengths = Eigen::VectorXd::Zero(m);
  for (*steps = 1; *steps <= most_steps; ++*steps) {
    // The damped problem is solved as one of ordinary least squares, with sqrt(damping) x the columns' lengths below
    // the Jacobian: the normal equations would lose half of the digits. Lengths never shrink, so that a coefficient
    // that lost its influence does not run away.
    lengths = lengths.cwiseMax(now->jacobian.colwise().norm().transpose());
    for (Eigen::Index j = 0; j < m; j++)
      if (!(lengths[j] > 0)) lengths[j] = 1;
    Eigen::MatrixXd stacked(now->jacobian.rows() + m, m);
    stacked.topRows(now->jacobian.rows()) = now->jacobian;
    stacked.bottomRows(m) = (std::sqrt(damping) * lengths).asDiagonal();
    Eigen::VectorXd right(stacked.rows());
    right << now->residuals, Eigen::VectorXd::Zero(m);
    const Eigen::VectorXd change = stacked.colPivHouseholderQr().solve(right);
    const Eigen::VectorXd next = *c + change;
    Evaluation then = evaluate(f, x, values, next);
    const bool small = (change.cwiseAbs().array() <= 1e-12 * next.cwiseAbs().array() + 1e-300).all();
    if (std::isfinite(then.sum) && then.sum <= now->sum) {
      *c = next;
      *now = std::move(then);
      damping = std::max(damping / 10, 1e-20);
    } else {
      damping *= 10;
    }
    // Where rounding keeps the sum from falling any further, large damping makes the step small.
    constexpr double kNoInfluence = 1e-10;
    if (small) return (now->jacobian.colwise().norm().transpose().array() > kNoInfluence * lengths.array()).all();
  }
  return false;
}

}  // namespace

Result<LeastSquares> nonlinear_least_squares(const CurveFunction& f, std::span<const double> x,
                                             std::span<const double> values, std::span<const double> start,
                                             int most_steps) {
  if (x.size() != values.size() || values.size() < start.size() || start.empty())
    return refused(
        std::to_string(values.size()) + " rows do not determine " + std::to_string(start.size()) + " coefficients",
        "give at least as many rows as coefficients");
  const auto m = static_cast<Eigen::Index>(start.size());
  const Eigen::VectorXd from = Eigen::Map<const Eigen::VectorXd>(start.data(), m);
  const Evaluation first = evaluate(f, x, values, from);
  if (!std::isfinite(first.sum)) return refused("the model has no finite value at the start", "start elsewhere");
  // Large first steps are quick, and can end where a coefficient has no influence any more. That is no solution, so
  // that smaller steps are tried then.
  for (const double damping : {1e-3, 1.0, 1e3}) {
    Eigen::VectorXd c = from;
    Evaluation now = first;
    int steps = 0;
    if (!descend(f, x, values, most_steps, damping, &c, &now, &steps)) continue;
    LeastSquares out;
    out.coefficients.assign(c.data(), c.data() + m);
    out.residual_sum = now.sum;
    out.standard_errors = standard_errors(now.jacobian, now.sum);
    out.iterations = steps;
    return out;
  }
  return refused("no solution within " + std::to_string(most_steps) + " steps", "start elsewhere");
}

}  // namespace scalediag::fit
