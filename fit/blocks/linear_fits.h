// Linear models of a block's time: y = intercept + sum_j coefficients[j] X(., j).
//
// Two of the methods of Zheng et al. (P2S2 2010, section III.C): linear regression with attributes selected as M5 does
// by Akaike's criterion and a small ridge, and the least median of squares (Rousseeuw and Leroy 2003), which executions
// that something disturbed cannot move.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "fit/blocks/standardised.h"

namespace scalediag::fit {

struct LinearFit {
  double intercept = 0;
  Eigen::VectorXd coefficients;  // one for each column; 0: not used
  bool stopped_early = false;    // the solver gave up before it had found the best one
};

// The fit in the `columns` columns of x that `intercept` and coefficients of its standardised columns `which` are.
LinearFit unscaled(const Eigen::VectorXd& coefficients, double intercept, const Standardised& scaled,
                   const std::vector<Eigen::Index>& which, Eigen::Index columns);

// The columns with a coefficient.
std::vector<Eigen::Index> used_columns(const LinearFit& fit);

// The columns of X that vary and are no linear combination of those before them: what these leave of a column is more
// than `least_part` of its spread.
std::vector<Eigen::Index> independent_columns(const Eigen::MatrixXd& x, double least_part = 1e-6);

// Begins with all independent columns, and leaves out the one with the smallest standardised coefficient as long as
// Akaike's criterion n ln(RSS / n) + 2 k falls or there are fewer than 5 rows a column. Without any column: the mean.
LinearFit stepwise_regression(const Eigen::MatrixXd& x, const Eigen::VectorXd& y);

// Of 500 linear models through random subsets of the rows, in the columns that stepwise_regression() keeps, the one
// whose squared residuals have the smallest median; then least squares of the rows within 2.5 of its standard
// deviations. The same rows always give the same model.
LinearFit least_median_of_squares(const Eigen::MatrixXd& x, const Eigen::VectorXd& y);

}  // namespace scalediag::fit
