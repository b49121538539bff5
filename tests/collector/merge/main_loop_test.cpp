#include "collector/merge/main_loop.h"

#include <gtest/gtest.h>

namespace scalediag::merge {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;  // a tick is a nanosecond here

RankRecord rank_with(uint32_t rank, std::vector<raw::RepeatedCall> calls) {
  RankRecord record;
  record.rank = rank;
  record.identity.emplace();
  record.operation_names = {{0, "MPI_Allreduce"}, {1, "MPI_Send"}};
  for (const auto& [phase, at] : {std::pair(raw::Phase::kLoad, uint64_t{0}),
                                  {raw::Phase::kInitEnd, kSecond},
                                  {raw::Phase::kExit, 20 * kSecond}}) {
    raw::ClockPoint point;
    point.phase = phase;
    point.ticks = point.monotonic_ns = at;
    record.points[static_cast<size_t>(phase)] = record.last_point = point;
  }
  record.repeated_calls = std::move(calls);
  return record;
}

// 10 calls, one a second from 3 s to 12 s, of 0.1 s each; the call before ended at 2.5 s, the next one begins at 12.6
// s.
raw::RepeatedCall even_call(uint64_t address, uint64_t depth) {
  raw::RepeatedCall call;
  call.address = address;
  call.depth = depth;
  call.calls = call.visits = 10;
  call.begin_ticks = 5 * kSecond / 2;
  call.first_begin_ticks = 3 * kSecond;
  call.last_end_ticks = 121 * kSecond / 10;
  call.end_ticks = 126 * kSecond / 10;
  call.end_mpi_ticks = kSecond;
  call.end_cpu_ns = 8 * kSecond;
  call.evenness_of_calls = call.evenness_of_visits = 1'000'000;
  return call;
}

MainLoop loop_of(const std::vector<RankRecord>& ranks) {
  MainLoopFinder finder;
  for (const RankRecord& r : ranks) finder.add(r);
  return finder.find();
}

core::Region region_of(const std::vector<RankRecord>& ranks) {
  const MainLoop loop = loop_of(ranks);
  MainLoopTimes times(loop);
  for (const RankRecord& r : ranks) times.add(r);
  return times.finish(static_cast<int>(ranks.size())).value_or(core::Region{});
}

TEST(MainLoop, LastsFromTheCallBeforeToTheCallAfter) {
  // 12.6 - 2.5 s, of which 1 s inside MPI.
  const core::Region r = region_of({rank_with(0, {even_call(100, 5000)}), rank_with(1, {even_call(100, 5000)})});
  EXPECT_EQ(r.name, core::kMainLoop);
  EXPECT_DOUBLE_EQ(r.count.mean, 10);
  EXPECT_NEAR(r.elapsed_s.mean, 10.1, 1e-9);
  EXPECT_NEAR(r.communication_s.mean, 1.0, 1e-9);
  EXPECT_NEAR(r.computation_s.mean, 9.1, 1e-9);
  EXPECT_NEAR(r.cpu_s.mean, 8.0, 1e-9);
}

TEST(MainLoop, WhatComesBeforeItTakesNoMoreThanARound) {
  // The call before ended at 1 s, 2 s before the first one, which is more than 1.5 rounds of (12.1 - 3) / 9 = 1.0111 s:
  // one round is taken for what is before and after, so that 12.1 - 3 + 1.0111 s are left.
  raw::RepeatedCall call = even_call(100, 5000);
  call.begin_ticks = kSecond;
  const core::Region r = region_of({rank_with(0, {call})});
  EXPECT_NEAR(r.elapsed_s.mean, 9.1 * 10 / 9, 1e-6);
  // Of the 8 s of CPU time in 12.6 - 1 s the part that is left of the elapsed time.
  EXPECT_NEAR(r.cpu_s.mean, 8 * (9.1 * 10 / 9) / 11.6, 1e-6);
}

TEST(MainLoop, FramesThatAreAlignedDifferentlyAreTheSamePlace) {
  EXPECT_FALSE(loop_of({rank_with(0, {even_call(100, 5000)}), rank_with(1, {even_call(100, 5048)})}).members.empty());
  EXPECT_TRUE(loop_of({rank_with(0, {even_call(100, 5000)}), rank_with(1, {even_call(100, 9000)})}).members.empty());
}

TEST(MainLoop, CallsNearerToMainCountIterations) {
  raw::RepeatedCall inner = even_call(200, 9000);
  inner.operation = 1;
  inner.calls = inner.visits = 250;
  EXPECT_EQ(loop_of({rank_with(0, {inner, even_call(100, 5000)})}).iterations, 10u);
}

// Of two calls that come ten times each, the one that is made 0.2 s earlier begins a round. The last one ends 11.1 s
// after MPI_Init, of the run's 19 s.
TEST(MainLoop, ARoundBeginsWithTheFirstOfItsCalls) {
  raw::RepeatedCall earlier = even_call(300, 5000);
  earlier.operation = 1;
  earlier.first_begin_ticks = 28 * kSecond / 10;
  const LoopSite site = loop_of({rank_with(0, {even_call(100, 5000), earlier})}).site;
  EXPECT_EQ(site.operation, "MPI_Send");
  EXPECT_EQ(site.rounds, 10u);
  EXPECT_TRUE(site.is_visited);
  EXPECT_EQ(site.depth, 0u) << "no other way leads to the place";
  EXPECT_NEAR(site.after, 1 - 11.1 / 19, 1e-9);
  raw::RepeatedCall inner = earlier;
  inner.depth = 9000;
  inner.calls = inner.visits = 250;
  EXPECT_EQ(loop_of({rank_with(0, {earlier, inner})}).site.depth, 5000u);
}

// The run lasts from 1 s to 20 s. Calls from 3.0 s to 4.8 s span 1.8 s of it, less than a tenth.
TEST(MainLoop, ShortLoopsAreNotTheMainOne) {
  raw::RepeatedCall call = even_call(100, 5000);
  call.last_end_ticks = 48 * kSecond / 10;
  const MainLoop loop = loop_of({rank_with(0, {call})});
  EXPECT_TRUE(loop.members.empty());
  EXPECT_NE(loop.site.why_not.find("span less than 10 % of the run"), std::string::npos) << loop.site.why_not;
  call.last_end_ticks = 5 * kSecond;
  EXPECT_FALSE(loop_of({rank_with(0, {call})}).members.empty());
}

// Each rank calls ten times, from a place of its own.
TEST(MainLoop, PlacesThatAreNotSharedAreNone) {
  const MainLoop loop = loop_of({rank_with(0, {even_call(100, 5000)}), rank_with(1, {even_call(100, 9000)})});
  EXPECT_TRUE(loop.members.empty());
  EXPECT_EQ(loop.site.why_not, "no place in the program calls MPI again and again on all ranks");
}

TEST(MainLoop, UnevenCallsAreNone) {
  raw::RepeatedCall call = even_call(100, 5000);
  call.evenness_of_calls = call.evenness_of_visits = 500'000;
  const MainLoop loop = loop_of({rank_with(0, {call})});
  EXPECT_TRUE(loop.members.empty());
  EXPECT_EQ(loop.site.why_not, "no call of MPI comes again and again at even distances on all ranks");
}

}  // namespace
}  // namespace scalediag::merge
