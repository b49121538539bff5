// Runs that were ended after some rounds of their main loop (Run::cut), beside whole ones of the same configuration.
//
// A whole run has what comes after the loop, and ended ones lack it. Averaged with them at the one scale that has both,
// it would bend all that is compared over scales. So it is no repeat of theirs, and says how far off they are instead.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/profile/profile.h"

namespace scalediag::core {

// Leaves whole runs out where a complete one was ended. `repeats`: of one configuration.
void leave_out_whole_runs(std::vector<const Run*>& repeats);

// A time of a configuration's ended runs and of its whole ones, means over complete runs. It lacks the start and end
// of MPI, of which ended runs have the start only. With the CPU clock it is computation, since what ranks burn in MPI
// while they wait varies from run to run.
struct EndedAndWhole {
  double ended_s = 0, whole_s = 0;
  double apart() const;  // |ended / whole - 1|; 0 where the whole took nothing
};
// Of the repeats of `run`. Empty: they are not of both kinds.
std::optional<EndedAndWhole> ended_and_whole(std::span<const Run> runs, const Run& run);

}  // namespace scalediag::core
