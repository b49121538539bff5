// Programs as traces of any number of ranks, and what a model of some numbers makes of another one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "loggp/phases/scaled/scaled_trace.h"
#include "loggp/phases/program_phases.h"
#include "loggp/traces/trace_comparison.h"

namespace scalediag::loggp {

// Writes the events of a rank as the recorder would.
class Script {
 public:
  Script(int ranks, int rank) {
    trace.size = static_cast<uint32_t>(ranks);
    trace.rank = static_cast<uint32_t>(rank);
    trace.executable = "/app";
    trace.communicators.emplace_back();
  }
  void message(trace::EventKind kind, int peer, uint64_t bytes, int tag = 0, uint32_t request = 0) {
    if (peer == kNobody) return;
    TraceEvent e;
    e.kind = kind;
    e.peer = peer;
    e.bytes = bytes;
    e.tag = tag;
    e.request = request;
    add(e, kind == trace::EventKind::kSend     ? "MPI_Send"
           : kind == trace::EventKind::kRecv   ? "MPI_Recv"
           : kind == trace::EventKind::kRemote ? "MPI_Put"
                                               : "MPI_Irecv");
  }
  // As the recorder writes MPI_Sendrecv: no tag and no bytes on a side with nobody.
  void sendrecv(int to, int tag, int from, int source_tag, uint64_t bytes) {
    if (to == kNobody && from == kNobody) return;
    TraceEvent e;
    e.kind = trace::EventKind::kSendrecv;
    e.peer = to;
    e.source = from;
    if (to != kNobody) e.tag = tag, e.bytes = bytes;
    if (from != kNobody) e.source_tag = source_tag, e.source_bytes = bytes;
    add(e, "MPI_Sendrecv");
  }
  // For one request, or for all.
  void wait() {
    TraceEvent e;
    e.kind = trace::EventKind::kWait;
    add(e, "MPI_Wait");
  }
  void wait(uint32_t request, bool is_last) {
    TraceEvent e;
    e.kind = trace::EventKind::kWait;
    if (!is_last) e.requests = {request};
    add(e, "MPI_Wait");
  }
  void exchange(uint64_t bytes) {
    TraceEvent e;
    e.kind = trace::EventKind::kExchange;
    for (int r = 0; r < static_cast<int>(trace.size); ++r) e.sent.emplace_back(r, bytes + static_cast<uint64_t>(r));
    add(e, "MPI_Alltoallv");
  }
  void allreduce(uint64_t bytes) {
    TraceEvent e;
    e.kind = trace::EventKind::kCollective;
    e.collective = mpi::Collective::kAllreduce;
    e.bytes = bytes;
    add(e, "MPI_Allreduce");
  }
  // Everything since `from` becomes a loop.
  void repeat(size_t from, uint64_t count) {
    if (from == trace.steps.size()) return;
    TraceStep loop;
    loop.count = count;
    loop.body.assign(trace.steps.begin() + static_cast<std::ptrdiff_t>(from), trace.steps.end());
    for (TraceStep& step : loop.body) step.before.n *= count;
    trace.steps.resize(from);
    trace.steps.push_back(std::move(loop));
  }

  RankTrace trace;

 private:
  void add(TraceEvent e, const char* routine) {
    const auto known = std::find(trace.routines.begin(), trace.routines.end(), routine);
    e.routine = static_cast<uint32_t>(known - trace.routines.begin());
    if (known == trace.routines.end()) trace.routines.push_back(routine);
    TraceStep step;
    step.event = static_cast<uint32_t>(trace.events.size());
    step.before.total = step.before.least = step.before.most = 1000;
    trace.events.push_back(e);
    trace.steps.push_back(step);
  }
};

using RankOf = std::function<RankTrace(int ranks, int rank)>;

inline std::vector<RankTrace> run(const RankOf& program, int ranks) {
  std::vector<RankTrace> traces;
  for (int r = 0; r < ranks; ++r) traces.push_back(program(ranks, r));
  return traces;
}

// The share of the program's events at `target` that the model of `scales` has.
inline double share_at(const RankOf& program, const std::vector<int>& scales, int target) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : scales) traces.push_back(run(program, ranks));
  const auto model = model_of(traces, target, unmatched_at_target);
  if (!model) return -1;
  const ScaledTraces traces_at_target(model.value(), target);
  std::vector<RankTrace> scaled;
  for (int r = 0; r < target; ++r) scaled.push_back(traces_at_target.rank(r));
  const auto compared = compare_traces(scaled, run(program, target));
  return compared ? compared.value().all.share() : -1;
}

inline ScalingModel made(const RankOf& program, const std::vector<int>& scales, int target) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : scales) traces.push_back(run(program, ranks));
  auto model = model_of(traces, target, unmatched_at_target);
  EXPECT_TRUE(model);
  return std::move(model.value());
}

inline bool is_told(const ScalingModel& model, const std::string& words) {
  const std::vector<Uncertainty> all = uncertainties_of(model);
  return std::any_of(all.begin(), all.end(),
                     [&](const Uncertainty& it) { return it.text.find(words) != std::string::npos; });
}

// The wavefront of an open grid of x times y ranks, x >= y: to the east and south, then a sum of all. A rank's blocks
// have 960 / x columns and 960 / y rows of 8 bytes.
inline RankTrace wavefront(int ranks, int rank) {
  int y = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) y = i;
  }
  const int x = ranks / y, column = rank % x, row = rank / x;
  const auto rows = static_cast<uint64_t>(8 * 960 / y), columns = static_cast<uint64_t>(8 * 960 / x);
  Script s(ranks, rank);
  s.message(trace::EventKind::kRecv, column > 0 ? rank - 1 : kNobody, rows, 1);
  s.message(trace::EventKind::kRecv, row > 0 ? rank - x : kNobody, columns, 2);
  s.message(trace::EventKind::kSend, column < x - 1 ? rank + 1 : kNobody, rows, 1);
  s.message(trace::EventKind::kSend, row < y - 1 ? rank + x : kNobody, columns, 2);
  s.repeat(0, 20);
  s.allreduce(8);
  s.repeat(0, 7);
  return s.trace;
}

// Rows of a plane add up by exchanging bits, from the opposite half on, then everybody talks to its transposed rank, in
// planes of 1:1 and 2:1 in turns. Rows are as long as log2 of the longer side says: 4 ranks have one exchange, 8 and 16
// two. 4 = 2 x 2, 8 = 4 x 2, 16 = 4 x 4.
inline RankTrace butterfly(int ranks, int rank) {
  int rows = 1;
  while (4 * rows * rows <= ranks) rows *= 2;
  const int columns = ranks / rows;
  Script s(ranks, rank);
  int tag = 1;
  for (int distance = columns / 2; distance > 0; distance /= 2, ++tag) {
    s.message(trace::EventKind::kIrecv, rank ^ distance, 64, tag);
    s.message(trace::EventKind::kSend, rank ^ distance, 64, tag);
    s.wait();
  }
  const int transposed =
      rows == columns ? rank % rows * rows + rank / rows : 2 * (rank / 2 % rows * rows + rank / 2 / rows) + rank % 2;
  s.message(trace::EventKind::kIrecv, transposed, 128, 9);
  s.message(trace::EventKind::kSend, transposed, 128, 9);
  s.wait();
  s.repeat(0, 5);
  return s.trace;
}

}  // namespace scalediag::loggp
