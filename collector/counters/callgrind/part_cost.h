// The duration of replays that are counted in part, from the computation of ranks, and how much of it a limit allows.
#pragma once

#include <optional>
#include <vector>

#include "collector/counters/callgrind/counted_parts.h"

namespace scalediag::counters {

// Code under valgrind that is not counted takes so many times as long: LU of NPB, class W, some 5 times.
constexpr double kUncountedSlowdown = 6;
// A replay takes this long to start under valgrind, with MPI_Init, and each time that counting goes on, since valgrind
// then translates the program again; in seconds. Starts took 1.3 s of CPU time.
constexpr double kReplayStart_s = 2, kTranslation_s = 0.3;

// The duration in seconds of replays of all these ranks, as many at the same time as there are cores.
double replays_s(const std::vector<CountedWork>& ranks, const CountedExtent& extent, int cores);

// The extent with which replays take no more than `most_s`: many rounds before few, and replays to the program's end
// before those that end in the last loop. Replays may end there where no more than 2 % of the computation follows it.
// An extent that leaves out no round of any rank is none: whole runs have the same. Nothing: no extent is as short.
std::optional<CountedExtent> largest_extent(const std::vector<CountedWork>& ranks, int cores, double most_s);

// The shortest one of those that it tries; nothing where all leave out no round.
std::optional<CountedExtent> least_extent(const std::vector<CountedWork>& ranks);

}  // namespace scalediag::counters
