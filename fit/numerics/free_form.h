// a f(x) + c with any exponent or rate b, fitted in relative error:
//   power                   f = x^b; where b vanishes, a logarithm that falls. It goes on as 1 / x from where it would
//                           fall faster than that, since it would become negative.
//   exponential             f = e^(b x)
//   exponential of 1 / x    f = e^(b / x), the exponential in the work per process
// Ding et al. 2018 have only these.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace scalediag::fit {

// A value far below any meaningful one that has a finite logarithm.
constexpr double kTiny = 1e-300;

enum class FreeForm : uint8_t { kPower, kExponential, kExponentialOfInverse };

struct FreeCurve {
  FreeForm form = FreeForm::kPower;
  double a = 0;
  double b = 0;  // 0: f = log2(x), and a < 0
  double c = 0;

  double log_value(double x) const;
};

struct FreeFit {
  FreeCurve curve;
  std::array<double, 9> covariance{};  // 3 x 3, of a, b and c, where each value has a relative standard error of 1

  // The relative standard error of the curve's value at x where each value that it was fitted to has one of 1.
  double error_at(double x) const;
};

// The curve by least squares of the relative error of all points (at least 3), from the one through the first, the
// middle and the last of them; x rising. None: no such curve runs through these three, or it becomes negative beyond
// the points.
std::optional<FreeFit> fit_free_form(FreeForm form, std::span<const double> x, std::span<const double> values);

// The curve without c through the first two points. Precondition: their values differ.
FreeCurve free_form_of_two(FreeForm form, std::span<const double> x, std::span<const double> values);

}  // namespace scalediag::fit
