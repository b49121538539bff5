// Small statistics that every room needs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalediag::core {

double mean(std::span<const double> values);  // 0 for none
// Sample standard deviation (n - 1); 0 for fewer than two values.
double standard_deviation(std::span<const double> values);
// Standard deviation / mean; 0 where either is undefined.
double coefficient_of_variation(std::span<const double> values);

// The standard error of the median of n draws of a normal distribution, relative to the deviation of one; 1 for fewer
// than two.
double error_of_median(size_t n);

// The middle value, or the mean of the two middle ones; 0 for none.
double median(std::vector<double> values);

}  // namespace scalediag::core
