#include "fit/numerics/free_form.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace scalediag::fit {
namespace {

// Beyond this exponential functions would not be finite.
constexpr double kLargestExponent = 600;

// The constant c counts as 0 below this share of the smaller of the first and the last value.
constexpr double kNoConstant = 1e-5;

// The variable u of f = e^(b u).
double variable(FreeForm form, double x) {
  return form == FreeForm::kPower ? std::log(x) : form == FreeForm::kExponential ? x : 1 / x;
}

double term(const FreeCurve& f, double u) { return std::exp(std::min(f.b * u, kLargestExponent)); }

// c + a log2(x) with a < 0: its slope in logarithms is -1 where it has fallen to -a / ln(2).
double log_of_falling_logarithm(const FreeCurve& f, double log_x) {
  const double a = f.a / std::numbers::ln2;
  const double turn = (-a - f.c) / a;
  return log_x < turn ? std::log(f.c + a * log_x) : std::log(-a) + turn - log_x;
}

// b of y = a e^(b u) + c through three points with rising u; none where y does not go one way. The quotient of the two
// steps, (1 - e^(-b d1)) / (e^(b d2) - 1), falls with b.
std::optional<double> rate_through(std::array<double, 3> u, std::array<double, 3> y) {
  constexpr double kSteepestRate = 40;  // over all three points: a factor of e^40
  constexpr int kHalvings = 60;
  const double quotient = (y[1] - y[0]) / (y[2] - y[1]);
  if (!(quotient > 0) || !std::isfinite(quotient)) return std::nullopt;
  double high = kSteepestRate / (u[2] - u[0]);
  double low = -high;
  for (int i = 0; i < kHalvings; i++) {
    const double b = (low + high) / 2;
    const double at_b =
        b == 0 ? (u[1] - u[0]) / (u[2] - u[1]) : -std::expm1(-b * (u[1] - u[0])) / std::expm1(b * (u[2] - u[1]));
    (at_b > quotient ? low : high) = b;
  }
  return (low + high) / 2;
}

// Through the first, the middle and the last point.
std::optional<FreeCurve> through_three(FreeForm form, std::span<const double> all_u, std::span<const double> values) {
  constexpr double kNoRate = 1e-5;  // over all three points
  std::array<size_t, 3> at = {0, all_u.size() / 2, all_u.size() - 1};
  if (form == FreeForm::kExponentialOfInverse) std::swap(at[0], at[2]);
  std::array<double, 3> u, y;
  for (size_t i = 0; i < 3; i++) {
    u[i] = all_u[at[i]];
    y[i] = values[at[i]];
  }
  const std::optional<double> b = rate_through(u, y);
  if (!b) return std::nullopt;
  FreeCurve f{form};
  if (std::abs(*b) * (u[2] - u[0]) < kNoRate) {
    // The limit is a straight line in u. Of these lines only the falling logarithm is not among the other hypotheses.
    if (form != FreeForm::kPower || y[2] > y[0]) return std::nullopt;
    f.a = (y[2] - y[0]) / (u[2] - u[0]) * std::numbers::ln2;
    f.c = y[2] - f.a * u[2] / std::numbers::ln2;
    return f;
  }
  f.b = *b;
  // The coefficient is taken from the smaller of the exponentials, which keeps c exact.
  const double rise = std::exp(*b * u[0]) * std::expm1(*b * (u[2] - u[0]));
  f.a = (y[2] - y[0]) / rise;
  const size_t small = *b > 0 ? 0 : 2;
  f.c = y[small] - f.a * std::exp(*b * u[small]);
  return f;
}

// Derivatives of a e^(b u) + c by a, b and c.
Eigen::Vector3d gradient(const FreeCurve& f, double u) {
  const double t = term(f, u);
  return {t, f.a * t * u, 1};
}

double squared_errors(const FreeCurve& f, std::span<const double> u, std::span<const double> values) {
  double sum = 0;
  for (size_t i = 0; i < u.size(); i++) {
    const double error = (f.c + f.a * term(f, u[i])) / values[i] - 1;
    sum += error * error;
  }
  return sum;
}

// Gauss's and Newton's method in relative errors; steps that do not help are halved. Sets the covariance as well.
void improve(std::span<const double> u, std::span<const double> values, FreeFit* fit) {
  constexpr int kSteps = 20;
  constexpr int kHalvings = 6;
  constexpr double kEnough = 1e-9;
  constexpr double kDependent = 1e-14;  // the determinant of columns that rounding cannot tell apart
  FreeCurve& f = fit->curve;
  double errors = squared_errors(f, u, values);
  for (int step = 0; step < kSteps; step++) {
    Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (size_t i = 0; i < u.size(); i++) {
      Eigen::Vector3d g = gradient(f, u[i]);
      const double error = 1 - (f.c + f.a * g[0]) / values[i];
      g /= values[i];
      right += error * g;
      normal += g * g.transpose();
    }
    // The inverse is the adjugate over the determinant.
    Eigen::Matrix3d inverse;
    for (int i = 0; i < 3; i++) inverse.row(i) = normal.col((i + 1) % 3).cross(normal.col((i + 2) % 3));
    const double determinant = normal.row(0).dot(inverse.col(0));
    if (!(determinant > kDependent * normal.diagonal().prod())) return;
    inverse /= determinant;
    Eigen::Matrix3d::Map(fit->covariance.data()) = inverse;
    const Eigen::Vector3d move = inverse * right;
    FreeCurve moved;
    double left = errors;
    for (double part = 1; part > std::pow(0.5, kHalvings); part /= 2) {
      moved = {f.form, f.a + part * move[0], f.b + part * move[1], f.c + part * move[2]};
      left = squared_errors(moved, u, values);
      if (left < errors) break;
    }
    if (!(left < errors)) return;
    const bool enough = errors - left <= kEnough * errors;
    f = moved;
    errors = left;
    if (enough) return;
  }
}

// As x grows without end.
bool stays_positive(const FreeCurve& f) {
  if (f.b == 0) return true;
  if (f.form == FreeForm::kExponentialOfInverse) return f.c + f.a >= 0;
  return (f.b < 0 ? f.c : f.a) >= 0;
}

}  // namespace

double FreeCurve::log_value(double x) const {
  return b == 0 ? log_of_falling_logarithm(*this, std::log(x))
                : std::log(std::max(kTiny, c + a * term(*this, variable(form, x))));
}

double FreeFit::error_at(double x) const {
  const Eigen::Vector3d g = gradient(curve, variable(curve.form, x));
  const double variance = g.dot(Eigen::Matrix3d::Map(covariance.data()) * g);
  return std::sqrt(std::max(0.0, variance)) / std::exp(curve.log_value(x));
}

std::optional<FreeFit> fit_free_form(FreeForm form, std::span<const double> x, std::span<const double> values) {
  std::vector<double> u;
  for (const double v : x) u.push_back(variable(form, v));
  const std::optional<FreeCurve> start = through_three(form, u, values);
  if (!start) return std::nullopt;
  FreeFit fit{*start};
  // The logarithm has two unknowns, and is taken as it is.
  if (start->b != 0) improve(u, values, &fit);
  if (std::abs(fit.curve.c) < kNoConstant * std::min(values.front(), values.back())) fit.curve.c = 0;
  return stays_positive(fit.curve) ? std::optional(fit) : std::nullopt;
}

FreeCurve free_form_of_two(FreeForm form, std::span<const double> x, std::span<const double> values) {
  const double u = variable(form, x[0]);
  const double b = std::log(values[1] / values[0]) / (variable(form, x[1]) - u);
  return {form, values[0] * std::exp(-b * u), b, 0};
}

}  // namespace scalediag::fit
