// The combination of several rounds of measuring into the values of an undisturbed machine.
//
// Other activity on a machine makes loads slower and bandwidths smaller, never the reverse. A neighbour who is busy for
// a second disturbs all repeats of a value that were made in that second, however many they are, so that they agree.
// Everything is therefore measured in rounds that lie seconds apart; each value is that of the best round, and it is
// accepted when a second round comes close to it.
#pragma once

#include <string>
#include <vector>

#include "core/experiment/machine.h"

namespace scalediag::counters {

struct MeasuredValue {
  std::string name;  // "latency of l2"
  core::MachineValue* value = nullptr;
  bool smaller_is_better = true;  // latencies, CPI; else frequencies and bandwidths
};

// The values of `machine` that were measured, in an order that depends on its shape alone.
std::vector<MeasuredValue> measured_values(core::Machine& machine);

// The smallest or largest of the rounds' values. Its spread is the larger of that round's own and of the distance to
// the second best, relative to the value; of one round its own. Precondition: at least one.
core::MachineValue best_of_rounds(const std::vector<core::MachineValue>& rounds, bool smaller_is_better);

// All rounds put together: the best of each value, and of each point of the latency curve, from which the steps between
// the levels are found. Precondition: at least one round, all of one shape; latency curves have the same sizes.
core::Machine combine_rounds(const std::vector<core::Machine>& rounds);

// Whether a second round came within `tolerance` of the best one in every value.
bool rounds_agree(const std::vector<core::Machine>& rounds, double tolerance);

}  // namespace scalediag::counters
