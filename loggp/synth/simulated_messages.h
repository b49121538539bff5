// The messages of a program, with the times that a simulation gives them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "loggp/network/network.h"
#include "loggp/simulator/program.h"

namespace scalediag::loggp {

struct SimulatedMessage {
  uint32_t from = 0, to = 0;
  uint32_t send_op = 0, receive_op = 0;  // operations' numbers in their ranks
  uint32_t wait_op = 0;                  // of `to`, which ended with the message
  uint64_t bytes = 0;
  double posted_s = 0;    // when the send began
  double arrived_s = 0;   // when its last byte had arrived
  double received_s = 0;  // when the receiver went on with it
};

struct SimulatedMessages {
  std::vector<SimulatedMessage> messages;  // in the order of their sends, rank after rank
  // By rank and operation: when it began; and after the last one, when the rank ended.
  std::vector<std::vector<double>> begin_s;
};

// `program` has no collectives. Errors: as of simulate(); also (kInput) a receive that no operation waits for.
core::Result<SimulatedMessages> simulate_messages(const ListProgram& program, const Network& network);

}  // namespace scalediag::loggp
