// Small statistics that every room needs.
#pragma once

#include <span>
#include <vector>

namespace scalediag::core {

double mean(std::span<const double> values);  // 0 for none
// Sample standard deviation (n - 1); 0 for fewer than two values.
double standard_deviation(std::span<const double> values);
// Standard deviation / mean; 0 where either is undefined.
double coefficient_of_variation(std::span<const double> values);

// The middle value, or the mean of the two middle ones; 0 for none.
double median(std::vector<double> values);

}  // namespace scalediag::core
