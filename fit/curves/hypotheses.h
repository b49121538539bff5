// Simple hypotheses of scaling in one parameter x, fitted in relative error.
//
//   level           c
//   proportional    a / x, the work divided ideally among processes; a x for the size of a problem
//   power           a x^b; once as fitted, once with b drawn towards a whole number, once with b damped beyond the
//                   measurements
//   drift           the slope between the last two points, damped
//   logarithm       a log2(x) + c           (Ding et al. 2018; so are power and exponential with a constant)
//   root, linear    a x^(1/2) + c, a x + c
//   Amdahl          a / x + c
//   surface, half   a x^(-2/3) + c, a x^(-1/2) + c
//   sums            a / x + b log2(x) + c, a / x + b x + c, a x^(-1/2) + b log2(x) + c
//   power + c, exponential + c   with the exponent found by search; the exponential only where it decays, since
//                   one that grows with the scale leaves every physical bound within a few doublings
//   power x log     a x^i log2(x)^j + c, with i and j found by search among those that algorithms have
//   free            a f(x) + c with the exponent or rate left free, as in Ding et al. (FreeForm); it takes part only
//                   where it meets every held-out scale within the noise
//
// All coefficients of sums are non-negative, so no hypothesis predicts a negative value at any x.
// Growth with scale is what hypotheses are used to extrapolate, so larger scales weigh more: weight ~ x^(1/2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/data/observations.h"

namespace scalediag::fit {

enum class Hypothesis : uint8_t {
  kLevel,
  kProportional,
  kPower,
  kShrunkPower,
  kDampedPower,
  kDrift,
  kLogarithm,
  kRoot,
  kLinear,
  kAmdahl,
  kSurface,
  kHalf,
  kAmdahlLogarithm,
  kAmdahlLinear,
  kHalfLogarithm,
  kPowerConstant,
  kExponentialConstant,
  kPowerLogarithm,
  kFree,
};
constexpr size_t kHypotheses = 19;

const char* name_of(Hypothesis hypothesis);

// The kind of a parameter, which decides how trends continue beyond the measurements.
enum class Axis { kProcesses, kSize };

// The weight before anything is known; sums to 1 over all hypotheses.
double prior_of(Hypothesis hypothesis, Axis axis);

// The functions of x that sums are made of.
enum class Term : uint8_t { kOne, kLog, kRoot, kLinear, kInverse, kSurface, kHalf };
constexpr size_t kTerms = 7;

// The searched exponents b of a x^b + c, and the rates r of a e^(-r x / x_1) + c.
constexpr std::array kExponents = {-2.0, -1.5, -1.25, -0.75, -0.35, -0.2, 0.2, 0.35, 0.65, 0.8, 1.25, 1.5, 2.0, 3.0};
constexpr std::array kRates = {0.05, 0.1, 0.2, 0.4, 0.8};

// The searched terms x^power log2(x)^log_power, of trees whose nodes do work that grows, of sorting and of transposes,
// and their forms when the data are divided among the processes.
struct PowerLog {
  double power;
  int log_power;
};
constexpr std::array<PowerLog, 8> kPowerLogs = {
    {{-1, 1}, {-2.0 / 3, 1}, {-0.5, 1}, {0, 2}, {1.0 / 3, 1}, {0.5, 1}, {1, 1}, {1, 2}}};

//   processes   divide work, and what is divided stops falling: with Amdahl's law the slope between two doublings s
//               goes on as about s (1 - (1 + s) / 2), which stays at -1 where the work is divided ideally and is halved
//               near 0. Below -1 only what exceeds -1 is halved: caches get large enough once. Growth is halved, as the
//               cost of depending on others saturates more often than not.
//   a size      makes work grow by a power, however large the problem is.
double damped(double slope, Axis axis);

// Values of all terms at the scales of a series; shared by all series that were measured at the same scales.
struct ScaleTable {
  explicit ScaleTable(std::span<const double> scales, Axis axis = Axis::kProcesses);  // rising, positive

  Axis axis = Axis::kProcesses;
  std::vector<double> x;
  std::vector<double> log_x;
  std::vector<double> emphasis;  // x^(1/2)
  std::vector<std::array<double, kTerms>> terms;
  std::vector<std::array<double, kExponents.size()>> powers;
  std::vector<std::array<double, kRates.size()>> decays;
  std::vector<std::array<double, kPowerLogs.size()>> power_logs;
  // log2 is taken of x / log_unit. The unit is 1 where all x >= 1; elsewhere it makes log2 equal to 1 at the smallest
  // x, since a logarithm must not become negative within the measurements.
  double log_unit = 1;
};

struct FittedHypothesis {
  Hypothesis hypothesis = Hypothesis::kLevel;
  uint8_t searched = 0;       // the index of what was searched, in kExponents, kRates or kPowerLogs; or a FreeForm
  std::array<double, 3> c{};  // of the terms in the order of `terms_of`; for powers of one term c[0] = log(a)
  double exponent = 0;        // b or i; for exponentials the rate per x
  int log_power = 0;          // j
  double beyond = 0;          // the exponent beyond the measurements, where it differs
  double log_last = 0;        // log of the largest scale fitted to
  double log_unit = 1;

  double log_value(double x, double log_x) const;
};

// The hypothesis fitted to the first `count` points, for every hypothesis and every count from `fewest` (at least
// kScalesForTrend) to n: [count][hypothesis]. values positive; weights are precisions (1 / relative variance) up to a
// factor. Smaller counts are left empty. The free hypothesis, which is not among them, stands for the level.
using FittedHypotheses = std::array<FittedHypothesis, kHypotheses>;
std::vector<FittedHypotheses> fit_hypotheses(const ScaleTable& scales, std::span<const double> values,
                                             std::span<const double> weights, size_t fewest = kScalesForTrend);

// a f(x) + c with any exponent or rate b:
//   power        f = x^b; where b vanishes, a logarithm that falls. It goes on as 1 / x from where it would fall faster
//                than that, since it would become negative.
//   exponential  f = e^(b x)
//   of 1 / x     f = e^(b / x): the exponential in the work per process
// Ding et al. 2018 have only these.
enum class FreeForm : uint8_t { kPower, kExponential, kExponentialOfInverse };

struct FreeFit {
  FittedHypothesis hypothesis;
  // The relative standard error of the hypothesis's value at x where each value that it was fitted to has one of 1.
  double error_at(double x) const;

  std::array<std::array<double, 3>, 3> covariance{};  // of a, b and c, for such values
};

// The form by least squares of the relative error of the first `count` points (at least 3), from the one through the
// first, the middle and the last of them. None: no such curve runs through these three, or it becomes negative beyond
// the points, or it grows exponentially with the number of processes.
std::optional<FreeFit> fit_free_form(FreeForm form, const ScaleTable& scales, std::span<const double> values,
                                     size_t count);

// The same without c, through the first two points. Precondition: their values differ.
FittedHypothesis free_form_of_two(FreeForm form, const ScaleTable& scales, std::span<const double> values);

// The logarithms of all hypotheses' values at x. For a scale that they were fitted to, log_values_at_scale() is
// quicker.
void log_values(const FittedHypotheses& hypotheses, double x, double log_x, std::array<double, kHypotheses>* values);
void log_values_at_scale(const FittedHypotheses& hypotheses, const ScaleTable& scales, size_t scale,
                         std::array<double, kHypotheses>* values);

// The relative deviation up to which a hypothesis counts as reproducing values exactly: they were written with six
// digits.
constexpr double kExact = 1e-5;

// A set of hypotheses: bit l is set where hypothesis l, fitted to the first `count` points, passes through all of them,
// has at least two unknowns fewer than there are points (`further_unknowns` included, which were used to change the
// points before), and goes on unchanged beyond them.
uint32_t exact_hypotheses(const FittedHypotheses& hypotheses, const ScaleTable& scales,
                          std::span<const double> log_values, size_t count, size_t further_unknowns = 0);

}  // namespace scalediag::fit
