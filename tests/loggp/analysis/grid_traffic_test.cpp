// Messages and waiting by direction of the process grid, and other grids.
#include "loggp/analysis/grid_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "loggp/simulator/program.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

constexpr uint32_t kHaloGroup = 1;

// The neighbours of a rank in an open grid; kNobody beyond its rim.
std::array<int, 4> neighbours(const core::ProcessGrid& grid, int rank) {
  std::array<int, 4> found = {kNobody, kNobody, kNobody, kNobody};
  size_t next = 0;
  for (size_t side = 0; side < 2; ++side) {
    for (const int step : {-1, 1}) {
      auto at = grid.coordinates(rank);
      at[side] += step;
      if (at[side] >= 0 && at[side] < grid.sides[side]) found[next] = grid.rank(at);
      ++next;
    }
  }
  return found;
}

// Messages cost nothing. Ranks 0, 1 and 2 of 3 x 2 compute for 1 s, and all exchange 8 bytes with their neighbours in
// one wait: 3, 4 and 5 wait for 1 s each for the rank before them along the side of 2. Of the 14 messages 2 x 2 x 2 go
// along the side of 3 and 3 x 2 along the other one.
TEST(GridTraffic, NamesTheNeighbourThatIsWaitedFor) {
  ListProgram program(6);
  const core::ProcessGrid grid = {2, {3, 2, 1}};
  for (int rank = 0; rank < 6; ++rank) {
    std::vector<Op>& ops = program.of(rank);
    ops.push_back(compute(rank < 3 ? 1 : 0));
    for (const OpKind kind : {OpKind::kIrecv, OpKind::kIsend}) {
      for (const int other : neighbours(grid, rank)) {
        if (other != kNobody) ops.push_back(message(kind, other, 8, 0, kHaloGroup));
      }
    }
    Op wait;
    wait.kind = OpKind::kWait;
    wait.group = kHaloGroup;
    ops.push_back(wait);
  }
  const auto traffic = grid_traffic(program, uniform_network(Segment{}, 0));
  ASSERT_TRUE(traffic) << traffic.error().message;
  EXPECT_EQ(text_of(traffic.value().grid), "3 x 2");
  EXPECT_EQ(traffic.value().messages(), 14);
  EXPECT_EQ(traffic.value().bytes(), 14 * 8);
  EXPECT_NEAR(traffic.value().idle_s(), 3, 1e-12);
  const GridDirection& longest = traffic.value().directions.front();
  EXPECT_EQ(longest.side, 1);
  EXPECT_EQ(longest.step, -1);
  EXPECT_EQ(longest.messages, 3);
  EXPECT_NEAR(longest.idle_s, 3, 1e-12);
  EXPECT_EQ(traffic.value().others.messages, 0);
}

// Every rank sends to the one three away, of 7: no grid has such neighbours for all.
TEST(GridTraffic, RefusesMessagesAlongNoGrid) {
  ListProgram program(7);
  for (int rank = 0; rank < 7; ++rank) {
    program.of(rank) = {message(OpKind::kIsend, (rank + 3) % 7, 8, 0, kHaloGroup),
                        message(OpKind::kRecv, (rank + 4) % 7, 8)};
  }
  const auto traffic = grid_traffic(program, uniform_network(Segment{}, 0));
  ASSERT_FALSE(traffic);
  EXPECT_NE(traffic.error().message.find("neighbours of any grid"), std::string::npos);
}

// Ten rounds of an exchange with the neighbours in the grid that MPI_Dims_create chooses, of 960 x 960 values of 8
// bytes.
RankTrace halo(int ranks, int rank) {
  const core::ProcessGrid grid = process_grid(core::GridKind::kPlaneFalling, ranks);
  const std::array<int, 4> around = neighbours(grid, rank);
  Script s(ranks, rank);
  for (size_t i = 0; i < 4; ++i) {
    const auto bytes = static_cast<uint64_t>(8 * 960 / grid.sides[i < 2 ? 1 : 0]);
    const int tag = static_cast<int>(i);
    s.message(trace::EventKind::kIrecv, around[i ^ 1], bytes, tag);
    s.message(trace::EventKind::kSend, around[i], bytes, tag);
    s.wait();
  }
  s.repeat(0, 10);
  return s.trace;
}

// 64 ranks as 16 x 4 instead of 8 x 8: 2 x 15 x 4 messages of 8 x 960 / 4 bytes along the side of 16 in a round, and
// 2 x 16 x 3 of 8 x 960 / 16 along the other one. As 64 x 1: 2 x 63 of 8 x 960.
TEST(GridTraffic, EquationsTellWhatOtherGridsSend) {
  Segment segment;
  segment.gap_s_per_byte = 1e-9;
  std::vector<std::string> left_out;
  const auto grids =
      traffic_in_grids(made(halo, {4, 8, 16, 32}, 64), 64, 1e-3, uniform_network(segment, 1e-6), left_out);
  ASSERT_TRUE(grids) << grids.error().message;
  EXPECT_TRUE(left_out.empty()) << left_out.front();
  EXPECT_EQ(grids.value().size(), 7u);  // 1 x 64, 2 x 32, ..., 64 x 1
  const auto in = [&](const std::string& sides) {
    return *std::find_if(grids.value().begin(), grids.value().end(),
                         [&](const GridTraffic& g) { return text_of(g.grid) == sides; });
  };
  EXPECT_EQ(in("8 x 8").messages(), 10 * 224);
  EXPECT_EQ(in("8 x 8").bytes(), 10 * 224 * 960);
  EXPECT_EQ(in("16 x 4").messages(), 10 * (120 + 96));
  EXPECT_EQ(in("16 x 4").bytes(), 10 * (120 * 1920 + 96 * 480));
  EXPECT_EQ(in("64 x 1").messages(), 10 * 126);
  EXPECT_EQ(in("64 x 1").bytes(), 10 * 126 * 7680);
  // Nothing else is asked for this number of ranks any more.
  EXPECT_EQ(process_grid(core::GridKind::kPlaneFalling, 64).sides[0], 8);
}

// A ring has no sides to choose.
TEST(GridTraffic, ALineHasNoOtherGrid) {
  const auto ring = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.message(trace::EventKind::kIrecv, (rank + ranks - 1) % ranks, 64);
    s.message(trace::EventKind::kSend, (rank + 1) % ranks, 64);
    s.wait();
    return s.trace;
  };
  std::vector<std::string> left_out;
  EXPECT_FALSE(traffic_in_grids(made(ring, {4, 8, 16}, 32), 32, 1e-3, uniform_network(Segment{}, 0), left_out));
}

}  // namespace
}  // namespace scalediag::loggp
