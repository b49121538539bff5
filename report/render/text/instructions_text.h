// The instructions of a program's phases: P3S's Instruction Prediction Table, in what `scalediag phases` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "loggp/phases/instructions/phase_instructions.h"

namespace scalediag::report {

// The phases with most instructions, until they make up 99 % of all at the largest scale; all with `all`. Empty where
// nothing was counted. `checks`: of the phases that were counted at the target, or empty.
std::string instructions_text(const std::vector<loggp::PhaseInstructions>& phases,
                              const loggp::InstructionChecks& checks, bool all);

nlohmann::ordered_json instructions_json(const std::vector<loggp::PhaseInstructions>& phases,
                                         const loggp::InstructionChecks& checks);

}  // namespace scalediag::report
