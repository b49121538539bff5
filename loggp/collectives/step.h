// A collective call, and the steps that its ranks take.
#pragma once

#include <cstdint>

#include "loggp/collectives/collective_names.h"

namespace scalediag::loggp {

struct CollectiveCall {
  Collective collective = Collective::kBarrier;
  Algorithm algorithm = Algorithm::kLinear;
  uint32_t ranks = 1;
  uint32_t root = 0;
  uint64_t bytes = 0;
};

// One thing that a rank does within a collective. Sends and receives are nonblocking; kWait waits for all of its lane
// since its last kWait. `peer` is a rank of the communicator.
struct Step {
  enum class Kind : uint8_t { kSend, kReceive, kWait, kReduce, kCopy } kind = Kind::kWait;
  uint8_t lane = 0;  // kWait waits for steps that were begun in the same lane
  uint32_t peer = 0;
  uint64_t bytes = 0;  // kReduce: the number of bytes combined with the rank's own; kCopy: those of its own block
};

}  // namespace scalediag::loggp
