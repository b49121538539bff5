// Scales that alternate between two kinds of process grid: 4 = 2 x 2, 8 = 4 x 2, 16 = 4 x 4, 32 = 8 x 4, ...
//
// Every doubling of the processes changes the shape of their grid and every second one gives it back, so what depends
// on the shape (halos, transposes) zigzags. Such a curve is two, one of each kind, that are apart by a factor:
//   log(y) = g(x) + kind(x) half_factor
// and hypotheses are fitted to g, which both have in common.
#pragma once

#include <optional>
#include <span>

namespace scalediag::fit {

// The kind of the scale at `log_x` where the first one is at `first_log_x`: 1 after an even number of doublings, -1
// after an odd one, 0 where it is neither.
int grid_kind(double log_x, double first_log_x);

// Half the logarithm of the factor between the kinds; none where the scales do not alternate between them or the values
// do not: at least five, each of which departs from its neighbours to its kind's side by about as much as the others
// do, and by more than hypotheses usually miss (kLeastZigzag) and the noise of a value (relative) explains.
std::optional<double> half_factor_of_kinds(std::span<const double> log_x, std::span<const double> log_y,
                                           double noise = 0);

constexpr double kLeastZigzag = 0.05;

}  // namespace scalediag::fit
