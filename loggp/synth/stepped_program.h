// The shortened program that the synthetic signature executes: every loop with as few rounds as are needed to measure
// one, and collectives as the messages of their algorithms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/collectives/algorithm_choice.h"
#include "loggp/network/network.h"
#include "loggp/simulator/program.h"
#include "loggp/synth/program_parts.h"

namespace scalediag::loggp {

// The stretch of the shortened program in which a phase is measured. Operations are counted by rank.
struct PhaseWindow {
  std::string routines;
  double weight = 1;
  std::vector<uint32_t> begin;     // the rounds before the measured one, which are executed with it
  std::vector<uint32_t> measured;  // its begin; the same as `begin` in straight parts
  std::vector<uint32_t> end;

  // The number of executions that a measurement of it takes, the last of which is measured: a part without a round
  // before the measured one is executed twice.
  int executions() const { return begin == measured ? 2 : 1; }
};

struct SteppedProgram {
  ListProgram program{0};  // only kCompute, kIsend, kIrecv and kWait
  std::vector<PhaseWindow> windows;
};

// `warm_up`: rounds before the measured one (at least 1), as far as a loop has them. Errors (kInput): an event that
// cannot be executed, with rank and routine; a trace that is not complete; more than kMostSteppedOps operations.
core::Result<SteppedProgram> stepped_program(const std::vector<RankTrace>& run, const std::vector<ProgramPart>& parts,
                                             const AlgorithmChoice& algorithms, const Network& network, int warm_up);

constexpr uint64_t kMostSteppedOps = 100'000'000;

}  // namespace scalediag::loggp
