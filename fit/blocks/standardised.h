// Columns of numbers shifted to a mean of 0 and scaled to a standard deviation of 1, in which coefficients can be
// compared with each other and solvers meet no large or small numbers.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace scalediag::fit {

// scaled = (x - mean) / scale, of each column. The scale of a constant column is 1.
struct Standardised {
  Eigen::MatrixXd columns;
  Eigen::VectorXd means, scales;
};

Standardised standardised(const Eigen::MatrixXd& x, const std::vector<Eigen::Index>& which);
Standardised standardised(const Eigen::MatrixXd& x);  // all columns

}  // namespace scalediag::fit
