#include "collector/counters/callgrind/round_extension.h"

#include <gtest/gtest.h>

#include <numeric>

namespace scalediag::counters {
namespace {

using raw::CountedLoop;
using raw::LoopSite;
using raw::RoundCalls;

// A site with so many calls in the run.
LoopSite site(uint64_t calls) {
  LoopSite s;
  s.calls = calls;
  return s;
}

CountedLoop loop_of(uint64_t rounds, double head, std::vector<LoopSite> sites) {
  CountedLoop loop;
  loop.rounds = rounds;
  loop.head = head;
  loop.sites = std::move(sites);
  return loop;
}

std::vector<RoundCalls> parts_with(const std::vector<std::vector<uint64_t>>& calls) {
  std::vector<RoundCalls> parts;
  for (const auto& of_part : calls) parts.push_back({parts.size() + 1, of_part});
  return parts;
}

// 100 rounds begin. The first is counted by itself, so that 98 more lie between beginnings; of the last one 0.25 came
// before the first beginning, so that 0.75 are missing: 98.75 in two counted rounds.
TEST(ExtendRounds, CountsStandForTheRoundsThatAreAlike) {
  const auto extended =
      extend_rounds(loop_of(100, 0.25, {site(100)}), parts_with({{0}, {1}, {1}, {1}}), {5, 9, 7, 7}, -1);
  EXPECT_EQ(extended.weights, (std::vector<double>{1, 1, 98.75 / 2, 98.75 / 2}));
  EXPECT_EQ(extended.drift, 0);
  EXPECT_EQ(extended.unseen, 0);
}

// A tenth of a round comes after its last call, and as much is there before the first beginning: the last round lacks
// it.
TEST(ExtendRounds, TheStretchAfterTheLastCallCameBeforeTheFirstOne) {
  const auto parts = parts_with({{0}, {1}, {1}, {1}});
  for (const auto& [head, stretch] : {std::pair(1.0, -1.0), {0.1, -1.0}, {0.05, -0.5}, {0.0, 0.0}}) {
    const auto extended = extend_rounds(loop_of(100, head, {site(100)}), parts, {5, 9, 7, 7}, 0.1);
    EXPECT_EQ(extended.weights, (std::vector<double>{1, 1, 99.0 / 2, 99.0 / 2})) << head;
    EXPECT_DOUBLE_EQ(extended.stretch, stretch);
  }
}

// Only 0.4 of a round follow the last beginning, so that 0.6 came before the first one.
TEST(ExtendRounds, TheLastRoundEndsWithTheRun) {
  CountedLoop loop = loop_of(100, 0.1, {site(100)});
  loop.tail = 0.4;
  const auto extended = extend_rounds(loop, parts_with({{0}, {1}, {1}, {1}}), {5, 9, 7, 7}, 0.1);
  EXPECT_DOUBLE_EQ(extended.weights[2] + extended.weights[3], 98.4);
  EXPECT_EQ(extended.stretch, 0);
}

// Every fifth of 101 rounds rebuilds: 20 calls, none before the loop or in the first round. 101 - 2 + 1 rounds are
// left.
TEST(ExtendRounds, RoundsThatCallMoreAreAKindOfTheirOwn) {
  const CountedLoop loop = loop_of(101, 0, {site(101), site(20)});
  const auto parts = parts_with({{0, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 1}, {1, 0}});
  const auto extended = extend_rounds(loop, parts, {0, 1, 1, 1, 1, 50, 1}, -1);
  EXPECT_DOUBLE_EQ(extended.weights[5], 20);
  for (const size_t usual : {2, 3, 4, 6}) EXPECT_DOUBLE_EQ(extended.weights[usual], 80.0 / 4);
  EXPECT_EQ(extended.drift, 0);  // of the usual rounds
}

// Two of the 20 rebuilds lie before the last counted round: 18 of them, with two calls each in this kind, remain.
TEST(ExtendRounds, CallsBeforeTheLoopAndInItsFirstRoundAreNoMoreToCome) {
  const CountedLoop loop = loop_of(101, 0, {site(101), site(40)});
  const auto extended = extend_rounds(loop, parts_with({{0, 2}, {1, 2}, {1, 2}, {1, 0}}), {0, 1, 1, 1}, -1);
  EXPECT_DOUBLE_EQ(extended.weights[2], 18);
  EXPECT_DOUBLE_EQ(extended.weights[3], 100 - 18);
}

// 10 rounds print, and 20 rebuild, of which 10 print as well.
TEST(ExtendRounds, TheRarestKindTakesItsCallsFirst) {
  const CountedLoop loop = loop_of(101, 0, {site(101), site(20), site(10)});
  const auto parts = parts_with({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}});
  const auto extended = extend_rounds(loop, parts, {0, 1, 1, 1, 1}, -1);
  EXPECT_DOUBLE_EQ(extended.weights[4], 10);
  EXPECT_DOUBLE_EQ(extended.weights[3], 10);
  EXPECT_DOUBLE_EQ(extended.weights[2], 80);
}

// Five rounds rebuild, and four of these print: the one that does not was not met, and is most like those that do.
TEST(ExtendRounds, RoundsOfNoKindThatWasMetAreOfTheNearest) {
  const CountedLoop loop = loop_of(101, 0, {site(101), site(5), site(4)});
  const auto extended = extend_rounds(loop, parts_with({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 1, 1}}), {0, 1, 1, 1}, -1);
  EXPECT_DOUBLE_EQ(extended.weights[3], 5);
  EXPECT_DOUBLE_EQ(extended.weights[2], 95);
}

// The second round makes no exchange, as the start after a warm-up. 41 - 2 rounds and the last one are left, but for
// it.
TEST(ExtendRounds, ARoundWithoutWhatAllOthersDoCountsOnce) {
  const CountedLoop loop = loop_of(41, 0, {site(41), site(1200), site(4)});
  const auto extended =
      extend_rounds(loop, parts_with({{0, 0, 1}, {1, 30, 0}, {1, 0, 0}, {1, 30, 1}}), {0, 1, 9, 1}, -1);
  EXPECT_DOUBLE_EQ(extended.weights[2], 1);
  EXPECT_DOUBLE_EQ(extended.weights[3], 41 - 2 + 1 - 1);
}

TEST(ExtendRounds, SaysWhichRoundsNoCountedOneIsLike) {
  const auto extended = extend_rounds(loop_of(101, 0, {site(101), site(20)}),
                                      parts_with({{0, 0}, {1, 0}, {1, 0}, {1, 0}}), {0, 1, 1, 1}, -1);
  EXPECT_DOUBLE_EQ(extended.unseen, 20.0 / 101);
  EXPECT_DOUBLE_EQ(extended.weights[2] + extended.weights[3], 100);
}

// Whatever kinds were met, rounds are neither made nor lost.
TEST(ExtendRounds, AllRoundsAreShared) {
  const CountedLoop loop = loop_of(50, 0.5, {site(50), site(20)});
  for (const auto& calls : {std::vector<std::vector<uint64_t>>{{0, 0}, {1, 0}, {1, 1}, {1, 1}},
                            std::vector<std::vector<uint64_t>>{{0, 30}, {1, 0}, {1, 1}, {1, 1}}}) {
    const auto extended = extend_rounds(loop, parts_with(calls), {0, 1, 1, 1}, -1);
    EXPECT_DOUBLE_EQ(extended.weights[2] + extended.weights[3], 50 - 2 + 0.5);
  }
}

// The later two of four rounds have 110 + 120, the earlier two 100 + 100.
TEST(ExtendRounds, TellsWhetherRoundsGrow) {
  const auto extended = extend_rounds(loop_of(100, 0, {site(100)}), parts_with({{0}, {1}, {1}, {1}, {1}, {1}}),
                                      {0, 500, 100, 100, 110, 120}, -1);
  EXPECT_DOUBLE_EQ(extended.drift, 0.15);
}

}  // namespace
}  // namespace scalediag::counters
