// Options and results of simulations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "loggp/simulator/observer.h"
#include "loggp/simulator/path_trace.h"

namespace scalediag::loggp {

struct SimulationOptions {
  double compute_factor = 1;     // multiplies every computation
  double device_factor = 1;      // multiplies every wait for a device
  double noise = 0;              // standard deviation of a computation's relative random change; its mean stays
  uint64_t seed = 1;             // of the noise, which depends only on the seed, the rank and the event
  Observer* observer = nullptr;  // told of everything that has a duration
  // Called from time to time with the share that a middle rank has executed of its operations.
  std::function<void(double share)> on_progress = {};
  bool record_path = false;  // Simulation::path and path_messages; 32 bytes for every message that a rank waited for
};

// What a rank spends its time in, in seconds. (Where it has several CPUs, as in schedules only, these are sums over
// them.)
struct TimeParts {
  double computation_s = 0;      // and reductions within collectives
  double device_wait_s = 0;      // the host waited for its GPU
  double transfer_s = 0;         // overheads, and waiting for messages that are under way
  double late_sender_s = 0;      // a receive waited for a send that had not begun
  double late_receiver_s = 0;    // a send waited for a receive that had not been posted
  double collective_wait_s = 0;  // either of them inside a collective
  double lock_wait_s = 0;        // another rank held the lock of a window's memory

  double waiting_s() const { return late_sender_s + late_receiver_s + collective_wait_s + lock_wait_s; }
};

constexpr double TimeParts::*kTimeParts[] = {
    &TimeParts::computation_s,   &TimeParts::device_wait_s,     &TimeParts::transfer_s, &TimeParts::late_sender_s,
    &TimeParts::late_receiver_s, &TimeParts::collective_wait_s, &TimeParts::lock_wait_s};

// The part that a span of this kind counts to; of computations, where they are no waits for devices.
constexpr double TimeParts::*part_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::kComputation: return &TimeParts::computation_s;
    case SpanKind::kTransfer: return &TimeParts::transfer_s;
    case SpanKind::kLateSender: return &TimeParts::late_sender_s;
    case SpanKind::kLateReceiver: return &TimeParts::late_receiver_s;
    case SpanKind::kLockWait: return &TimeParts::lock_wait_s;
    case SpanKind::kCollectiveWait: break;
  }
  return &TimeParts::collective_wait_s;
}

// The times of one rank; computation + the wait for devices + transfer + the four other waits = end.
struct RankTimes : TimeParts {
  double end_s = 0;
  uint32_t cpus = 1;
};

struct Simulation {
  double total_s = 0;  // the last rank's end
  uint64_t n_messages = 0;
  uint64_t n_events = 0;  // a message is three: send, receive, message; a computation and a wait are one each
  // The number of messages larger than the receives that they matched, for which MPI ends a program, and the place of
  // the first one: the input is wrong, or its messages matched in another order. They were simulated with the size that
  // was sent.
  uint64_t n_truncated = 0;
  std::string first_truncated;
  std::vector<RankTimes> ranks;
  // From the start to total_s, if it was asked for; empty where ranks waited for more than 25 million messages.
  std::vector<PathStretch> path;
  // Those on the path, in its order.
  std::vector<PathMessage> path_messages;
};

// The answer to a question of a rank (OpKind::kAsk).
struct SimulatedAnswer {
  double clock_s = 0;  // of the rank that asked
  bool found = false;
  uint32_t rank = 0;  // of MPI_COMM_WORLD, that sends the message
  int32_t tag = 0;
};
using TakeAnswer = std::function<void(uint32_t rank, const SimulatedAnswer& answer)>;

}  // namespace scalediag::loggp
