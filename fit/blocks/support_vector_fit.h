// Support vector regression of a block's time, by libsvm (Smola and Schoelkopf 2004).
#pragma once

#include <Eigen/Core>

#include "core/result.h"
#include "fit/blocks/linear_fits.h"

namespace scalediag::fit {

// epsilon: deviations up to this part of the values' standard deviation cost nothing. cost: that of the others against
// a flat model.
struct SupportVectorOptions {
  double epsilon = 0.01;
  double cost = 100;
};

// With the linear kernel, in the columns that stepwise_regression() keeps, which are rotated to be uncorrelated (so
// that powers of one attribute do not slow the solver down). Error (kInput): libsvm refuses the problem.
Result<LinearFit> linear_support_vectors(const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                                         const SupportVectorOptions& options);

// y = offset + sum_i weights[i] exp(-gamma |z - vectors.row(i)|^2), of standardised columns z = (x - mean) / scale.
struct RadialFit {
  Eigen::VectorXd means, scales;  // of the columns
  Eigen::MatrixXd vectors;        // a row each
  Eigen::VectorXd weights;        // in the unit of y
  double gamma = 0;
  double offset = 0;
  bool stopped_early = false;  // the solver gave up before it had found the best fit

  double value(const Eigen::VectorXd& row) const;
};

// With radial basis functions. Error (kInput): as above.
Result<RadialFit> radial_support_vectors(const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                                         const SupportVectorOptions& options);

}  // namespace scalediag::fit
