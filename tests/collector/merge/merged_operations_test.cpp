// Operations of MPI and their call sites, summed over ranks.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/collector/merge/merged_run.h"

namespace scalediag::merge {
namespace {

// Class (MPI_Recv, 2 ranks, bin 4): the shortest call anywhere takes 10 ns, on rank 1.
//   rank 0: 10 calls in 1000 ns: blocked 1000 - 100 = 900    rank 1: 20 calls in 250 ns: blocked 250 - 200 = 50
TEST(MergedOperations, BlockedTimeIsWhatExceedsTheShortestCallOnAnyRank) {
  RunFolder f(2);
  f.write(
      "a.raw",
      finished_file(
          {.rank = 0, .size = 2, .names = {{1, "MPI_Recv"}}, .operations = {{{1, 0, 2, 4}, {10, 80, 1000, 40, 400}}}}));
  // The number of an operation is valid in its own file only. Two threads make one class.
  f.write("b.raw", finished_file({.rank = 1,
                                  .size = 2,
                                  .names = {{5, "MPI_Recv"}},
                                  .operations = {{{5, 0, 2, 4}, {15, 120, 200, 10, 50}},
                                                 {{5, 1, 2, 4}, {5, 40, 50, 10, 10}},
                                                 {{5, 0, 2, 0}, {1, 0, 7, 7, 7}}}}));
  const core::Run run = merged_run(f);
  ASSERT_EQ(run.operations.size(), 1u);
  const core::MpiOperation& o = run.operations[0];
  ASSERT_EQ(o.classes.size(), 2u);
  EXPECT_EQ(o.classes[0].bytes_from, 0);
  EXPECT_EQ(o.classes[0].bytes_to, 0);
  EXPECT_NEAR(o.classes[0].blocked_s.sum, 0, 1e-15);  // a single call is its own shortest
  const core::MpiClass& c = o.classes[1];
  EXPECT_EQ(c.communicator_size, 2);
  EXPECT_EQ(c.bytes_from, 8);  // bin 4: 2^3 to 2^4 - 1
  EXPECT_EQ(c.bytes_to, 15);
  EXPECT_EQ(c.calls.sum, 30);
  EXPECT_EQ(c.bytes.sum, 240);
  EXPECT_NEAR(c.shortest_call_s, 10e-9, 1e-15);
  EXPECT_NEAR(c.longest_call_s, 400e-9, 1e-15);
  EXPECT_NEAR(c.blocked_s.max, 900e-9, 1e-15);
  EXPECT_EQ(c.blocked_s.rank_of_max, 0);
  EXPECT_NEAR(c.blocked_s.min, 50e-9, 1e-15);
  EXPECT_NEAR(o.blocked_s.sum, 950e-9, 1e-15);
  EXPECT_EQ(o.calls.sum, 31);
  EXPECT_NEAR(o.wall_s.sum, 1257e-9, 1e-15);
}

// Sites 1 and 2 lie in a module that cannot be read, on different pages: 5 + 2 calls in one, 3 in the other, on rank 1
// under other numbers. The shortest call of the class takes 10 ns, at site 2:
//   rank 0, site 1: 7 calls in 770 ns: blocked 770 - 70 = 700    site 2: 3 calls in 30 ns: blocked 0
TEST(MergedOperations, SitesAddUpToTheOperation) {
  const std::vector<ModuleSpan> modules = {{0, 0x1000, 0x9000, "/nowhere/app", ""}};
  RunFolder f(2);
  f.write("a.raw", finished_file({.rank = 0,
                                  .size = 2,
                                  .modules = modules,
                                  .names = {{1, "MPI_Recv"}},
                                  .sites = {{1, 0, {0x1010}}, {2, 0, {0x3010}}, {3, 0, {0x1010, 0x3010}}},
                                  .operations = {{{raw::operation_at(1, 1), 0, 2, 4}, {5, 40, 550, 110, 110}},
                                                 {{raw::operation_at(1, 2), 0, 2, 4}, {3, 24, 30, 10, 10}},
                                                 {{raw::operation_at(1, 3), 0, 2, 4}, {2, 16, 220, 110, 110}}}}));
  f.write("b.raw", finished_file({.rank = 1,
                                  .size = 2,
                                  .modules = modules,
                                  .names = {{1, "MPI_Recv"}},
                                  .sites = {{1, 0, {0x3010}}},
                                  .operations = {{{raw::operation_at(1, 1), 0, 2, 4}, {4, 32, 400, 100, 100}},
                                                 {{raw::operation_at(1, 9), 0, 2, 0}, {1, 0, 7, 7, 7}}}}));
  const core::Run run = merged_run(f);
  ASSERT_EQ(run.operations.size(), 1u);
  const core::MpiOperation& o = run.operations[0];
  EXPECT_EQ(o.calls.sum, 15);
  ASSERT_EQ(o.sites.size(), 3u);
  const auto at = [&](const std::string& function) -> const core::MpiSite& {
    return *std::find_if(o.sites.begin(), o.sites.end(), [&](const auto& s) { return s.function == function; });
  };
  const core::MpiSite& first = at("app+0x1000-0x1fff");
  EXPECT_EQ(first.calls.sum, 7);
  EXPECT_EQ(first.bytes.sum, 56);
  EXPECT_EQ(first.address, 0x1010u);
  EXPECT_NEAR(first.blocked_s.sum, 700e-9, 1e-15);
  const core::MpiSite& second = at("app+0x3000-0x3fff");
  EXPECT_EQ(second.calls.sum, 7);
  EXPECT_EQ(second.calls.max, 4);
  EXPECT_EQ(second.calls.rank_of_max, 1);
  ASSERT_EQ(second.classes.size(), 1u);
  EXPECT_EQ(second.classes[0].calls.sum, 7);
  const core::MpiSite& unknown = at("");  // site 9 is not in the file
  EXPECT_EQ(unknown.calls.sum, 1);
  EXPECT_NEAR(first.wall_s.sum + second.wall_s.sum + unknown.wall_s.sum, o.wall_s.sum, 1e-15);
  EXPECT_NEAR(first.blocked_s.sum + second.blocked_s.sum + unknown.blocked_s.sum, o.blocked_s.sum, 1e-15);
}

// Polls are timed now and then. At site 1 one of 5 was, at site 2 none.
TEST(MergedOperations, PlacesWhosePollsWereNotTimedHaveNoShortestCall) {
  RunFolder f(1);
  f.write("a.raw", finished_file({.rank = 0,
                                  .size = 1,
                                  .modules = {{0, 0x1000, 0x9000, "/nowhere/app", ""}},
                                  .names = {{1, "MPI_Test"}},
                                  .sites = {{1, 0, {0x1010}}, {2, 0, {0x3010}}},
                                  .operations = {{{raw::operation_at(1, 1), 0, 0, 0}, {5, 0, 50, 10, 10}},
                                                 {{raw::operation_at(1, 2), 0, 0, 0}, {1, 0, 0, 0, 0}}}}));
  const core::Run run = merged_run(f);
  ASSERT_EQ(run.operations.size(), 1u);
  EXPECT_EQ(run.operations[0].calls.sum, 6);
  ASSERT_EQ(run.operations[0].sites.size(), 2u);
  for (const core::MpiSite& site : run.operations[0].sites) {
    for (const core::MpiClass& c : site.classes) EXPECT_LE(c.shortest_call_s, c.longest_call_s);
  }
}

TEST(MergedOperations, TrafficGoesFromSenderToReceiver) {
  RunFolder f(2);
  f.write("a.raw", finished_file({.rank = 0,
                                  .size = 2,
                                  .peers = {{{1, raw::kSent}, {3, 30}},
                                            {{1, raw::kPut}, {1, 5}},
                                            {{raw::kUnknownPeer, raw::kSent}, {9, 9}}}}));
  f.write("b.raw",
          finished_file({.rank = 1, .size = 2, .peers = {{{0, raw::kSent}, {2, 20}}, {{0, raw::kGot}, {4, 400}}}}));
  const core::Run run = merged_run(f);
  EXPECT_EQ(run.ranks_per_block, 1);
  ASSERT_EQ(run.peers.size(), 2u);
  EXPECT_EQ(run.peers[0].from, 0);
  EXPECT_EQ(run.peers[0].to, 1);
  EXPECT_EQ(run.peers[0].messages, 8);  // 3 sent, 1 put, 4 that rank 1 got
  EXPECT_EQ(run.peers[0].bytes, 435);
  EXPECT_EQ(run.peers[1].from, 1);
  EXPECT_EQ(run.peers[1].bytes, 20);
}

}  // namespace
}  // namespace scalediag::merge
