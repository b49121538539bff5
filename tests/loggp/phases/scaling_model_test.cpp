#include "loggp/phases/scaling_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "loggp/phases/equations/value_candidates.h"
#include "loggp/phases/scaled_program.h"
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
  // For one request, or for all.
  void wait() {
    TraceEvent e;
    e.kind = EventKind::kWait;
    add(e, "MPI_Wait");
  }
  void wait(uint32_t request, bool is_last) {
    TraceEvent e;
    e.kind = EventKind::kWait;
    if (!is_last) e.requests = {request};
    add(e, "MPI_Wait");
  }
  void exchange(uint64_t bytes) {
    TraceEvent e;
    e.kind = EventKind::kExchange;
    for (int r = 0; r < static_cast<int>(trace.size); ++r) e.sent.emplace_back(r, bytes + static_cast<uint64_t>(r));
    add(e, "MPI_Alltoallv");
  }
  void allreduce(uint64_t bytes) {
    TraceEvent e;
    e.kind = EventKind::kCollective;
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
  const ScaledTraces traces_at_target(model.value(), target);
  std::vector<RankTrace> scaled;
  for (int r = 0; r < target; ++r) scaled.push_back(traces_at_target.rank(r));
  const auto compared = compare_traces(scaled, run(program, target));
  return compared ? compared.value().all.share() : -1;
}

ScalingModel made(const RankOf& program, const std::vector<int>& scales, int target) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : scales) traces.push_back(run(program, ranks));
  auto model = model_of(traces, target);
  EXPECT_TRUE(model);
  return std::move(model.value());
}

bool is_told(const ScalingModel& model, const std::string& words) {
  const std::vector<Uncertainty> all = uncertainties_of(model);
  return std::any_of(all.begin(), all.end(),
                     [&](const Uncertainty& it) { return it.text.find(words) != std::string::npos; });
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

// Sums along rows that begin with the opposite half, so that the last exchange is that with the neighbour: 4 ranks have
// one, 8 = 4 x 2 two, 64 = 8 x 8 three. The wait for the last one opens the next round, as the recorder folds it.
RankTrace rising(int ranks, int rank) {
  int rows = 1;
  while (4 * rows * rows <= ranks) rows *= 2;
  const int columns = ranks / rows;
  Script s(ranks, rank);
  const auto sum = [&](bool waits_first) {
    int tag = 1;
    for (int distance = columns / 2; distance > 0; distance /= 2, ++tag) {
      if (waits_first || tag > 1) s.wait();
      s.message(EventKind::kIrecv, rank ^ distance, 64, tag);
      s.message(EventKind::kSend, rank ^ distance, 64, tag);
    }
  };
  sum(false);
  const size_t loop = s.trace.steps.size();
  sum(true);
  s.repeat(loop, 5);
  s.wait();
  return s.trace;
}

TEST(ScalingModel, WaitsGrowWithTheExchangesThatTheyComplete) {
  EXPECT_EQ(share_at(rising, {2, 4, 8, 16}, 64), 1);
  const ScalingModel model = made(rising, {2, 4, 8, 16}, 64);
  EXPECT_EQ(model.regular_events, model.events);
}

// Two messages, of which even ranks await the first and odd ones the second before the others.
RankTrace ambiguous(int ranks, int rank) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  Script s(ranks, rank);
  s.message(EventKind::kIrecv, before, 8, 1, 0);
  s.message(EventKind::kIrecv, before, 8, 1, 1);
  s.message(EventKind::kSend, next, 8, 1);
  s.message(EventKind::kSend, next, 8, 1);
  s.wait(rank % 2 == 0 ? 0 : 1, false);
  s.wait(0, true);
  s.allreduce(8);
  return s.trace;
}

TEST(ScalingModel, WaitsForDifferentMessagesOnDifferentRanksAreTold) {
  EXPECT_TRUE(is_told(made(ambiguous, {4, 8, 16}, 32), "it waits for different messages on different ranks"));
}

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

// A box of 36^3 elements in diagonals of cells, as in the multipartitioned programs of the NAS benchmarks: rank (x, y)
// of s x s has the cells (x + c, y - c, c), and cells at a coordinate below 36 mod s are one element larger. Before the
// sweeps each rank sends two elements deep faces across the first axis, 16 B an element, from all cells that have a
// neighbour there; then the layers across it are swept, each cell sending 8 B for the elements of its face without the
// border of the box.
RankTrace multipartition(int ranks, int rank) {
  int side = 1;
  while (side * side < ranks) ++side;
  const int x = rank % side, y = rank / side;
  const auto wrapped = [side](int at) { return (at + side) % side; };
  const auto size = [side](int at) { return 36 / side + (at < 36 % side ? 1 : 0); };
  const auto inner = [&](int at) { return size(at) - (at == 0 ? 1 : 0) - (at == side - 1 ? 1 : 0); };
  const int east = wrapped(x + 1) + side * y, west = wrapped(x - 1) + side * y;
  uint64_t to_east = 0, to_west = 0;
  for (int c = 0; c < side; ++c) {
    const auto bytes = static_cast<uint64_t>(16 * size(wrapped(y - c)) * size(c));
    if (wrapped(x + c) != side - 1) to_east += bytes;
    if (wrapped(x + c) != 0) to_west += bytes;
  }
  // The cell of a rank in a layer across the first axis has c = layer - x.
  const auto swept = [&](int layer) {
    const int c = wrapped(layer - x);
    return static_cast<uint64_t>(8 * inner(wrapped(y - c)) * inner(c));
  };
  Script s(ranks, rank);
  s.message(EventKind::kIrecv, east, to_east, 1, 0);
  s.message(EventKind::kIrecv, west, to_west, 2, 1);
  s.message(EventKind::kSend, west, to_west, 1);
  s.message(EventKind::kSend, east, to_east, 2);
  s.wait();
  for (int layer = 0; layer + 1 < side; ++layer) {
    s.message(EventKind::kSend, east, swept(layer), 3);
    s.message(EventKind::kIrecv, west, swept(layer + 1), 3);
    s.wait();
  }
  s.allreduce(8);
  s.repeat(0, 50);
  return s.trace;
}

// Of 25 = 5 x 5 ranks cells have sides of 8, 7, 7, 7 and 7, which no measured scale shows: 36 / 2, 36 / 3 and 36 / 4
// are even. That is told as one of several.
TEST(ScalingModel, DiagonalsOfCells) {
  EXPECT_EQ(share_at(multipartition, {4, 9, 16}, 25), 1);
  EXPECT_EQ(share_at(multipartition, {4, 9, 16, 25}, 36), 1);
  const ScalingModel model = made(multipartition, {4, 9, 16}, 25);
  EXPECT_EQ(model.regular_events, model.events);
  EXPECT_LT(model.certain_events, model.events);
}

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
  EXPECT_LT(model.value().regular_events, model.value().events);
  const std::vector<ProgramPhase> phases = phases_of(model.value());
  EXPECT_TRUE(std::any_of(phases.begin(), phases.end(), [](const ProgramPhase& p) { return !p.why_not.empty(); }));
}

// The total computation of a rank of `target` by the model of `scales`, in ns.
double computed(const RankOf& program, const std::vector<int>& scales, int target, int rank) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : scales) traces.push_back(run(program, ranks));
  const auto model = model_of(traces, target);
  if (!model) return -1;
  const RankTrace made = ScaledTraces(model.value(), target).rank(rank);
  double sum = static_cast<double>(made.tail_ns);
  const std::function<void(const std::vector<TraceStep>&)> add = [&](const std::vector<TraceStep>& steps) {
    for (const TraceStep& step : steps) {
      if (step.count > 0) add(step.body);
      if (step.count == 0) sum += static_cast<double>(step.before.total);
    }
  };
  add(made.steps);
  return sum;
}

// Halos in a line, after a sweep of 1 ms and 1 us before each further message. The rank at the left end has no message
// to the left, and sweeps before the one to the right. Corner places take `longer` times as long.
RankTrace sweeps(int ranks, int rank, double at_the_end) {
  Script s(ranks, rank);
  double before = 1e6 * (rank == 0 || rank + 1 == ranks ? at_the_end : 1);
  const auto message = [&](int peer, int tag) {
    if (peer < 0 || peer >= ranks) return;
    s.message(EventKind::kSend, peer, 8, tag);
    TraceTimes& times = s.trace.steps.back().before;
    times.total = times.least = times.most = static_cast<uint64_t>(before);
    before = 1e3;
  };
  message(rank - 1, 1);
  message(rank + 1, 2);
  for (TraceStep& step : s.trace.steps) step.before.total *= 10;
  s.repeat(0, 10);
  return s.trace;
}

// A rank inside has both messages: 10 x (1 ms + 1 us). One at an end has one of them, and does not sweep again before
// it.
TEST(ScaledComputation, OfBorderRanksIsDividedAmongTheEventsThatOthersHave) {
  const RankOf program = [](int ranks, int rank) { return sweeps(ranks, rank, 1); };
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 7), 10.01e6, 0.03e6);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 0), 10.01e6, 0.03e6);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 31), 10.01e6, 0.03e6);
}

TEST(ScaledComputation, IsThatOfTheRanksPlaceWherePlacesDiffer) {
  const RankOf program = [](int ranks, int rank) { return sweeps(ranks, rank, 1.5); };
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 7), 10.01e6, 0.1e6);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 0), 15.01e6, 0.15e6);
  EXPECT_NEAR(computed(program, {4, 8, 16}, 32, 31), 15.01e6, 0.15e6);
}

TEST(ComputationHypothesis, ChanceMakesNoPlaces) {
  std::vector<ValueSample> samples;
  uint32_t state = 3;
  for (const int ranks : {2, 4, 8, 16}) {
    for (int rank = 0; rank < ranks; ++rank) {
      state = state * 1664525 + 1013904223;
      samples.push_back({ranks, rank, 1e6 / ranks * (0.95 + 0.1 * (state >> 16) / 65536)});
    }
  }
  EXPECT_FALSE(ComputationHypothesis::of(samples, GridKind::kPlaneFalling).depends_on_place());
}

TEST(ScalingModel, MainLoopIsTheOutermost) {
  const auto model = model_of({run(wavefront, 4), run(wavefront, 16)});
  ASSERT_TRUE(model);
  const auto loop = main_loop_of(model.value());
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->iterations, (std::map<int, double>{{4, 7}, {16, 7}}));
}

std::string error_of(const std::vector<std::vector<RankTrace>>& traces, int target = 0) {
  const auto model = model_of(traces, target);
  return model ? "" : model.error().message;
}

TEST(ScalingModel, OneScaleIsAnError) {
  EXPECT_EQ(error_of({run(wavefront, 4)}), "one number of ranks says nothing about others");
  EXPECT_EQ(error_of({run(wavefront, 4), run(wavefront, 4)}), "one number of ranks says nothing about others");
}

// One rank alone talks to nobody: there is nothing that an equation could be told from.
TEST(ScalingModel, OneRankOnlyIsAnError) {
  EXPECT_EQ(error_of({run(wavefront, 1)}), "one number of ranks says nothing about others");
  EXPECT_EQ(error_of({}), "one number of ranks says nothing about others");
}

TEST(ScalingModel, DifferentProgramsAreAnError) {
  auto other = run(wavefront, 4);
  for (RankTrace& trace : other) trace.executable = "/other";
  EXPECT_EQ(error_of({run(wavefront, 8), other}), "the traces are of different programs: /app and /other");
}

// Inputs of 960 and 1000 rows: 8 times 960/1, 1000/2 and 960/4 bytes along sides of 1, 2 and 4 ranks. Nothing in a
// trace says which input a run had, so that no equation holds, and it is told.
TEST(ScalingModel, DifferentInputsAreTold) {
  const auto other = [](int ranks, int rank) {
    RankTrace trace = wavefront(ranks, rank);
    for (TraceEvent& e : trace.events) e.bytes = e.bytes == 8 ? 8 : e.bytes * 1000 / 960;
    return trace;
  };
  const auto model = model_of({run(wavefront, 4), run(other, 16), run(wavefront, 64)}, 256);
  ASSERT_TRUE(model);
  EXPECT_LT(model.value().regular_events, model.value().events);
  EXPECT_TRUE(is_told(model.value(), "no equation gives its bytes: "));
}

TEST(ScalingModel, FewerRanksThanMeasuredAreAnError) {
  const auto model = model_of({run(wavefront, 4), run(wavefront, 8)}, 8);
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().hint, "");
}

TEST(ScalingModel, AnIncompleteTraceIsAnError) {
  auto broken = run(wavefront, 4);
  broken[2].incomplete = "the trace of rank 2 ends early";
  const auto model = model_of({run(wavefront, 8), broken}, 16);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message, "the trace of rank 2 ends early");
}

// Rank 0 computes longer before the sum. 2 = 2 x 1, 4 = 2 x 2 and 8 = 4 x 2 have nobody between others along the second
// side, where 8 of 4 x 4 ranks are; 12 = 4 x 3 has.
TEST(ScalingModel, PlacesThatNoRankHasAreTold) {
  const RankOf program = [](int ranks, int rank) {
    RankTrace trace = wavefront(ranks, rank);
    if (rank == 0) trace.steps.front().body.back().before.total *= 1000;
    return trace;
  };
  EXPECT_EQ(unseen_places(made(program, {2, 4, 8}, 16)).find("8 of 16 ranks"), 0u);
  EXPECT_EQ(unseen_places(made(program, {2, 4, 8, 12}, 64)), "");
}

// Messages to the south are there on 4 = 2 x 2 and 8 = 4 x 2 ranks only, 3840 and 1920 bytes: 7680 / x, and 15360 / P
// as well. Those to the east are 7680, 3840 and 3840 bytes on 2, 4 and 8 ranks, which is 7680 / y and nothing over P.
// The hypothesis that holds along both sides is taken, and the other is told: 15360 / 16 = 960 in place of 7680 / 4 =
// 1920.
TEST(ScalingModel, WhatTwoScalesLeaveOpenIsToldAndTakenAsAlongTheOtherSide) {
  const ScalingModel model = made(wavefront, {2, 4, 8}, 16);
  EXPECT_TRUE(is_told(model, "is 960 instead of 1920 on 16 ranks"));
  EXPECT_EQ(model.regular_events, model.events);
  EXPECT_LT(model.certain_events, model.events);
}

// 2 = 2 x 1, 4 = 2 x 2 and 8 = 4 x 2 have at most two ranks along y, and 16 = 4 x 4 has four.
TEST(ScalingModel, RanksBetweenOthersThatNoScaleHasAreTold) {
  const std::vector<std::string> lines = unseen_positions(made(wavefront, {2, 4, 8}, 16));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("of 16 ranks 8 do"), std::string::npos) << lines[0];
  EXPECT_TRUE(unseen_positions(made(wavefront, {4, 16}, 64)).empty());
}

// Halos in a plane of x times y ranks, x >= y: from both ends of each side, then to them. No rank of 2, 4 and 8 has
// both neighbours along y; the order is taken from x.
RankTrace halo2d(int ranks, int rank) {
  int y = 1;
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) y = i;
  }
  const int x = ranks / y, column = rank % x, row = rank / x;
  const int west = column > 0 ? rank - 1 : kNobody, east = column + 1 < x ? rank + 1 : kNobody;
  const int north = row > 0 ? rank - x : kNobody, south = row + 1 < y ? rank + x : kNobody;
  Script s(ranks, rank);
  uint32_t request = 0;
  const auto receive = [&](int peer, uint64_t bytes, int tag) {
    s.message(EventKind::kIrecv, peer, bytes, tag, peer == kNobody ? 0 : request++);
  };
  const auto rows = static_cast<uint64_t>(8 * 960 / y), columns = static_cast<uint64_t>(8 * 960 / x);
  receive(east, rows, 7);
  receive(west, rows, 6);
  receive(south, columns, 5);
  receive(north, columns, 4);
  s.message(EventKind::kSend, west, rows, 7);
  s.message(EventKind::kSend, east, rows, 6);
  s.message(EventKind::kSend, north, columns, 5);
  s.message(EventKind::kSend, south, columns, 4);
  s.wait();
  s.repeat(0, 20);
  return s.trace;
}

TEST(ScalingModel, OrderThatNoScaleShowsIsTakenFromTheOtherSideAndTold) {
  EXPECT_EQ(share_at(halo2d, {2, 4, 8}, 16), 1);
  EXPECT_TRUE(is_told(made(halo2d, {2, 4, 8}, 16), "order: no measured rank has neighbours on both ends of side 2"));
}

// All 26 neighbours in an open cube, each message awaited by itself in the order of the directions. 8 bytes times 6 x 6
// for faces, 6 for edges and 1 for corners.
RankTrace halo3d(int ranks, int rank) {
  int side = 1;
  while (side * side * side < ranks) ++side;
  const std::array<int, 3> at = {rank % side, rank / side % side, rank / side / side};
  Script s(ranks, rank);
  const auto each = [&](const auto& visit) {
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          const std::array<int, 3> to = {at[0] + x, at[1] + y, at[2] + z};
          if ((x == 0 && y == 0 && z == 0) || *std::min_element(to.begin(), to.end()) < 0 ||
              *std::max_element(to.begin(), to.end()) >= side) {
            continue;
          }
          const int away = std::abs(x) + std::abs(y) + std::abs(z);
          visit(to[0] + side * (to[1] + side * to[2]), uint64_t{away == 1 ? 288u : away == 2 ? 48u : 8u});
        }
      }
    }
  };
  uint32_t request = 0;
  each([&](int peer, uint64_t bytes) { s.message(EventKind::kIrecv, peer, bytes, 1, request++); });
  each([&](int peer, uint64_t bytes) { s.message(EventKind::kSend, peer, bytes, 1); });
  for (uint32_t i = 0; i < request; ++i) s.wait(i, i + 1 == request);
  s.repeat(0, 10);
  s.allreduce(8);
  return s.trace;
}

TEST(ScalingModel, BoxWithAllItsNeighbours) { EXPECT_EQ(share_at(halo3d, {1, 8, 27}, 64), 1); }

// Around a box whose shortest side comes first, as 2 = 1 x 1 x 2, 4 = 1 x 2 x 2, 8, 16 = 2 x 2 x 4: along a side of one
// rank it sends to itself. Faces have layers of neighbours: 8 (32/y) (32/z), 8 (32/x + 2) (32/z), 8 (32/x + 2) (32/y +
// 2).
RankTrace torus(int ranks, int rank) {
  std::array<int, 3> side = {1, 1, 1};
  for (int p = 1, i = 2; p < ranks; p *= 2, i = (i + 2) % 3) side[static_cast<size_t>(i)] *= 2;
  const std::array<int, 3> at = {rank % side[0], rank / side[0] % side[1], rank / side[0] / side[1]};
  Script s(ranks, rank);
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto n = [&](size_t other) { return static_cast<uint64_t>(32 / side[other] + (other < axis ? 2 : 0)); };
    const uint64_t bytes = 8 * n(axis == 0 ? 1 : 0) * n(axis == 2 ? 1 : 2);
    const auto neighbour = [&](int step) {
      std::array<int, 3> to = at;
      to[axis] = (to[axis] + step + side[axis]) % side[axis];
      return to[0] + side[0] * (to[1] + side[1] * to[2]);
    };
    for (const int step : {-1, 1}) {
      s.message(EventKind::kIrecv, neighbour(-step), bytes, static_cast<int>(2 * axis) + (step + 1) / 2);
      s.message(EventKind::kSend, neighbour(step), bytes, static_cast<int>(2 * axis) + (step + 1) / 2);
      s.wait();
    }
  }
  s.repeat(0, 4);
  return s.trace;
}

TEST(ScalingModel, TorusThatSendsToItselfAndFacesWithLayers) { EXPECT_EQ(share_at(torus, {2, 4, 8}, 16), 1); }

// 100 columns along the rows of a plane: 100/1, 50 and 25 columns on 1, 4 and 16 ranks, and on 64 = 8 x 8 13 on the
// first 4 of a row and 12 on the others.
RankTrace uneven(int ranks, int rank) {
  int side = 1;
  while (side * side < ranks) ++side;
  const int x = rank % side, y = rank / side;
  const auto columns = static_cast<uint64_t>(100 / side + (x < 100 % side ? 1 : 0));
  Script s(ranks, rank);
  s.message(EventKind::kRecv, y > 0 ? rank - side : kNobody, 8 * columns);
  s.message(EventKind::kSend, y + 1 < side ? rank + side : kNobody, 8 * columns);
  s.allreduce(8);
  return s.trace;
}

TEST(ScalingModel, BlocksThatBecomeUnevenAreAssumedAndTold) {
  EXPECT_EQ(share_at(uneven, {4, 16}, 64), 1);
  EXPECT_TRUE(is_told(made(uneven, {4, 16}, 64), "blocks are even on all measured scales and not on 64 ranks"));
}

// On 9 = 3 x 3 ranks blocks of 34, 33 and 33 columns are measured; on 49 = 7 x 7 there are 15, 15 and five of 14.
TEST(ScalingModel, BlocksThatAreUnevenWhereMeasured) { EXPECT_EQ(share_at(uneven, {4, 9, 16, 36}, 49), 1); }

// 24 rows on sides of 2, 3 and 4 ranks are even. 9600 / 5 is a whole number of 8 bytes, but no measured side had 5
// ranks: that blocks are even there is told as an assumption.
RankTrace even(int ranks, int rank) {
  int side = 1;
  while (side * side < ranks) ++side;
  const int y = rank / side;
  Script s(ranks, rank);
  s.message(EventKind::kRecv, y > 0 ? rank - side : kNobody, static_cast<uint64_t>(9600 / side));
  s.message(EventKind::kSend, y + 1 < side ? rank + side : kNobody, static_cast<uint64_t>(9600 / side));
  return s.trace;
}

TEST(ScalingModel, SidesWithNewPrimeFactorsAreTold) {
  EXPECT_TRUE(is_told(made(even, {4, 9, 16}, 25), "nothing says that blocks are even on"));
  EXPECT_FALSE(is_told(made(even, {4, 9, 16}, 36), "nothing says that blocks are even on"));
}

// What goes to whom depends on the data; the rest is regular.
RankTrace sorting(int ranks, int rank) {
  Script s(ranks, rank);
  s.allreduce(8);
  s.exchange(100 + 7 * static_cast<uint64_t>(rank * rank % 5));
  return s.trace;
}

TEST(ScalingModel, ExchangesOfDataAreNeverRegular) {
  const ScalingModel model = made(sorting, {2, 4, 8}, 16);
  EXPECT_EQ(2 * model.regular_events, model.events);
  EXPECT_TRUE(is_told(model, "depend on the data; used instead: about"));
}

TEST(ScalingModel, DefaultTargetIsOfTheSameKind) {
  EXPECT_EQ(default_target({1, 8, 27}), 216);
  EXPECT_EQ(default_target({4, 9}), 36);
  EXPECT_EQ(default_target({2, 4}), 16);
}

// One event of one rank that is not as the others: another number of bytes, another tag, another partner, or gone.
// Ranks 5 and 9 of 4 x 4 are neither first nor last along both sides, so that no equation has a place for it.
TEST(ScalingModel, OneStrangeEventIsNeverSilent) {
  for (const int rank : {5, 9}) {
    for (size_t event = 0; event < 4; ++event) {
      for (int what = 0; what < 4; ++what) {
        std::vector<std::vector<RankTrace>> traces = {run(wavefront, 4), run(wavefront, 8), run(wavefront, 16)};
        RankTrace& strange = traces[2][static_cast<size_t>(rank)];
        TraceEvent& e = strange.events[event];
        if (what == 0) e.bytes += 24;
        if (what == 1) e.tag += 5;
        if (what == 2) e.peer = (e.peer + 6) % 16;
        if (what == 3) strange.steps[0].body[0].body.erase(strange.steps[0].body[0].body.begin());
        const auto model = model_of(traces, 64);
        ASSERT_TRUE(model);
        EXPECT_LT(model.value().regular_events, model.value().events) << rank << ", event " << event << ", " << what;
      }
    }
  }
}

// Traces with anything changed anywhere give a model and a trace, or an error.
TEST(ScalingModel, AnyTracesCanBeModelled) {
  uint32_t state = 7;
  const auto any = [&state](uint32_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
  for (int round = 0; round < 40; ++round) {
    std::vector<std::vector<RankTrace>> traces = {run(wavefront, 2), run(butterfly, 4), run(wavefront, 8)};
    for (int change = 0; change < 5; ++change) {
      std::vector<RankTrace>& some = traces[any(3)];
      RankTrace& trace = some[any(static_cast<uint32_t>(some.size()))];
      if (trace.events.empty()) continue;
      TraceEvent& e = trace.events[any(static_cast<uint32_t>(trace.events.size()))];
      switch (any(6)) {
        case 0:
          e.peer = static_cast<int>(any(40));
          break;
        case 1:
          e.bytes = uint64_t{1} << any(64);
          break;
        case 2:
          e.tag = static_cast<int>(any(100)) - 50;
          break;
        case 3:
          e.requests = {any(9), any(9)};
          break;
        case 4:
          e.kind = static_cast<EventKind>(1 + any(3));
          break;
        default:
          trace.steps.resize(any(static_cast<uint32_t>(trace.steps.size()) + 1));
      }
    }
    const auto model = model_of(traces, 16);
    ASSERT_TRUE(model);
    EXPECT_LE(model.value().certain_events, model.value().regular_events);
    uncertainties_of(model.value());
    const ScaledTraces scaled(model.value(), 16);
    for (int r = 0; r < 16; ++r) EXPECT_EQ(scaled.rank(r).rank, static_cast<uint32_t>(r));
    scaled.unmatched();
  }
}

TEST(MessageBalance, FindsWhatIsSentAndNotReceived) {
  MessageBalance balance;
  balance.add(3, 5, 77, 0, 4);
  balance.add(3, 5, 77, 0, -4);
  EXPECT_EQ(balance.unmatched().messages, 0u);
  balance.add(3, 5, 77, 0, 1);
  EXPECT_EQ(balance.unmatched().messages, 1u);
  EXPECT_EQ(balance.unmatched().example, "sent from rank 3 to rank 5 with tag 77");
  balance.add(5, 3, 77, 0, -2);
  EXPECT_EQ(balance.unmatched().messages, 3u);
}

// The wavefront on 64 ranks, an open plane of 8 x 8: its ranks are inside, on four sides and in four corners. Every
// rank's program made on demand has the operations of its trace.
TEST(ScaledProgram, IsTheTracesOfAllRanks) {
  std::vector<std::vector<RankTrace>> traces;
  for (const int ranks : {4, 8, 16}) traces.push_back(run(wavefront, ranks));
  const auto model = model_of(traces, 64);
  ASSERT_TRUE(model);
  const ScaledTraces scaled(model.value(), 64);
  EXPECT_EQ(scaled.classes().size(), 9u);
  EXPECT_EQ(scaled.unmatched().messages, 0u);
  std::vector<RankTrace> all;
  for (int r = 0; r < 64; ++r) all.push_back(scaled.rank(r));
  const auto in_memory = TraceProgram::of(all);
  const auto on_demand = ScaledProgram::of(scaled);
  ASSERT_TRUE(in_memory && on_demand);
  for (int r = 0; r < 64; ++r) {
    uint64_t a = 0, b = 0;
    for (;;) {
      const Op one = in_memory.value().next(r, a), other = on_demand.value().next(r, b);
      ASSERT_EQ(one.kind, other.kind) << r;
      ASSERT_EQ(one.peer, other.peer) << r;
      ASSERT_EQ(one.tag, other.tag) << r;
      ASSERT_EQ(one.bytes, other.bytes) << r;
      ASSERT_EQ(one.seconds, other.seconds) << r;
      if (one.kind == OpKind::kEnd) break;
    }
  }
}

// 12 elements of 8 bytes along a side of d ranks, without those at the border: 96 / d, less 8 for the first rank and 8
// for the last, on 2 x 1, 2 x 2 and 4 x 2 ranks. On 64 = 8 x 8 the element that divides all coefficients is 8 bytes, so
// that the first 4 ranks of a side have 2 elements and the others 1: 16 inside, 8 on the first rank.
TEST(ValueCandidates, BlocksWithoutTheirBorder) {
  std::vector<ValueSample> samples;
  for (const int ranks : {2, 4, 8}) {
    const ProcessGrid grid = process_grid(GridKind::kPlaneFalling, ranks);
    for (int r = 0; r < ranks; ++r) {
      const int d = grid.sides[0], x = grid.coordinates(r)[0];
      samples.push_back({ranks, r, 96.0 / d - (x == 0 ? 8 : 0) - (x == d - 1 ? 8 : 0)});
    }
  }
  const auto candidates = value_candidates(samples, GridKind::kPlaneFalling, 64);
  ASSERT_FALSE(candidates.empty());
  EXPECT_TRUE(candidates.front().is_assumed_uneven);
  EXPECT_NEAR(candidates.front().hypothesis.at(64, 3), 16, 1e-6);
  EXPECT_NEAR(candidates.front().hypothesis.at(64, 0), 8, 1e-6);
}

// 400 and 200 bytes on sides of 1 and 2 ranks are 400 / d, which would be 100 on 4: no multiple of the 8 bytes that all
// of them are multiples of. With elements of 8 bytes, 50 of them, the first two ranks have 13 and the others 12.
TEST(ValueCandidates, WhatCannotBeAtTheTargetIsNoCandidate) {
  const std::vector<ValueSample> samples = {{2, 0, 400}, {2, 1, 400}, {4, 0, 200},
                                            {4, 3, 200}, {8, 0, 200}, {8, 7, 200}};
  const auto candidates = value_candidates(samples, GridKind::kPlaneRising, 16);
  ASSERT_FALSE(candidates.empty());
  for (const ValueCandidate& candidate : candidates) {
    for (const double value : values_at(candidate.hypothesis, 16)) EXPECT_EQ(std::fmod(value, 8), 0) << value;
  }
}

// Buffers of 240 (n/d + 1)^2 B for n = 24: 240 times 13^2, 9^2 and 7^2 on planes of 2, 3 and 4. On one of 5 all ranks
// have room for 24/5 = 4 elements and one more, 240 times 5^2; rounded up for the first ranks it would be 6^2 there.
TEST(ValueCandidates, BuffersForAnyBlockAreRoundedDown) {
  std::vector<ValueSample> samples;
  for (const auto& [ranks, value] : {std::pair(4, 40560.0), std::pair(9, 19440.0), std::pair(16, 11760.0)}) {
    for (int r = 0; r < ranks; ++r) samples.push_back({ranks, r, value});
  }
  const auto candidates = value_candidates(samples, GridKind::kPlaneFalling, 25);
  ASSERT_FALSE(candidates.empty());
  EXPECT_NEAR(candidates.front().hypothesis.at(25, 0), 6000, 1e-6);
  EXPECT_NEAR(candidates.front().hypothesis.at(25, 24), 6000, 1e-6);
  EXPECT_TRUE(std::any_of(candidates.begin(), candidates.end(), [](const ValueCandidate& candidate) {
    return std::abs(candidate.hypothesis.at(25, 0) - 8640) < 1e-6;
  }));
}

// Rank (1, 0) of 3 x 3, whose cells of 7 elements along a side are 3, 2 and 2: its cells are (1, 0, 0), (2, 2, 1) and
// (0, 1, 2). Across the first axis faces are 3 x 3, 2 x 2 and 2 x 2; the second cell is in the last layer, the third
// one in the first. Without the border the sides are 2, 2 and 1: the faces are 2 x 2, 1 x 2 and 2 x 1.
TEST(ValueHypothesis, FacesOfCells) {
  using Which = ValueHypothesis::Cells::Which;
  ValueHypothesis hypothesis;
  hypothesis.cells = {Which::kAllButLast, 0, {1, -1}, 0, 1, false, 7, 8};
  EXPECT_EQ(hypothesis.at(9, 1), 8 * (9 + 4));
  hypothesis.cells->which = Which::kAllButFirst;
  EXPECT_EQ(hypothesis.at(9, 1), 8 * (9 + 4));
  hypothesis.cells->axis = 2;  // faces of 2 x 3, 2 x 2 and 3 x 2 in layers 0, 1 and 2
  EXPECT_EQ(hypothesis.at(9, 1), 8 * (4 + 6));
  hypothesis.cells = {Which::kOfRound, 0, {1, -1}, 1, -1, true, 7, 8};  // layers 1, 0 and 2
  EXPECT_EQ(hypothesis.at(9, 1, 0), 8 * 4);
  EXPECT_EQ(hypothesis.at(9, 1, 1), 8 * 2);
  EXPECT_EQ(hypothesis.at(9, 1, 2), 8 * 2);
}

TEST(ValueCandidates, NothingIsExactByChance) {
  // Six different numbers on two scales: no hypothesis of three terms meets them.
  EXPECT_TRUE(value_candidates({{2, 0, 17}, {2, 1, 19}, {4, 0, 23}, {4, 1, 29}, {4, 2, 31}, {4, 3, 37}},
                               GridKind::kPlaneFalling, 16)
                  .empty());
}

TEST(ValueHypothesis, MirroredAlongAnotherSide) {
  const auto candidates = value_candidates({{2, 0, 9600}, {4, 0, 4800}, {8, 0, 4800}}, GridKind::kPlaneRising, 32);
  ASSERT_FALSE(candidates.empty());
  // 32 = 8 x 4 with the shorter side first: 9600 / 4, and along the other side 9600 / 8.
  EXPECT_NEAR(candidates.front().hypothesis.at(32, 0), 2400, 1e-6);
  EXPECT_NEAR(candidates.front().hypothesis.with_sides({1, 0, 2}).at(32, 0), 1200, 1e-6);
}

}  // namespace
}  // namespace scalediag::loggp
