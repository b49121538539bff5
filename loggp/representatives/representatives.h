// Ranks that stand for others: which few of a run have to be recorded and replayed, and whose computations each of the
// others is given.
#pragma once

#include <optional>
#include <vector>

#include "core/result.h"
#include "loggp/representatives/communication_groups.h"
#include "loggp/representatives/computation_vector.h"

namespace scalediag::loggp {

// Ranks that one of them stands for.
struct RepresentedRanks {
  size_t group = 0;        // of those with the same communication, from 0
  std::vector<int> ranks;  // rising
  int representative = 0;  // the rank whose computations are closest to their mean; the middle one where not known
  // The distance of the farthest two, relative to the computation of a rank of their group; nothing: not known.
  std::optional<double> apart;
};

struct Representatives {
  size_t groups = 0;                   // with the same communication
  std::vector<RepresentedRanks> sets;  // in the order of the groups

  std::vector<int> ranks() const;  // the representatives, rising
};

// `vectors`: the computations of each rank, by rank; of a group in which one is empty, or where there are none at all,
// they are not known. `similarity`: the farthest ranks of a set are at most this share of the mean computation of their
// group apart; nothing: a group with vectors of one length is one set.
Representatives representatives_of(const RankGroups& groups, const std::vector<ComputationVector>& vectors,
                                   std::optional<double> similarity);

// For each rank the replayed one whose computations it is given: itself; else that of its group whose recorded
// computations are closest to its own, where they are known (`vectors` as above), the lowest of several. Error
// (kInput): a group of which no rank was replayed, or a replayed rank that there is not.
core::Result<std::vector<int>> replayed_for(const RankGroups& groups, const ReplayedRanks& replayed,
                                            const std::vector<ComputationVector>& vectors);

}  // namespace scalediag::loggp
