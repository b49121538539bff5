#include "fit/blocks/standardised.h"

#include <cmath>
#include <numeric>

namespace scalediag::fit {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Standardised standardised(const MatrixXd& x, const std::vector<Index>& which) {
  Standardised result;
  result.columns.resize(x.rows(), static_cast<Index>(which.size()));
  result.means.resize(result.columns.cols());
  result.scales.resize(result.columns.cols());
  for (Index j = 0; j < result.columns.cols(); ++j) {
    const auto column = x.col(which[static_cast<size_t>(j)]);
    const double mean = column.mean();
    const double deviation = std::sqrt((column.array() - mean).square().mean());
    const double scale = deviation > 0 ? deviation : 1;
    result.columns.col(j) = (column.array() - mean) / scale;
    result.means[j] = mean;
    result.scales[j] = scale;
  }
  return result;
}

Standardised standardised(const MatrixXd& x) {
  std::vector<Index> all(static_cast<size_t>(x.cols()));
  std::iota(all.begin(), all.end(), 0);
  return standardised(x, all);
}

}  // namespace scalediag::fit
