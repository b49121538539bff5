// Whether the counts of a run's kernels add up to the instructions of the program.
#pragma once

#include <optional>
#include <string>

#include "core/profile.h"

namespace scalediag::fit {

struct ProgramInstructions {
  std::optional<double> per_rank;  // mean over ranks; nothing where they are not known
  std::string why_not;             // one sentence; empty also where nothing was counted
};

// They do where kernels without counts, or whose counts had to be extended by time to ranks unlike the counted ones
// (counted_time_s), have at most 5 % of the time in functions. Efficiencies made of less would be of other ranks than
// the times they are divided by.
ProgramInstructions program_instructions(const core::Run& run);

}  // namespace scalediag::fit
