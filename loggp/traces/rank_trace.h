// What one rank of a program did, as `scalediag profile --trace` records it (core/raw/trace_format.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mpi_routines.h"
#include "core/raw/trace_format.h"

namespace scalediag::loggp {

// An event. Ranks are those of MPI_COMM_WORLD, communicators the trace's own.
struct TraceEvent {
  trace::EventKind kind = trace::EventKind::kSend;
  uint32_t routine = 0;       // in RankTrace::routines
  uint32_t communicator = 0;  // in RankTrace::communicators
  int peer = -1;              // kSendrecv: the destination; -1: none
  int tag = 0;                // kRemote: its trace::Remote
  uint64_t bytes = 0;
  int source = -1;  // kSendrecv
  int source_tag = 0;
  uint64_t source_bytes = 0;
  uint32_t request = 0;                                  // kIsend, kIrecv, kRemote
  std::vector<uint32_t> requests;                        // kWait; empty: all that are outstanding
  mpi::Collective collective = {};                       // kCollective
  int root = 0;                                          // kCollective: in the communicator
  std::vector<std::pair<int, uint64_t>> sent, received;  // kExchange: peer, bytes
  trace::Reason reason = {};                             // kNotReplayed
  uint32_t agreements = 0;                               // kCommunicatorMade: Allreduces of 8 B; > 1: along trees
  uint32_t stands_for = 1;  // executions, itself among them; more than 1 only in scaled traces with few rounds
};

// Computations before all occurrences of an event, in ns or in instructions. least, most and deviation are those of a
// single one; the same where n is 1.
struct TraceTimes {
  uint64_t n = 1;
  uint64_t total = 0, least = 0, most = 0, deviation = 0;

  double mean() const { return n > 0 ? static_cast<double>(total) / static_cast<double>(n) : 0; }
  double mean_s() const { return mean() * 1e-9; }  // where they are times
};

// An event, or a loop over steps.
struct TraceStep {
  uint32_t event = 0;  // in RankTrace::events; of events
  TraceTimes before;   // of events
  // Instructions of the computations before those occurrences that were counted; n = 0: none was.
  TraceTimes instructions = {0};
  // The computation before each occurrence, in order; empty: they were not recorded.
  std::vector<float> computations_s;
  // Its instructions, the same way; -1: not counted.
  std::vector<double> each_instructions;
  uint64_t count = 0;  // of loops; 0: an event
  std::vector<TraceStep> body;
};

// Said by the application within a computation.
struct TraceMark {
  trace::Mark kind = trace::Mark::kBegin;
  uint32_t name = 0;               // in RankTrace::mark_names
  uint64_t computation = 0;        // its number: before this event, or n_events: after the last one
  double after_s = 0;              // since the computation began
  double after_instructions = -1;  // the same; -1: not counted
  double value = 0;                // of kParameter
};

struct TraceCommunicator {
  uint64_t ordinal = 0;
  std::vector<int> members;  // empty: all ranks in order
};

struct RankTrace {
  uint32_t rank = 0, size = 0;
  std::string host, executable, mpi_version;
  std::vector<TraceCommunicator> communicators;  // 0: MPI_COMM_WORLD
  std::vector<std::string> routines;             // "MPI_Send"
  std::vector<TraceEvent> events;
  std::vector<TraceStep> steps;
  std::vector<std::string> mark_names;
  std::vector<TraceMark> marks;  // in order
  uint64_t n_events = 0;         // the number of events, repetitions counted
  trace::End end = trace::End::kFinalize;
  uint64_t tail_ns = 0;     // computation after the last event
  uint64_t elapsed_ns = 0;  // wall time from the end of MPI_Init
  int counted_for = 0;      // ranks for which this one's instructions were counted, itself among them; 0: they were not
  size_t bytes = 0;         // of the file
  // The reason why the trace is not all of the rank's run, with the rank and the end of the trace; empty: it is
  // complete.
  std::string incomplete;
};

// Calls visit(step, number) for every occurrence of every event, in order; `number` counts those of a step from 0.
template <class Steps, class Visit> void each_occurrence(Steps& steps, const Visit& visit, uint64_t round = 0) {
  for (auto& step : steps) {
    for (uint64_t i = 0; i < step.count; ++i) each_occurrence(step.body, visit, round * step.count + i);
    if (step.count == 0) visit(step, round);
  }
}

// Whether events of this kind begin a request, which a kWait ends.
constexpr bool begins_request(trace::EventKind kind) {
  return kind == trace::EventKind::kIsend || kind == trace::EventKind::kIrecv || kind == trace::EventKind::kRemote;
}

// TraceEvent::agreements of a library with this version text.
uint32_t agreements_of(std::string_view mpi_version);

// Whether calls were made that may be several events of a trace, where a replay counts them as one: of neighbourhood
// collectives or one-sided communication.
bool has_calls_of_many_events(const RankTrace& trace);

const char* text_of(trace::Reason reason);  // "one-sided communication"

}  // namespace scalediag::loggp
