// Simulations of programs in which few rounds of each loop stand for all of them: P3S's one round of each phase times
// its weight (Panadero et al. 2018, equation 6).
//
// The first rounds of a loop are simulated, and the time of each operation of the last one counts as often as it stands
// for executions (Op::stands_for). That is exact where every later round takes a rank as long as that one: once a
// pipeline is full, and where all rounds have the same messages and computations. The run's time is the mean of the
// ranks' sums and not the largest one: what one rank waits for in a round another one computes.
#pragma once

#include "core/result.h"
#include "loggp/network/network.h"
#include "loggp/simulator/program.h"
#include "loggp/simulator/simulation.h"

namespace scalediag::loggp {

// As simulate(), with the times of ranks, and total_s, as if all rounds had been simulated. n_messages and n_events are
// those that were. Precondition: no observer and no path are asked for. Errors: as of simulate().
Result<Simulation> simulate_rounds(const Program& program, const Network& network, SimulationOptions options);

}  // namespace scalediag::loggp
