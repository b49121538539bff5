// The computations of a run's ranks, and the noise in them.
//
// Two ranks that do the same are apart by noise. It is measured with each rank alone: as the distance between two
// repeats of it; where there is one run only, between successive occurrences of each event, which is as large where
// occurrences are alike, and larger where they are not.
#pragma once

#include <optional>
#include <vector>

#include "loggp/representatives/computation_vector.h"

namespace scalediag::loggp {

struct KnownComputations {
  // By rank: medians over repeats, event by event; an event in a loop has the mean of all rounds where the trace has no
  // series. Empty: the rank's computations are not known.
  std::vector<ComputationVector> vectors;
  std::vector<std::optional<double>> noise_s;  // by rank: how far two such vectors of the rank are apart by noise
  bool are_means = false;                      // some trace has no series
  size_t repeats = 1;                          // runs that they are from
  // By rank and run or replay, in seconds; empty: there is one, or one in which some rank has other events. They tell
  // which differences between ranks persist.
  std::vector<std::vector<double>> totals_s{};

  const ComputationVector& of(int rank) const;         // empty: not known
  std::optional<double> noise_of(int a, int b) const;  // the larger one of two ranks; nothing: that of one is not known
};

// The part of the differences between ranks' whole computations that persists over repeats. Nothing where no repeats,
// or fewer than three ranks, tell. Precondition: `ranks` communicate alike.
struct Persistence {
  double share = 0;  // of the variance of means over repeats, that which is not the repeats' own / their number
  std::vector<double> means;  // of each rank, relative to the mean of all
};
std::optional<Persistence> persistence(const KnownComputations& known, const std::vector<int>& ranks);

// The computation of each of `ranks` relative to their mean, as far as that persists; 1 for all where it is not known.
std::vector<double> persistent_shares(const KnownComputations& known, const std::vector<int>& ranks);

// Event by event. Precondition: the vectors are of one length, and there is one.
ComputationVector medians_of(const std::vector<ComputationVector>& repeats);

// `repeats`: other runs of the same program; those in which a rank has other events are left out for that rank.
KnownComputations known_computations(const std::vector<RankTrace>& run,
                                     const std::vector<std::vector<RankTrace>>& repeats);

// The computations of replayed ranks, of `ranks` in all.
KnownComputations known_computations(const ReplayedRanks& replayed, size_t ranks);

}  // namespace scalediag::loggp
