// Programs that talk to all neighbours in a box, across edges and corners too.
#include "loggp/phases/messages/neighbourhood.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

struct Neighbour {
  int rank = 0, step = 0;
  uint64_t bytes = 0;
};

// 65 x 65 x 65 points of 8 bytes in a box of ranks; the points of a face, an edge or a corner go to the neighbour.
std::vector<Neighbour> neighbours(core::GridKind kind, int ranks, int rank) {
  const core::ProcessGrid grid = process_grid(kind, ranks);
  const std::array<int, 3> at = grid.coordinates(rank);
  std::vector<Neighbour> all;
  for (int step = 0; step < 27; ++step) {
    const std::array<int, 3> by = {step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1};
    std::array<int, 3> to = at;
    uint64_t bytes = 8;
    bool is_inside = step != 13;  // the rank itself
    for (size_t side = 0; side < 3; ++side) {
      to[side] += by[side];
      is_inside = is_inside && to[side] >= 0 && to[side] < grid.sides[side];
      if (by[side] == 0) bytes *= static_cast<uint64_t>(65 / grid.sides[side] + (at[side] < 65 % grid.sides[side]));
    }
    if (is_inside) all.push_back({grid.rank(to), step, bytes});
  }
  return all;
}

void exchange(Script& s, const std::vector<Neighbour>& all, bool is_received_in_any_order) {
  uint32_t request = 0;
  std::vector<Neighbour> from = all;
  const auto middle = from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2);
  if (is_received_in_any_order) std::rotate(from.begin(), middle, from.end());
  for (const Neighbour& n : from) s.message(EventKind::kIrecv, n.rank, n.bytes, 7, request++);
  for (const Neighbour& n : all) s.message(EventKind::kSend, n.rank, n.bytes, 7);
  for (uint32_t i = 0; i < from.size(); ++i) s.wait(i, i + 1 == from.size());
}

RankOf program(core::GridKind kind, bool is_received_in_any_order = false) {
  return [=](int ranks, int rank) {
    Script s(ranks, rank);
    exchange(s, neighbours(kind, ranks, rank), is_received_in_any_order);
    s.allreduce(8);
    s.repeat(0, 10);
    return s.trace;
  };
}

// 64 = 4 x 4 x 4 ranks: 8 have 7 neighbours, 24 have 11, 24 have 17 and 8 have 26. 16 = 4 x 2 x 2.
TEST(Neighbourhood, OfABoxOfRows) { EXPECT_EQ(share_at(program(core::GridKind::kSpaceFalling), {2, 4, 8, 16}, 64), 1); }

TEST(Neighbourhood, OfABoxInHalves) {
  const auto halved = program(core::GridKind::kSpaceBisected);
  EXPECT_EQ(share_at(halved, {2, 4, 8, 16}, 64), 1);
  const ScalingModel model = made(halved, {2, 4, 8, 16}, 64);
  EXPECT_EQ(model.grid, core::GridKind::kSpaceBisected);
  EXPECT_EQ(model.regular_events, model.events);
}

// Receives from any source were recorded in the order in which messages came.
TEST(Neighbourhood, ReceivesAreSorted) {
  const ScalingModel model = made(program(core::GridKind::kSpaceBisected, true), {2, 4, 8, 16}, 64);
  EXPECT_EQ(model.regular_events, model.events);
  EXPECT_EQ(unmatched_at_target(model), 0U);
}

// On 8 = 2 x 2 x 2 ranks all others are neighbours, as they are of programs without any grid.
TEST(Neighbourhood, IsNotToldFromAllOthers) {
  std::vector<std::vector<RankTrace>> traces;
  std::vector<const std::vector<RankTrace>*> scales;
  for (const int ranks : {2, 4, 8}) traces.push_back(run(program(core::GridKind::kSpaceRising), ranks));
  for (const auto& of_scale : traces) scales.push_back(&of_scale);
  EXPECT_FALSE(neighbourhood_of(scales));
  traces.push_back(run(program(core::GridKind::kSpaceRising), 16));
  scales = {&traces[1], &traces[3]};
  const auto found = neighbourhood_of(scales);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->grid, core::GridKind::kSpaceRising);
}

// 50 rounds of an exchange and a sum, after each 10 of which something is looked at, with two more sums: on 4 and 8
// ranks 3 rounds and one later, but for the last time.
RankTrace converging(int ranks, int rank) {
  Script s(ranks, rank);
  const int other = rank ^ 1, later = ranks == 4 ? 3 : ranks == 8 ? 1 : 0;
  for (int part = 0; part < 5; ++part) {
    const size_t from = s.trace.steps.size();
    s.message(EventKind::kIrecv, other, 64, 1);
    s.message(EventKind::kSend, other, 64, 1);
    s.wait();
    s.allreduce(8);
    const int more = part == 0 ? later : part == 4 ? -later : 0;
    s.repeat(from, static_cast<uint64_t>(10 + more));
    s.allreduce(16);
    s.allreduce(16);
  }
  return s.trace;
}

// 50 rounds and 10 sums in between, at any number of ranks; 10 of them are the last.
TEST(Interruptions, AreCountedApart) {
  const ScalingModel model = made(converging, {2, 4, 8}, 32);
  EXPECT_EQ(model.regular_events, model.events);
  const ScaledTraces traces(model, 32);
  EXPECT_EQ(traces.rank(5).events.size(), 5U);
  uint64_t events = 0;
  for (const TraceStep& step : traces.rank(5).steps) events += step.count > 0 ? step.count * step.body.size() : 1;
  EXPECT_EQ(events, 50U * 4 + 10);
}

}  // namespace
}  // namespace scalediag::loggp
