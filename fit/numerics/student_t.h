// Student's distribution, for means of few repeats.
#pragma once

namespace scalediag::fit {

// The quantile: a value lies below it with probability p. Preconditions: 0 < p < 1, degrees > 0, both finite.
double student_t_quantile(double p, double degrees);

// The probability of a value above t. Precondition: degrees > 0, finite; t may be infinite.
double student_t_above(double t, double degrees);

}  // namespace scalediag::fit
