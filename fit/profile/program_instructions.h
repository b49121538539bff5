// The instructions of a whole program, where the counts of its kernels add up to them.
#pragma once

#include <optional>
#include <string>

#include "core/profile/profile.h"

namespace scalediag::fit {

struct ProgramInstructions {
  std::optional<double> per_rank;  // mean over ranks; nothing where they are not known
  std::string why_not;             // one sentence; empty also where nothing was counted
};

// The sum of the kernels' counts, per rank. It is known where kernels without counts, or whose counts had to be
// extended by time to ranks unlike the counted ones (counted_time_s), have at most 5 % of the time in functions. Beyond
// that, efficiencies would divide the counts of some ranks by the times of others.
ProgramInstructions program_instructions(const core::Run& run);

}  // namespace scalediag::fit
