#include "report/findings/traffic.h"

#include <gtest/gtest.h>

#include "tests/report/example_report.h"

namespace scalediag::report {
namespace {

TEST(Traffic, IsThatOfTheMostProcesses) {
  const TrafficFindings& traffic = *example_findings().traffic;
  EXPECT_EQ(text_of(traffic.at), "np=16");
  EXPECT_EQ(traffic.matrix.blocks, 16);
  EXPECT_EQ(traffic.matrix.cells.size(), 32u);  // two neighbours each
  EXPECT_EQ(traffic.load.computation_s.size(), 16u);
  ASSERT_EQ(traffic.sizes.size(), 2u);
  EXPECT_EQ(traffic.sizes[0].operation, "MPI_Sendrecv");
  EXPECT_NEAR(traffic.sizes[0].classes[0].calls, 15000, 1e-6);
}

TEST(Traffic, PutsManyRanksTogether) {
  core::Profile profile = example_profile();
  core::Run& run = profile.runs.back();
  run.np = 100;
  run.peers = {{0, 1, 1, 10}, {2, 99, 2, 20}, {3, 98, 4, 40}};
  profile.runs = {run};
  const TrafficMatrix matrix = traffic_findings(profile).matrix;
  // 100 ranks in at most 32 blocks: 4 ranks each, 25 blocks. 0 -> 1 stays in block 0; 2 and 3 -> 98 and 99 are 0 -> 24.
  EXPECT_EQ(matrix.ranks_per_block, 4);
  EXPECT_EQ(matrix.blocks, 25);
  ASSERT_EQ(matrix.cells.size(), 2u);
  EXPECT_EQ(matrix.cells[1].to, 24);
  EXPECT_EQ(matrix.cells[1].bytes, 60);
  EXPECT_EQ(matrix.cells[1].messages, 6);
}

}  // namespace
}  // namespace scalediag::report
