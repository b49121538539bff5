// Which ranks of a configuration are simulated, and how many ranks each of them stands for.
#pragma once

#include <string>
#include <vector>

#include "core/profile.h"
#include "core/result.h"

namespace scalediag::counters {

struct RankChoice {
  std::vector<int> ranks;       // ascending
  std::vector<int> stands_for;  // of each: itself and the ranks that communicate most like it; adds up to np
  bool operator==(const RankChoice&) const = default;
};

// Up to kChosenRanks ranks all; beyond them the first, the last and then, one after the other, the rank whose
// communication differs most from those of all chosen ones, as long as it differs at all.
//
// Communication is what each rank sends, gets and is sent, as `measured` has it: numbers of partners, messages and
// bytes, the last two by their powers of two. Ranks of which only the sum over a block was kept look alike. Equally
// different ranks: the lowest. `measured` is null where nothing was measured.
constexpr int kChosenRanks = 4;
RankChoice choose_ranks(int np, const core::Run* measured);

// `wanted` are those below np, in any order; it is not empty.
RankChoice assign_ranks(int np, const core::Run* measured, const std::vector<int>& wanted);

}  // namespace scalediag::counters
