// The ranks of a configuration that are counted under callgrind, and the number of ranks that each of them stands for.
#pragma once

#include <vector>

#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::counters {

struct RankChoice {
  std::vector<int> ranks;       // ascending
  std::vector<int> stands_for;  // itself and the ranks that communicate most like it, for each; adds up to np
  bool operator==(const RankChoice&) const = default;
};

// All ranks where there are at most kChosenRanks; beyond that the first, the last and then, one after the other, the
// rank whose communication differs most from those of all chosen ones, as long as it differs at all.
//
// Communication is what each rank sends and receives according to `measured`: numbers of partners, messages and bytes,
// the last two by their powers of two. Ranks of which only the sum over a block was kept look alike. Of equally
// different ranks the lowest is taken. `measured` is null where nothing was measured.
constexpr int kChosenRanks = 4;
RankChoice choose_ranks(int np, const core::Run* measured);
// At most `most` ranks: the middle one of each kind that communicates alike, those of the largest kinds. The first
// ranks of a kind often do more than the others.
RankChoice choose_few_ranks(int np, const core::Run* measured, size_t most);

// `wanted` are ranks below np, in any order; it is not empty.
RankChoice assign_ranks(int np, const core::Run* measured, const std::vector<int>& wanted);

}  // namespace scalediag::counters
