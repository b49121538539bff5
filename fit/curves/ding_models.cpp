#include "fit/curves/ding_models.h"

#include <algorithm>
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

// The function's variable u at x.
double variable(const DingModel& m, double x) {
  return m.form == DingForm::kLogarithm ? std::log2(x)
         : m.form == DingForm::kPower   ? std::log(x / m.unit)
         : m.of_work                    ? m.unit / x
                                        : x / m.unit;
}

// Fitted to the first `count` points; none where that has no solution.
std::optional<DingModel> fitted(DingForm form, const ScaleTable& scales, std::span<const double> values,
                                std::span<const double> weights, size_t count) {
  const std::span<const double> x = std::span(scales.x).first(count);
  DingModel m;
  m.form = form;
  m.of_work = form == DingForm::kExponential && scales.axis == Axis::kProcesses;
  m.unit = m.of_work ? x.front() : x.back();
  std::vector<std::vector<double>> columns(2);  // u and 1, weighted
  std::vector<double> weighted, rows;
  for (size_t i = 0; i < count; i++) {
    const double w = std::sqrt(weights[i]) / values[i];
    columns[0].push_back(w * variable(m, x[i]));
    columns[1].push_back(w);
    weighted.push_back(w * values[i]);
    rows.push_back(static_cast<double>(i));
  }
  if (form == DingForm::kLogarithm) {
    const auto solved = linear_least_squares(columns, weighted);
    if (!solved) return std::nullopt;
    m.a = solved.value().coefficients[0];
    m.c = solved.value().coefficients[1];
    return m;
  }
  if (count < 3) return std::nullopt;
  const CurveFunction f = [&](double row, std::span<const double> c, std::span<double> derivatives) {
    const auto i = static_cast<size_t>(row);
    const double u = variable(m, x[i]);
    const double w = columns[1][i];
    const double base = std::exp(c[1] * u);
    derivatives[0] = w * base;
    derivatives[1] = w * c[0] * base * u;
    derivatives[2] = w;
    return w * (c[0] * base + c[2]);
  };
  // The start is the curve without a constant through the first and the last point.
  const double last = values[count - 1];
  const double end = variable(m, x.back());
  const double b = std::log(last / values[0]) / (end - variable(m, x.front()));
  const std::array<double, 3> start = {last * std::exp(-b * end), b == 0 ? 0.1 : b, 0};
  const auto solved = nonlinear_least_squares(f, rows, weighted, start, kSteps);
  if (!solved) return std::nullopt;
  m.a = solved.value().coefficients[0];
  m.b = solved.value().coefficients[1];
  m.c = solved.value().coefficients[2];
  return std::isfinite(m.a) && std::isfinite(m.b) && std::isfinite(m.c) ? std::optional(m) : std::nullopt;
}

}  // namespace

const char* DingModel::name() const {
  return form == DingForm::kPower       ? "power (Ding et al.)"
         : form == DingForm::kLogarithm ? "logarithm (Ding et al.)"
                                        : "exponential (Ding et al.)";
}

double DingModel::value(double x) const {
  const double u = variable(*this, x);
  return a * (form == DingForm::kLogarithm ? u : std::exp(b * u)) + c;
}

// The coefficients are those of x itself, not relative to the unit.
std::vector<Coefficient> DingModel::coefficients(const std::string& x) const {
  if (form == DingForm::kPower) return {{"1", c}, {x + "^" + core::four_digits(b), a * std::pow(unit, -b)}};
  if (form == DingForm::kLogarithm) return {{"1", c}, {"log2(" + x + ")", a}};
  return {{"1", c},
          {of_work ? "exp(" + core::four_digits(b * unit) + " / " + x + ")"
                   : "exp(" + core::four_digits(b / unit) + " " + x + ")",
           a}};
}

double DingModel::held_out_error(double measured) const {
  if (!held_out) return 0;
  return *held_out > 0 ? std::min(std::abs(std::log(*held_out / measured)), kNegative) : kNegative;
}

std::vector<DingModel> ding_models(const ScaleTable& scales, std::span<const double> values,
                                   std::span<const double> weights, size_t known) {
  std::vector<DingModel> out;
  if (known < kScalesForCheck) return out;
  for (const DingForm form : {DingForm::kPower, DingForm::kLogarithm, DingForm::kExponential}) {
    std::optional<DingModel> model = fitted(form, scales, values, weights, known);
    if (!model) continue;
    if (const auto before = fitted(form, scales, values, weights, known - 1))
      model->held_out = before->value(scales.x[known - 1]);
    out.push_back(*model);
  }
  const double measured = values[known - 1];
  std::ranges::stable_sort(out, [measured](const DingModel& a, const DingModel& b) {
    if (a.held_out.has_value() != b.held_out.has_value()) return a.held_out.has_value();
    return a.held_out_error(measured) < b.held_out_error(measured);
  });
  return out;
}

std::optional<double> ding_value(std::span<const DingModel> models, double x) {
  for (const DingModel& model : models)
    if (const double value = model.value(x); value > 0 && std::isfinite(value)) return value;
  return std::nullopt;
}

Alternative ding_alternative(const DingModel& model, const ScaleTable& scales, double largest_value,
                             const std::string& x) {
  constexpr double kFurther = 8;
  Alternative a;
  a.hypothesis = model.name();
  a.coefficients = model.coefficients(x);
  a.formula = text_of(a.coefficients);
  a.backtest_error = model.held_out_error(largest_value);
  a.reason = "only for comparison; ";
  if (!model.held_out)
    a.reason += "cannot be fitted without the largest scale, and so not be checked";
  else if (*model.held_out > 0)
    a.reason += "predicted " + core::four_digits(*model.held_out) + " for the largest scale, which measured " +
                core::four_digits(largest_value);
  else
    a.reason += "predicted a negative value for the largest scale";
  const double further = model.value(kFurther * scales.x.back());
  if (!(further > 0) || !std::isfinite(further))
    a.reason += "; is " + core::four_digits(further) + " at " + core::to_text(kFurther) + " times that scale";
  return a;
}

}  // namespace scalediag::fit
