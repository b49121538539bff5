// The events of a simulation while it runs, for timelines and for the parts of the critical path.
#pragma once

#include <cstdint>
#include <string>

#include "loggp/simulator/program.h"

namespace scalediag::loggp {

enum class SpanKind : uint8_t { kComputation, kTransfer, kLateSender, kLateReceiver, kCollectiveWait, kLockWait };

// A stretch of time of one rank. Spans come in the order of time within a rank, not across ranks, and without overlap
// except for ranks with several CPUs. They are never empty.
struct Span {
  uint32_t rank = 0;
  SpanKind kind = SpanKind::kComputation;
  const Op* op = nullptr;
  uint32_t event = 0;  // the operation's number in its rank
  double begin_s = 0;
  double end_s = 0;
};

// A message that was received. Of those from one rank to another with one tag and communicator, the first that was
// posted is the first that was sent, and meets the first receive.
struct Arrival {
  uint32_t from = 0;
  uint32_t to = 0;
  int32_t tag = 0;
  uint32_t communicator = 0;
  uint32_t event = 0;     // number of the receiver's operation that waited for it
  double posted_s = 0;    // when the send began
  double arrived_s = 0;   // when its last byte had arrived
  double received_s = 0;  // when the receiver went on with it
  uint64_t bytes = 0;     // of the message, which may be less than the receive has room for
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_span(const Span& span) = 0;
  virtual void on_arrival(const Arrival& /*arrival*/) {}
  // An OpKind::kMark, after all spans of the rank before it.
  virtual void on_mark(uint32_t /*rank*/, const Op& /*mark*/, double /*time_s*/) {}
};

// The operation's label, or else its kind: "MPI_Isend", "MPI_Allreduce", "computation".
std::string name_of(const std::vector<std::string>& labels, const Op& op);
// The same of operation_of() an operation.
std::string name_of_operation(const std::vector<std::string>& labels, uint16_t operation);

}  // namespace scalediag::loggp
