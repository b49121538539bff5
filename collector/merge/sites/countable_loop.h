// The main loop of a timed run as a plan for counting only its first rounds (core/raw/counted_loop.h).
#pragma once

#include <string>
#include <vector>

#include "collector/merge/main_loop.h"
#include "core/experiment/experiment.h"
#include "core/raw/counted_loop.h"
#include "core/result.h"

namespace scalediag::merge {

// A rank's plan, without the number of rounds to be counted, and the parts of its computation, in parts of all between
// MPI_Init and MPI_Finalize.
struct LoopOfRank {
  raw::CountedLoop plan;
  double before = 0;  // until the first round begins
  double round = 0;   // in a round, on average
};

struct CountableLoop {
  std::vector<LoopOfRank> ranks;  // in the order that they were asked for; empty: there is no such loop
  std::string why_not;
};

// Rounds begin at the member of the main loop that is called first, of those with as many rounds as there are
// iterations, so that little of an iteration comes before it. Sites of the plan are the members, the first one first.
LoopOfRank loop_of_rank(const MainLoop& loop, const RankRecord& record);

// The loop by this rank's calls alone, for programs whose ranks share no call: those at the border of a grid have fewer
// neighbours.
LoopOfRank own_loop_of_rank(const RankRecord& record);

// The main loop, or where there is none that all ranks share, each rank's own. Error: as of scan_run().
core::Result<CountableLoop> countable_loop(const core::ExperimentFolder& folder, const core::RunEntry& entry,
                                           const std::vector<int>& ranks);

// So many rounds have each of the plan's sites at least once, where those that some rounds lack come at equal
// distances. 0: every round has all of them.
uint64_t rounds_with_all_calls(const raw::CountedLoop& plan);

// After so many rounds, at most 8, the calls of the plan's sites that at least every fourth round has begin again; 1
// where there is no such number.
uint64_t period_of_calls(const raw::CountedLoop& plan);

}  // namespace scalediag::merge
