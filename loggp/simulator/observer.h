// The events of a simulation while it runs, for timelines and for the parts of the critical path.
#pragma once

#include <cstdint>
#include <string>

#include "loggp/simulator/program.h"

namespace scalediag::loggp {

enum class SpanKind : uint8_t { kComputation, kTransfer, kLateSender, kLateReceiver, kCollectiveWait };

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

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_span(const Span& span) = 0;
};

// The operation's label, or else its kind: "MPI_Isend", "MPI_Allreduce", "computation".
std::string name_of(const std::vector<std::string>& labels, const Op& op);

}  // namespace scalediag::loggp
