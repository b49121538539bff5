#include "collector/merge/sites/countable_loop.h"

#include <gtest/gtest.h>

namespace scalediag::merge {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;  // a tick is a nanosecond here

// From the end of MPI_Init at 1 s to the end at 20 s.
RankRecord rank_with(std::vector<raw::RepeatedCall> calls) {
  RankRecord record;
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
  raw::OperationKey key;
  key.thread_class = raw::kMainThread;
  record.operations[key].ticks = 2 * kSecond;
  return record;
}

// 10 calls, one a second from 3 s on, of 0.1 s each; the call before ended at 2.8 s; 0.1 s of MPI lie before it.
raw::RepeatedCall reduction() {
  raw::RepeatedCall call;
  call.address = 100;
  call.depth = 5000;
  call.calls = call.visits = 10;
  call.begin_ticks = 28 * kSecond / 10;
  call.first_begin_ticks = 3 * kSecond;
  call.last_end_ticks = 121 * kSecond / 10;
  call.end_ticks = 126 * kSecond / 10;
  call.begin_mpi_ticks = kSecond / 10;
  call.end_mpi_ticks = 11 * kSecond / 10;
  call.evenness_of_calls = call.evenness_of_visits = 1'000'000;
  return call;
}

// In 2 of the 10 iterations, half of the loop apart.
raw::RepeatedCall output() {
  raw::RepeatedCall call = reduction();
  call.operation = 1;
  call.address = 200;
  call.calls = call.visits = 2;
  call.first_begin_ticks = 4 * kSecond;
  call.last_end_ticks = 9 * kSecond;
  return call;
}

LoopOfRank loop_of(const RankRecord& record) {
  MainLoopFinder finder;
  finder.add(record);
  return loop_of_rank(finder.find(), record);
}

// 19 s, 2 s of them inside MPI: 17 s of computation.
TEST(CountableLoop, PartsAreOfTheComputation) {
  const LoopOfRank loop = loop_of(rank_with({reduction()}));
  ASSERT_EQ(loop.plan.sites.size(), 1u);
  EXPECT_EQ(loop.plan.sites[0].calls, 10u);
  EXPECT_EQ(loop.plan.rounds, 10u);
  EXPECT_NEAR(loop.before, (3 - 1 - 0.1) / 17, 1e-9);
  const double round_s = (12.1 - 3 - 1) / 9;  // ten calls have nine rounds between them
  EXPECT_NEAR(loop.round, round_s / 17, 1e-9);
  EXPECT_NEAR(loop.plan.head, 0.2 / round_s, 1e-9);  // from 2.8 s to 3 s
  // 7.9 s after the last call, 0.9 s of them inside MPI, and at most a round of them in the loop.
  EXPECT_EQ(loop.plan.tail, 1);
  EXPECT_NEAR(loop.plan.behind, (7.9 - 0.9 - round_s) / 17, 1e-9);
}

TEST(CountableLoop, CallsOfSomeIterationsAreSitesTooAndAfterTheFirst) {
  const LoopOfRank loop = loop_of(rank_with({output(), reduction()}));
  ASSERT_EQ(loop.plan.sites.size(), 2u);
  EXPECT_EQ(loop.plan.sites[0].address, 100u);
  EXPECT_EQ(loop.plan.sites[1].calls, 2u);
  EXPECT_EQ(rounds_with_all_calls(loop.plan), 10u / 2 + 1);
}

// Of two sites with as many rounds the one that is called first, though the other lies nearer to the stack's beginning.
TEST(CountableLoop, RoundsBeginAtTheCallThatComesFirst) {
  raw::RepeatedCall earlier = reduction();
  earlier.operation = 1;
  earlier.address = 300;
  earlier.depth = 5600;
  earlier.first_begin_ticks = 29 * kSecond / 10;
  const LoopOfRank loop = loop_of(rank_with({reduction(), earlier}));
  ASSERT_EQ(loop.plan.sites.size(), 2u);
  EXPECT_EQ(loop.plan.sites[0].address, 300u);
}

// Each of two ranks has another call: together they have no loop.
TEST(CountableLoop, ARankHasOneOfItsOwn) {
  raw::RepeatedCall other = reduction();
  other.operation = 1;  // without modules sites are known by their routine
  MainLoopFinder finder;
  finder.add(rank_with({reduction()}));
  finder.add(rank_with({other}));
  EXPECT_EQ(loop_of_rank(finder.find(), rank_with({other})).plan.rounds, 0u);
  const LoopOfRank own = own_loop_of_rank(rank_with({other}));
  EXPECT_EQ(own.plan.rounds, 10u);
  EXPECT_EQ(own.plan.sites.at(0).operation, 1u);
}

// 120 and 60 of 180 rounds: every third round is like the others of its place; those of 35 are too rare to say.
TEST(CountableLoop, CallsOfSomeRoundsHaveAPeriod) {
  raw::CountedLoop plan;
  plan.rounds = 180;
  for (const uint64_t calls : {180, 35}) plan.sites.push_back({0, 0, 0, calls});
  EXPECT_EQ(period_of_calls(plan), 1u);
  for (const uint64_t calls : {120, 60}) plan.sites.push_back({0, 0, 0, calls});
  EXPECT_EQ(period_of_calls(plan), 3u);
}

TEST(CountableLoop, EveryIterationAlikeNeedsNoNumberOfThem) {
  EXPECT_EQ(rounds_with_all_calls(loop_of(rank_with({reduction()})).plan), 0u);
}

}  // namespace
}  // namespace scalediag::merge
