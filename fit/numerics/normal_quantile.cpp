#include "fit/numerics/normal_quantile.h"

#include <boost/math/distributions/normal.hpp>

namespace scalediag::fit {

double normal_quantile(double p) { return boost::math::quantile(boost::math::normal_distribution<double>(), p); }

}  // namespace scalediag::fit
