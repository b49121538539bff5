// Reads LogGOPSim's GOAL schedules, the text form:
//
//   num_ranks 2
//   rank 0 {
//     l1: calc 100 cpu 0            nanoseconds
//     l2: send 10b to 1 tag 3 cpu 0 nic 0
//     l3: recv 10b from 1 tag 3
//     l2 requires l1                l2 begins after l1 is over
//     l3 irequires l2               l3 begins after l2 has begun
//   }
//
// `//` and `/* */` comments; labels may be used before they are defined; tag, cpu and nic are 0 where left out, and nic
// has no effect. Receives from any rank or with any tag (-1) are refused: a schedule does not say which message they
// get.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "loggp/simulator/schedule.h"

namespace scalediag::loggp {

// Error (kInput): names file, line, rank and the problem.
Result<Schedule> parse_goal(std::string_view text, const std::string& file);

// Whether the text is meant as GOAL: its first word is num_ranks.
bool looks_like_goal(std::string_view text);

}  // namespace scalediag::loggp
