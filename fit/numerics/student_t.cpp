#include "fit/numerics/student_t.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace scalediag::fit {

double student_t_quantile(double p, double degrees) {
  return boost::math::quantile(boost::math::students_t_distribution<double>(degrees), p);
}

double student_t_above(double t, double degrees) {
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return boost::math::cdf(boost::math::complement(boost::math::students_t_distribution<double>(degrees), t));
}

}  // namespace scalediag::fit
