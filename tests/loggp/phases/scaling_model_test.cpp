#include "loggp/phases/scaling_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "loggp/phases/growing_chains.h"
#include "loggp/phases/scaled_trace.h"
#include "loggp/traces/trace_comparison.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// Writes the events of a rank as the recorder would.
class Script {
 public:
  Script(int ranks, int rank) {
    trace.size = static_cast<uint32_t>(ranks);
    trace.rank = static_cast<uint32_t>(rank);
    trace.executable = "/app";
    trace.communicators.emplace_back();
  }
  void message(EventKind kind, int peer, uint64_t bytes, int tag = 0, uint32_t request = 0) {
    if (peer == kNobody) return;
    TraceEvent e;
    e.kind = kind;
    e.peer = peer;
    e.bytes = bytes;
    e.tag = tag;
    e.request = request;
    add(e, kind == EventKind::kSend ? "MPI_Send" : kind == EventKind::kRecv ? "MPI_Recv" : "MPI_Irecv");
  }
  void wait() {
    TraceEvent e;
    e.kind = EventKind::kWait;
    add(e, "MPI_Wait");
  }
  void allreduce(uint64_t bytes) {
    TraceEvent e;
    e.kind = EventKind::kCollective;
    e.collective = trace::Collective::kAllreduce;
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

std::vector<RankTrace> run(const RankOf& program, int ranks) {
  std::vector<RankTrace> traces;
  for (int r = 0; r < ranks; ++r) traces.push_back(program(ranks, r));
  return traces;
}

// The share of the program's events at `target` that the model of `scales` has.
double share_at(const RankOf& program, const std::vector<int>& scales, int target) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : scales) traces.push_back(run(program, ranks));
  const auto model = model_of(traces, target);
  if (!model) return -1;
  const ScalingModel longer = with_longer_chains(model.value(), target);
  std::vector<RankTrace> scaled;
  for (int r = 0; r < target; ++r) scaled.push_back(scaled_rank(longer, target, r));
  const auto compared = compare_traces(scaled, run(program, target));
  return compared ? compared.value().all.share() : -1;
}

// The wavefront of an open grid of x times y ranks, x >= y: to the east and south, then a sum of all. A rank's blocks
// have 960 / x columns and 960 / y rows of 8 bytes.
RankTrace wavefront(int ranks, int rank) {
  int y = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) y = i;
  }
  const int x = ranks / y, column = rank % x, row = rank / x;
  const auto rows = static_cast<uint64_t>(8 * 960 / y), columns = static_cast<uint64_t>(8 * 960 / x);
  Script s(ranks, rank);
  s.message(EventKind::kRecv, column > 0 ? rank - 1 : kNobody, rows, 1);
  s.message(EventKind::kRecv, row > 0 ? rank - x : kNobody, columns, 2);
  s.message(EventKind::kSend, column < x - 1 ? rank + 1 : kNobody, rows, 1);
  s.message(EventKind::kSend, row < y - 1 ? rank + x : kNobody, columns, 2);
  s.repeat(0, 20);
  s.allreduce(8);
  s.repeat(0, 7);
  return s.trace;
}

TEST(ScalingModel, OpenGridWithBorders) {
  EXPECT_EQ(share_at(wavefront, {2, 4, 8}, 16), 1);
  EXPECT_EQ(share_at(wavefront, {2, 4, 8, 16}, 64), 1);
}

// Rows of a plane add up by exchanging bits, from the opposite half on, then everybody talks to its transposed rank, in
// planes of 1:1 and 2:1 in turns. Rows are as long as log2 of the longer side says: 4 ranks have one exchange, 8 and 16
// two. 4 = 2 x 2, 8 = 4 x 2, 16 = 4 x 4.
RankTrace butterfly(int ranks, int rank) {
  int rows = 1;
  while (4 * rows * rows <= ranks) rows *= 2;
  const int columns = ranks / rows;
  Script s(ranks, rank);
  int tag = 1;
  for (int distance = columns / 2; distance > 0; distance /= 2, ++tag) {
    s.message(EventKind::kIrecv, rank ^ distance, 64, tag);
    s.message(EventKind::kSend, rank ^ distance, 64, tag);
    s.wait();
  }
  const int transposed =
      rows == columns ? rank % rows * rows + rank / rows : 2 * (rank / 2 % rows * rows + rank / 2 / rows) + rank % 2;
  s.message(EventKind::kIrecv, transposed, 128, 9);
  s.message(EventKind::kSend, transposed, 128, 9);
  s.wait();
  s.repeat(0, 5);
  return s.trace;
}

TEST(ScalingModel, BitExchangeAndTransposition) { EXPECT_EQ(share_at(butterfly, {2, 4, 8}, 16), 1); }

// 64 = 8 x 8 has a third exchange.
TEST(ScalingModel, ExchangesGrowWithTheSide) { EXPECT_EQ(share_at(butterfly, {2, 4, 8, 16}, 64), 1); }

// Stages along the rows of a square plane, with tags that name the cell: 100 + (x + k) mod side.
RankTrace stages(int ranks, int rank) {
  int side = 1;
  while (side * side < ranks) ++side;
  const int x = rank % side, row = rank / side * side;
  Script s(ranks, rank);
  for (int k = 0; k + 1 < side; ++k) {
    s.message(EventKind::kIrecv, row + (x + side - 1) % side, 40, 100 + (x + k) % side);
    s.message(EventKind::kSend, row + (x + 1) % side, 40, 100 + (x + 1 + k) % side);
    s.wait();
  }
  s.allreduce(16);
  return s.trace;
}

TEST(ScalingModel, StagesThatGrowWithTheSideAndTagsThatTurn) { EXPECT_EQ(share_at(stages, {4, 9, 16}, 36), 1); }

// The partner is a table's, (7 r + 3) mod P: no equation of the vocabulary has it at three scales.
RankTrace irregular(int ranks, int rank) {
  Script s(ranks, rank);
  s.allreduce(8);
  int from = 0;
  while ((7 * from + 3) % ranks != rank) ++from;
  s.message(EventKind::kSend, (7 * rank + 3) % ranks, 8);
  s.message(EventKind::kRecv, from, 8);
  return s.trace;
}

TEST(ScalingModel, WhatIsIrregularIsNamed) {
  const auto model = model_of({run(irregular, 5), run(irregular, 11), run(irregular, 16)});
  ASSERT_TRUE(model);
  EXPECT_LT(model.value().regular_share(), 1);
  const std::vector<ProgramPhase> phases = phases_of(model.value());
  EXPECT_TRUE(std::any_of(phases.begin(), phases.end(), [](const ProgramPhase& p) { return !p.why_not.empty(); }));
}

TEST(ScalingModel, MainLoopIsTheOutermost) {
  const auto model = model_of({run(wavefront, 4), run(wavefront, 16)});
  ASSERT_TRUE(model);
  const auto loop = main_loop_of(model.value());
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->iterations, (std::map<int, double>{{4, 7}, {16, 7}}));
}

TEST(ScalingModel, OneScaleIsAnError) { EXPECT_FALSE(model_of({run(wavefront, 4)})); }

TEST(ScalingModel, DifferentProgramsAreAnError) {
  auto other = run(wavefront, 4);
  for (RankTrace& trace : other) trace.executable = "/other";
  EXPECT_FALSE(model_of({run(wavefront, 8), other}));
}

// 12 elements of 8 bytes along a side of d ranks, without those at the border: 96 / d, less 8 for the first rank and 8
// for the last. The hypotheses hold at 2 x 1, 2 x 2 and 4 x 2 ranks; inside a side of 8 there are 96 / 8 = 12.
TEST(ValueHypothesis, BlocksWithoutTheirBorder) {
  std::vector<ValueSample> samples;
  for (const int ranks : {2, 4, 8}) {
    const ProcessGrid grid = process_grid(GridKind::kPlaneFalling, ranks);
    for (int r = 0; r < ranks; ++r) {
      const int d = grid.sides[0], x = grid.coordinates(r)[0];
      samples.push_back({ranks, r, 96.0 / d - (x == 0 ? 8 : 0) - (x == d - 1 ? 8 : 0)});
    }
  }
  const auto hypothesis = exact_value_hypothesis(samples, GridKind::kPlaneFalling);
  ASSERT_TRUE(hypothesis);
  EXPECT_NEAR(hypothesis->at(64, 3), 12, 1e-6);
  EXPECT_NEAR(hypothesis->at(64, 0), 4, 1e-6);
}

TEST(ValueHypothesis, NothingIsExactByChance) {
  // Two numbers never determine a hypothesis of two terms.
  EXPECT_FALSE(exact_value_hypothesis({{2, 0, 17}, {2, 1, 17}, {4, 0, 23}, {4, 1, 29}, {4, 2, 31}, {4, 3, 37}, {2, 0, 17}}));
}

}  // namespace
}  // namespace scalediag::loggp
