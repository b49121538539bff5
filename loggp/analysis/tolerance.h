// Tolerance of a run: the factor by which a parameter of the network gets worse until the run takes longer by a given
// share.
//
// For messages that meet as they do, the run time T is the longest of all paths through the program, each of which is a
// straight line in a factor f of latencies, or of times per byte: T(f) is piecewise linear and convex, and bends where
// another path becomes the longest one. (Adapters that pass messages in another order are exceptions.) T is therefore
// enclosed from below by its tangents and from above by its chords, and simulated where these are furthest apart
// (sandwich algorithm: Rote, Computing 48, 1992) until they agree. A tangent is a second simulation with a factor that
// is larger by 1e-5.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/result.h"

namespace scalediag::loggp {

constexpr double kMostFactor = 1000;  // up to which factors are tried

struct Tolerance {
  struct Limit {
    double longer = 0;             // 0.05: the run takes 5 % longer
    std::optional<double> factor;  // at which it does; empty: above kMostFactor
  };
  std::vector<Limit> limits;
  std::vector<double> bends;  // factors below the last limit at which another path becomes the longest
  double error = 0;           // of the run time at any factor, as a share of that of the network as it is, at most
  int simulations = 0;
};

// `total_s` gives the run time for a factor of at least 1, or an error; two calls may run at the same time. `now_s` is
// that of the factor 1. `longer`: shares, rising. Errors: those of total_s.
core::Result<Tolerance> tolerance_of(const std::function<core::Result<double>(double)>& total_s, double now_s,
                                     const std::vector<double>& longer);

}  // namespace scalediag::loggp
