// What a simulation tells while it runs, for timelines and for the parts of the critical path.
#pragma once

#include <cstdint>
#include <string>

#include "loggp/program.h"

namespace scalediag::loggp {

enum class SpanKind : uint8_t { kComputation, kTransfer, kLateSender, kLateReceiver, kCollectiveWait };

// Of one rank, in the order of time within the rank and without overlap, but for ranks with several CPUs; not over
// ranks. Never empty.
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

// The operation's label, or else what it is: "MPI_Isend", "MPI_Allreduce", "computation".
std::string name_of(const std::vector<std::string>& labels, const Op& op);

}  // namespace scalediag::loggp
