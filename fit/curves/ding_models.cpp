#include "fit/curves/ding_models.h"

#include <array>
#include <cmath>
#include <optional>

#include "core/text/numbers.h"
#include "fit/curves/formula.h"
#include "fit/numerics/least_squares.h"

namespace scalediag::fit {
namespace {

// The search for an exponent stops after this many steps: with series that such a model does not fit it goes to
// infinity.
constexpr int kSteps = 100;
// The error that a negative prediction counts as: the logarithm of a factor of 1000.
constexpr double kNegative = 6.9;

enum class Kind { kPower, kLogarithm, kExponential };

// a f(u) + c, where f(u) is u for a logarithm and e^(b u) else.
struct DingModel {
  Kind kind = Kind::kPower;
  bool of_work = false;  // an exponential of 1 / x
  double unit = 1;       // scales are taken relative to this one, which keeps exponents of both kinds near 1
  double a = 0;
  double b = 0;
  double c = 0;

  const char* name() const {
    return kind == Kind::kPower       ? "power (Ding et al.)"
           : kind == Kind::kLogarithm ? "logarithm (Ding et al.)"
                                      : "exponential (Ding et al.)";
  }

  double variable(double x) const {
    return kind == Kind::kLogarithm ? std::log2(x)
           : kind == Kind::kPower   ? std::log(x / unit)
           : of_work                ? unit / x
                                    : x / unit;
  }

  double value(double x) const {
    const double u = variable(x);
    return a * (kind == Kind::kLogarithm ? u : std::exp(b * u)) + c;
  }

  // Of x itself, not relative to the unit.
  std::vector<Coefficient> coefficients(const std::string& x) const {
    if (kind == Kind::kPower) return {{"1", c}, {x + "^" + core::four_digits(b), a * std::pow(unit, -b)}};
    if (kind == Kind::kLogarithm) return {{"1", c}, {"log2(" + x + ")", a}};
    return {{"1", c},
            {of_work ? "exp(" + core::four_digits(b * unit) + " / " + x + ")"
                     : "exp(" + core::four_digits(b / unit) + " " + x + ")",
             a}};
  }
};

// Fitted to the first `count` points; none where that has no solution.
std::optional<DingModel> fitted(Kind kind, const Curve& curve, size_t count) {
  const std::span<const double> x = std::span(curve.scales->x).first(count);
  DingModel m{kind, kind == Kind::kExponential && curve.scales->axis == Axis::kProcesses};
  m.unit = m.of_work ? x.front() : x.back();
  std::vector<std::vector<double>> columns(2);  // u and 1, weighted
  std::vector<double> values, rows;
  for (size_t i = 0; i < count; i++) {
    const double w = std::sqrt(curve.weights[i]) / curve.values[i];
    columns[0].push_back(w * m.variable(x[i]));
    columns[1].push_back(w);
    values.push_back(w * curve.values[i]);
    rows.push_back(static_cast<double>(i));
  }
  if (kind == Kind::kLogarithm) {
    const auto solved = linear_least_squares(columns, values);
    if (!solved) return std::nullopt;
    m.a = solved.value().coefficients[0];
    m.c = solved.value().coefficients[1];
    return m;
  }
  if (count < 3) return std::nullopt;
  const CurveFunction f = [&](double row, std::span<const double> c, std::span<double> derivatives) {
    const auto i = static_cast<size_t>(row);
    const double u = m.variable(x[i]);
    const double w = columns[1][i];
    const double base = std::exp(c[1] * u);
    derivatives[0] = w * base;
    derivatives[1] = w * c[0] * base * u;
    derivatives[2] = w;
    return w * (c[0] * base + c[2]);
  };
  // The start is the curve without a constant through the first and the last point.
  const double last = curve.values[count - 1];
  const double end = m.variable(x.back());
  const double b = std::log(last / curve.values[0]) / (end - m.variable(x.front()));
  const std::array<double, 3> start = {last * std::exp(-b * end), b == 0 ? 0.1 : b, 0};
  const auto solved = nonlinear_least_squares(f, rows, values, start, kSteps);
  if (!solved) return std::nullopt;
  m.a = solved.value().coefficients[0];
  m.b = solved.value().coefficients[1];
  m.c = solved.value().coefficients[2];
  return std::isfinite(m.a) && std::isfinite(m.b) && std::isfinite(m.c) ? std::optional(m) : std::nullopt;
}

}  // namespace

std::vector<Alternative> ding_models(const Curve& curve, const std::string& x) {
  std::vector<Alternative> out;
  const size_t n = curve.values.size();
  if (n < kScalesForCheck) return out;
  constexpr double kFurther = 8;
  for (const Kind kind : {Kind::kPower, Kind::kLogarithm, Kind::kExponential}) {
    const std::optional<DingModel> model = fitted(kind, curve, n);
    if (!model) continue;
    Alternative a;
    a.hypothesis = model->name();
    a.coefficients = model->coefficients(x);
    a.formula = text_of(a.coefficients);
    a.reason = "only for comparison; ";
    if (const std::optional<DingModel> before = fitted(kind, curve, n - 1)) {
      const double predicted = before->value(curve.scales->x.back());
      const double measured = curve.values.back();
      a.backtest_error = predicted > 0 ? std::abs(std::log(predicted / measured)) : kNegative;
      a.reason += predicted > 0 ? "predicted " + core::four_digits(predicted) +
                                      " for the largest scale, which measured " + core::four_digits(measured)
                                : "predicted a negative value for the largest scale";
    } else {
      a.reason += "cannot be fitted without the largest scale, and so not be checked";
    }
    const double further = model->value(kFurther * curve.scales->x.back());
    if (!(further > 0) || !std::isfinite(further))
      a.reason += "; is " + core::four_digits(further) + " at " + core::to_text(kFurther) + " times that scale";
    out.push_back(std::move(a));
  }
  return out;
}

}  // namespace scalediag::fit
