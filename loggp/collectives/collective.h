// Collective operations as the messages that their algorithms send.
#pragma once

#include <cstdint>
#include <vector>

#include "loggp/collectives/collective_names.h"
#include "loggp/collectives/step.h"

namespace scalediag::loggp {

// The next steps of `rank`, at most `most` of them and none after a kWait, since there the rank may have to wait.
// Returns their number, 0 after the last one. `state` begins with 0. Every step follows from its number alone, so that
// a rank inside a collective of any size needs no more memory than `state`. Preconditions:
// has_algorithm(call.collective, call.algorithm); rank < call.ranks; root < call.ranks, and 0 for collectives without a
// root.
uint32_t next_steps(const CollectiveCall& call, uint32_t rank, uint32_t& state, Step* steps, uint32_t most);

// One of them; false after the last one.
inline bool next_step(const CollectiveCall& call, uint32_t rank, uint32_t& state, Step& step) {
  return next_steps(call, rank, state, &step, 1) == 1;
}

// The growth of an algorithm's time with the ranks, where messages are short. Quadratic: the time grows as the ranks,
// and the number of messages as their square, since each rank sends to each other one or passes on what all send.
enum class Growth : uint8_t { kLogarithmic, kLinear, kQuadratic };
// Precondition: has_algorithm(collective, algorithm).
Growth growth_of(Collective collective, Algorithm algorithm);

bool has_algorithm(Collective collective, Algorithm algorithm);
std::vector<Algorithm> algorithms_of(Collective collective);

}  // namespace scalediag::loggp
