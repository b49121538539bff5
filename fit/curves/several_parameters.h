// Models in several parameters at once.
//
// Where a product of powers of the parameters passes through every measurement, it gives the value. Else curves do:
// a slice is what was measured along one parameter with all others held; each slice is a curve
// (fit/curves/curve_fit.h), and the slices of one parameter are fitted together as siblings. An estimate is taken from
//   - the slice through the target, where there is one: the one whose measurements lie nearest to the target;
//   - else, parameter by parameter: the slices along the first parameter (the processes) are evaluated at the target's
//     value of it, which leaves points in the other parameters, and so on until one parameter is left;
//   - else, where configurations lie scattered, a product of powers of the parameters, moved half way to the nearest
//     measurement.
#pragma once

#include <span>
#include <vector>

#include "fit/curves/curve_fit.h"
#include "fit/curves/preparation.h"

namespace scalediag::fit {

// One curve of a series in several parameters.
struct Slice {
  size_t dimension = 0;
  std::vector<double> at;  // the other parameters; at[dimension] is 0
  size_t curve = 0;        // index into a list of curves
};

// The values of points along one dimension, where no two of them are equal.
Curve curve_along(std::vector<const Point*> points, size_t dimension, Axis axis, ScaleTables* tables);

// Points of `points` that differ in `dimension` only, at least kScalesForTrend of them, in the order of their first
// point. Their curves are appended to `curves`.
std::vector<Slice> slices_along(std::span<const Point> points, size_t dimension, Axis axis, ScaleTables* tables,
                                std::vector<Curve>* curves);

// exp(log_factor) prod x_j^exponents_j, fitted in logarithms.
struct PowerProduct {
  std::vector<double> exponents;
  double log_factor = 0;
  bool exact = false;    // it passes through every point, of which there are more than unknowns
  double deviation = 0;  // root mean square of log(measured / fitted)
};
PowerProduct fit_product(std::span<const Point> points, std::span<const size_t> dimensions);

class SeveralParameters {
 public:
  // dimensions: the parameters that vary, the processes first; axes: the kind of each of them. slices and fits: those
  // of all dimensions; slices refer to fits.
  SeveralParameters(std::vector<Point> points, std::vector<size_t> dimensions, std::vector<Axis> axes,
                    std::vector<Slice> slices, std::vector<CurveFit> fits, double level, ModelSet models);

  LogEstimate estimate(std::span<const double> at) const;
  double log_product(std::span<const double> at) const;  // the logarithm of product()
  const std::vector<Slice>& slices() const { return slices_; }
  const std::vector<CurveFit>& fits() const { return fits_; }
  const PowerProduct& product() const { return product_; }  // its exponents in the order of dimensions()
  const std::vector<size_t>& dimensions() const { return dimensions_; }

 private:
  LogEstimate along_curves(std::span<const double> at) const;
  LogEstimate scattered(std::span<const double> at) const;

  std::vector<Point> points_;
  std::vector<size_t> dimensions_;
  std::vector<Axis> axes_;
  std::vector<Slice> slices_;
  std::vector<CurveFit> fits_;
  PowerProduct product_;
  double level_;
  ModelSet models_;
};

}  // namespace scalediag::fit
