// Tolerance of a run: the factor by which a parameter of the network gets worse until the run takes longer by a given
// share.
//
// For messages that meet as they do, the run time T is the longest of all paths through the program, each of which is a
// straight line in a factor f of latencies, or of times per byte: T(f) is piecewise linear and convex, and bends where
// another path becomes the longest one. (Adapters that pass messages in another order are exceptions.) T is therefore
// enclosed from below by its tangents and from above by its chords, and simulated where these are furthest apart
// (sandwich algorithm: Rote, Computing 48, 1992) until they agree within 0.5 % of the run time. A tangent is a second
// simulation with a factor that is larger by 1e-5; it is made only where the others do not suffice. Because of the
// exceptions each factor that is told is simulated, too, and where T is not enclosed as it should be, factors are
// searched between simulations.
//
// The slope by operation is a sum over the messages of the critical path, each of which counts for the operation that
// sent it (as in LLAMP, Shen et al. 2024, arXiv 2404.14193, which has the sum over all from a linear program). Between
// two simulated factors the slopes of the lower one hold up to where the tangents meet, and those of the upper one from
// there on; what they add up to is the share of an operation.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace scalediag::loggp {

constexpr double kMostFactor = 1000;  // up to which factors are tried

// The run time at a factor, and by operation how much longer it gets for a factor that is larger by 1, along the
// critical path: the sum of latencies on it, of messages that the operation sent, for the latency's factor. Empty where
// that is not known.
struct RunTime {
  double total_s = 0;
  std::map<std::string, double> slopes_s;
};

struct Tolerance {
  struct Limit {
    double longer = 0;             // 0.05: the run takes 5 % longer
    std::optional<double> factor;  // at which it does; empty: above kMostFactor
    // The operations whose messages that comes from, with their shares of what the run is longer by. The rest, to 1, is
    // what the paths do not show: adapters that other messages kept busy.
    std::map<std::string, double> shares;
  };
  std::vector<Limit> limits;
  // Factors below the last limit near which another path becomes the longest: several between two simulated factors are
  // one. None where T was found not to be convex.
  std::vector<double> bends;
  // By operation what the run takes longer at the last limit at least, where only its messages are worse: what they add
  // along the path of the factor 1, as a share of the run time now. More where another path becomes the longest.
  std::map<std::string, double> alone;
  double error = 0;  // by how much the run time at a factor of `limits` is not the one that it stands for, as a share
                     // of the run time now; 0: by less than 0.1 %
  int simulations = 0;
};

// `run_time` gives the run time for a factor of at least 1, or an error. `now` is that of the factor 1. `longer`:
// shares, rising. Errors: those of run_time.
Result<Tolerance> tolerance_of(const std::function<Result<RunTime>(double)>& run_time, const RunTime& now,
                               const std::vector<double>& longer);

}  // namespace scalediag::loggp
