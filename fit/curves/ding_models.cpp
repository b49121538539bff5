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

// a f(x; b) + c at scales relative to one of them, which keeps exponents of both kinds near 1.
class Form {
 public:
  enum class Kind { kPower, kLogarithm, kExponential };

  explicit Form(Kind kind) : kind_(kind) {}

  const char* name() const {
    switch (kind_) {
      case Kind::kPower:
        return "power (Ding et al.)";
      case Kind::kLogarithm:
        return "logarithm (Ding et al.)";
      case Kind::kExponential:
        return "exponential (Ding et al.)";
    }
    return "";
  }

  // Fits the first `count` points; false where that has no solution.
  bool fit(const Curve& curve, size_t count) {
    const std::vector<double>& x = curve.scales->x;
    is_of_work_ = kind_ == Kind::kExponential && curve.scales->axis == Axis::kProcesses;
    unit_ = kind_ == Kind::kLogarithm ? 1 : is_of_work_ ? x[0] : x[count - 1];
    return kind_ == Kind::kLogarithm ? fit_logarithm(curve, count) : fit_nonlinear(curve, count);
  }

  double value(double x) const { return a_ * base(relative(x)) + c_; }

  // The coefficients for x itself, not relative to the largest scale.
  std::vector<Coefficient> coefficients(const std::string& x) const {
    switch (kind_) {
      case Kind::kPower:
        return {{"1", c_}, {x + "^" + core::four_digits(b_), a_ * std::pow(unit_, -b_)}};
      case Kind::kLogarithm:
        return {{"1", c_}, {"log2(" + x + ")", a_}};
      case Kind::kExponential:
        return {{"1", c_},
                {is_of_work_ ? "exp(" + core::four_digits(b_ * unit_) + " / " + x + ")"
                             : "exp(" + core::four_digits(b_ / unit_) + " " + x + ")",
                 a_}};
    }
    return {};
  }

 private:
  double relative(double x) const { return is_of_work_ ? unit_ / x : x / unit_; }

  double base(double x) const {
    switch (kind_) {
      case Kind::kPower:
        return std::pow(x, b_);
      case Kind::kLogarithm:
        return std::log2(x);
      case Kind::kExponential:
        return std::exp(b_ * x);
    }
    return 0;
  }

  static double weight(const Curve& curve, size_t i) { return std::sqrt(curve.weights[i]) / curve.values[i]; }

  bool fit_logarithm(const Curve& curve, size_t count) {
    std::vector<std::vector<double>> columns(2);
    std::vector<double> values;
    for (size_t i = 0; i < count; i++) {
      const double w = weight(curve, i);
      columns[0].push_back(w * std::log2(curve.scales->x[i]));
      columns[1].push_back(w);
      values.push_back(w * curve.values[i]);
    }
    const auto solved = linear_least_squares(columns, values);
    if (!solved) return false;
    a_ = solved.value().coefficients[0];
    c_ = solved.value().coefficients[1];
    return true;
  }

  bool fit_nonlinear(const Curve& curve, size_t count) {
    if (count < 3) return false;
    std::vector<double> rows;
    std::vector<double> values;
    for (size_t i = 0; i < count; i++) {
      rows.push_back(static_cast<double>(i));
      values.push_back(weight(curve, i) * curve.values[i]);
    }
    const CurveFunction f = [&](double row, std::span<const double> c, std::span<double> derivatives) {
      const auto i = static_cast<size_t>(row);
      const double x = relative(curve.scales->x[i]);
      const double w = weight(curve, i);
      const double base = kind_ == Kind::kPower ? std::pow(x, c[1]) : std::exp(c[1] * x);
      derivatives[0] = w * base;
      derivatives[1] = w * c[0] * base * (kind_ == Kind::kPower ? std::log(x) : x);
      derivatives[2] = w;
      return w * (c[0] * base + c[2]);
    };
    // The start is the curve without a constant through the first and the last point.
    const double first = relative(curve.scales->x.front()), end = relative(curve.scales->x[count - 1]);
    const double rise = std::log(curve.values[count - 1] / curve.values[0]);
    const double b = kind_ == Kind::kPower ? rise / -std::log(first) : rise / (end - first);
    const double last = curve.values[count - 1];
    const std::array<double, 3> start = {kind_ == Kind::kPower ? last : last * std::exp(-b * end), b == 0 ? 0.1 : b, 0};
    const auto solved = nonlinear_least_squares(f, rows, values, start, kSteps);
    if (!solved) return false;
    a_ = solved.value().coefficients[0];
    b_ = solved.value().coefficients[1];
    c_ = solved.value().coefficients[2];
    return std::isfinite(a_) && std::isfinite(b_) && std::isfinite(c_);
  }

  Kind kind_;
  double a_ = 0;
  double b_ = 0;
  double c_ = 0;
  double unit_ = 1;
  bool is_of_work_ = false;  // of 1 / x
};

}  // namespace

std::vector<Alternative> ding_models(const Curve& curve, const std::string& x) {
  std::vector<Alternative> out;
  const size_t n = curve.values.size();
  if (n < static_cast<size_t>(kScalesForCheck)) return out;
  constexpr double kFurther = 8;
  for (const Form::Kind kind : {Form::Kind::kPower, Form::Kind::kLogarithm, Form::Kind::kExponential}) {
    Form form(kind);
    if (!form.fit(curve, n)) continue;
    Alternative a;
    a.hypothesis = form.name();
    a.coefficients = form.coefficients(x);
    a.formula = text_of(a.coefficients);
    Form before(kind);
    if (before.fit(curve, n - 1)) {
      const double predicted = before.value(curve.scales->x.back());
      const double measured = curve.values.back();
      a.backtest_error = predicted > 0 ? std::abs(std::log(predicted / measured)) : kNegative;
      a.reason = predicted > 0 ? "predicted " + core::four_digits(predicted) +
                                     " for the largest scale, which measured " + core::four_digits(measured)
                               : "predicted a negative value for the largest scale";
    } else {
      a.reason = "cannot be fitted without the largest scale, and so not be checked";
    }
    a.reason = "only for comparison; " + a.reason;
    const double further = form.value(kFurther * curve.scales->x.back());
    if (!(further > 0) || !std::isfinite(further))
      a.reason += "; is " + core::four_digits(further) + " at " + core::to_text(kFurther) + " times that scale";
    out.push_back(std::move(a));
  }
  return out;
}

}  // namespace scalediag::fit
