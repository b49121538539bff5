// Ranks that stand for others: which few of a run have to be recorded and replayed, and whose computations each of the
// others is given.
//
// Ranks of a group communicate alike. They are taken apart where they compute otherwise, by more than noise: two ranks
// are kNoiseFactor times the noise of one of them (known_computations.h) closer than their vectors are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/representatives/communication_groups.h"
#include "loggp/representatives/known_computations.h"

namespace scalediag::loggp {

constexpr double kNoiseFactor = 1.5;  // the farthest of many pairs of alike ranks are farther apart than two repeats
constexpr double kAlike = 0.05;       // beyond noise; relative to the mean computation of the group
constexpr double kUnlike = 0.1;       // the same: users are warned of ranks that are farther apart

// The distance of the computations of two ranks, relative to the mean computation of their group.
struct Apart {
  double all = 0;
  std::optional<double> noise;  // of it; nothing: not known

  double beyond_noise() const;
};

// Ranks that one of them stands for.
struct RepresentedRanks {
  size_t group = 0;            // of those with the same communication, from 0
  std::vector<int> ranks;      // rising
  int representative = 0;      // the rank whose computations are closest to their mean; the middle one where not known
  std::optional<Apart> apart;  // of the farthest two; nothing: not known
  double joined_at = 0;  // the distance at which they became one, as of SetMerge; 0: of a rank alone, or not known
};

// Two sets that would be one at a larger distance; each is named by the number of its first one.
struct SetMerge {
  size_t into = 0, gone = 0;
  double apart = 0;  // beyond noise, but with a similarity
};

struct Representatives {
  size_t groups = 0;                   // with the same communication
  std::vector<RepresentedRanks> sets;  // in the order of the groups
  std::vector<SetMerge> merges;        // by rising distances within each group

  std::vector<int> ranks() const;  // the representatives, rising
};

// Sets are cut at kAlike beyond noise; or
struct SetChoice {
  std::optional<double> similarity;  // at this distance, noise and all
  size_t sets = 0;                   // where there are as many, of all groups; 0: not asked for
};

// Ranks of a group whose computations are not known are one set. Error (kInput): more sets are asked for than there are
// ranks with known computations, or fewer than there are groups or vectors of different lengths in them.
Result<Representatives> representatives_of(const RankGroups& groups, const KnownComputations& known,
                                           const SetChoice& choice);

// The rank whose computations a rank is given: itself, or one of its group.
struct StandIn {
  int rank = 0;
  double factor = 1;           // of these computations: how much longer its own are, as far as that persists
  std::optional<Apart> apart;  // from them, with the factor; nothing: not known
};

// For each rank the replayed one whose computations it is given: itself; else that of its group whose recorded
// computations are closest to its own, where they are known, the lowest of several. Error (kInput): a group of which no
// rank was replayed, or a replayed rank that there is not. Factors are those of persistent_shares() within the group.
Result<std::vector<StandIn>> replayed_for(const RankGroups& groups, const ReplayedRanks& replayed,
                                          const KnownComputations& known);

}  // namespace scalediag::loggp
