// The hypotheses of hypothesis_table.h fitted to values at scales, in relative error. Growth with scale is what they
// are used to extrapolate, so larger scales weigh more: weight ~ x^(1/2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "fit/curves/hypothesis_table.h"
#include "fit/data/observations.h"

namespace scalediag::fit {

// The slope with which a straight line in logarithms goes on beyond the measurements.
//
// Along processes, which divide work, what is divided stops falling: with Amdahl's law a slope s between two doublings
// goes on as about s (1 - (1 + s) / 2), which stays at -1 where the work is divided ideally and is halved near 0. Below
// -1 only what exceeds -1 is halved: caches get large enough once. Growth is halved, as the cost of depending on others
// saturates more often than not. Along a size, work grows by the same power however large the problem is.
double damped(double slope, Axis axis);

// Values of the terms of all sums at the scales of a series; shared by all series that were measured at the same
// scales.
struct ScaleTable {
  explicit ScaleTable(std::span<const double> scales, Axis axis = Axis::kProcesses);  // rising, positive

  Axis axis = Axis::kProcesses;
  std::vector<double> x;
  std::vector<double> log_x;
  std::vector<double> emphasis;                                          // x^(1/2)
  std::vector<std::array<std::array<double, 2>, kSums.size()>> of_sums;  // 0 where there is no term
};

// One table for all series that were measured at the same scales; threads may share it.
class ScaleTables {
 public:
  std::shared_ptr<const ScaleTable> at(const std::vector<double>& scales, Axis axis);

 private:
  std::mutex mutex_;
  std::map<std::pair<Axis, std::vector<double>>, std::shared_ptr<const ScaleTable>> tables_;
};

struct FittedHypothesis {
  Hypothesis hypothesis = Hypothesis::kLevel;
  uint8_t choice = 0;         // of a sum the index in kSums, of the free hypothesis its FreeForm
  std::array<double, 3> c{};  // of the constant and the terms; of a line c[0] = log(a)
  double exponent = 0;        // of a line, or the free exponent or rate
  double beyond = 0;          // the same beyond the measurements
  double log_last = 0;        // log of the largest scale fitted to
  double first = 1;           // the smallest scale

  double log_value(double x, double log_x) const;
};

// log2 in terms is taken of x times this. It is 1 where all x >= 1; elsewhere it makes log2 equal to 1 at the smallest
// x, since a logarithm must not become negative within the measurements.
constexpr double log_unit(double first) { return first < 1 ? 2 / first : 1; }

// The hypothesis fitted to the first `count` points, for every hypothesis and every count from `fewest` (at least
// kScalesForTrend) to n: [count][hypothesis]. values positive; weights are precisions (1 / relative variance) up to a
// factor. Smaller counts are left empty. The free hypothesis is represented by its stand-in.
using FittedHypotheses = std::array<FittedHypothesis, kHypotheses>;
std::vector<FittedHypotheses> fit_hypotheses(const ScaleTable& scales, std::span<const double> values,
                                             std::span<const double> weights, size_t fewest = kScalesForTrend);

// The logarithms of all hypotheses' values at x. For a scale that they were fitted to, log_values_at_scale() is
// quicker.
PerHypothesis log_values(const FittedHypotheses& hypotheses, double x, double log_x);
PerHypothesis log_values_at_scale(const FittedHypotheses& hypotheses, const ScaleTable& scales, size_t scale);

// The relative deviation up to which a hypothesis counts as reproducing values exactly: they were written with six
// digits.
constexpr double kExact = 1e-5;

// A set of hypotheses: bit l is set where hypothesis l, fitted to the first `count` points, passes through all of them,
// has at least two unknowns fewer than there are points (`further_unknowns` included, which were used to change the
// points before), and goes on unchanged beyond them. `accuracy` is the relative deviation that is none.
uint32_t exact_hypotheses(const FittedHypotheses& hypotheses, const ScaleTable& scales,
                          std::span<const double> log_values, size_t count, double accuracy,
                          size_t further_unknowns = 0);

}  // namespace scalediag::fit
