#include "collector/counters/callgrind/counted_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/atomic_file.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::counters {
namespace {

std::vector<double> times_of(const CountedParts& parts) {
  std::vector<double> times;
  for (const CountedPart& part : parts.parts) times.push_back(part.times);
  return times;
}

std::vector<int> loops_of(const CountedParts& parts) {
  std::vector<int> loops;
  for (const CountedPart& part : parts.parts) loops.push_back(part.loop);
  return loops;
}

// Of loops and nothing else.
PartsPlan plan_loops(std::vector<CountedLoop> loops, const CountedExtent& extent) {
  return plan_parts({std::move(loops), 0, 0}, extent);
}

// Rounds of 4 events begin after event 10. Of 100 the first counts once. The other 99 are four surroundings of 24, 25,
// 25 and 25 rounds from 1, 25, 50 and 75 on, in which pairs lie at 0.618, 0.236, 0.854 and 0.472 of the 23 or 24 places
// there are: at 15, 30, 70 and 86.
TEST(PlanParts, SpreadsPairsOverTheLoop) {
  const PartsPlan plan = plan_loops({{10, 4, 100}}, {4, 2, 1});
  EXPECT_EQ(plan.steps, "10,14s,70g,74,78s,130g,134,138s,290g,294,298s,354g,358,362s,410g");
  EXPECT_EQ(loops_of(plan.parts), (std::vector{-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1}));
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 1, 12, 12, 12.5, 12.5, 12.5, 12.5, 12.5, 12.5, 1}));
  EXPECT_EQ(plan.parts.parts.front().trigger, "scalediag-part-0");
  EXPECT_EQ(plan.parts.parts.back().trigger, "scalediag");
  EXPECT_EQ(plan.parts.counted, 9u);
  EXPECT_EQ(plan.parts.rounds, 100u);
}

// A quarter of 101 rounds are 26, of which two of the later 25 stand for 12 and 13, and each for half of the 75 rounds
// after the replay's end. What follows takes as long as 3 rounds.
TEST(PlanParts, EndsTheReplayAndGuessesTheRest) {
  const PartsPlan plan = plan_parts({{{10, 4, 101, 1}}, 110, 3}, {2, 1, 0.25});
  EXPECT_EQ(plan.steps, "10,14s,42g,46s,74g,78x");
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 1, 12 + 37.5 + 1.5, 13 + 37.5 + 1.5}));
  EXPECT_EQ(plan.parts.parts[1].unseen, 0);
  EXPECT_EQ(plan.parts.parts[2].unseen, 37.5);
  EXPECT_EQ(plan.parts.after, 3);
}

// The second loop begins where the first one ends, and all of its two rounds are counted.
TEST(PlanParts, GoesFromOneLoopToTheNext) {
  const PartsPlan plan = plan_loops({{0, 1, 5}, {5, 10, 2}}, {1, 2, 1});
  EXPECT_EQ(plan.steps, "1s,2g,3,4s,5g,15,25");
  EXPECT_EQ(loops_of(plan.parts), (std::vector{0, 0, 0, 1, 1, -1}));
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 2, 2, 1, 1, 1}));
}

TEST(PlanParts, StandsForEveryRoundOnce) {
  for (uint64_t rounds = 2; rounds < 40; ++rounds) {
    for (const int places : {1, 2, 4, 7}) {
      for (const double reach : {1.0, 0.5}) {
        const PartsPlan plan = plan_loops({{3, 5, rounds}}, {places, 3, reach});
        double sum = 0;
        for (const CountedPart& part : plan.parts.parts) sum += part.loop == 0 ? part.times : 0;
        EXPECT_NEAR(sum, static_cast<double>(rounds), 1e-9) << rounds << " " << places << " " << reach;
      }
    }
  }
}

// 7 before, 100 in the first round, 60 in each of the eight others, 5 after.
TEST(CountOfParts, IsExactWhereAllRoundsAreCounted) {
  const PartsPlan plan = plan_loops({{10, 4, 9}}, {4, 2, 1});
  const CountOfParts count = count_of(plan.parts, {7, 100, 60, 60, 60, 60, 60, 60, 60, 60, 5});
  EXPECT_EQ(count.whole, 7 + 100 + 8 * 60 + 5);
  EXPECT_FALSE(count.spread);
}

// Every tenth of the other rounds may be another: they leave open what one round has.
TEST(CountOfParts, IsNotExactWhereCountedRoundsAreEqual) {
  const PartsPlan plan = plan_loops({{10, 4, 100}}, {4, 2, 1});
  const CountOfParts count = count_of(plan.parts, {7, 100, 60, 60, 60, 60, 60, 60, 60, 60, 5});
  EXPECT_EQ(count.whole, 7 + 100 + 99 * 60 + 5);
  EXPECT_EQ(count.spread, 60);
}

TEST(CountOfParts, IsNotExactWhereNoCountedRoundHasAny) {
  const PartsPlan plan = plan_loops({{10, 4, 100}}, {4, 2, 1});
  const CountOfParts count = count_of(plan.parts, {7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(count.whole, 7);
  EXPECT_EQ(count.spread, 0);
}

// One of eight rounds has 80 more: a deviation of 80 / sqrt(8), divided by sqrt(8) for the mean. The means of the four
// places deviate as much, by 40 / sqrt(4), divided by sqrt(4). 91 rounds are not counted.
TEST(CountOfParts, SpreadsWhereOneRoundIsLarger) {
  const PartsPlan plan = plan_loops({{10, 4, 100}}, {4, 2, 1});
  const CountOfParts count = count_of(plan.parts, {0, 0, 10, 10, 10, 10, 10, 90, 10, 10, 0});
  EXPECT_EQ(count.whole, 99 * 10 + 12.5 * 80);
  ASSERT_TRUE(count.spread);
  EXPECT_NEAR(*count.spread, 91 * 80 / 8., 1e-9);
}

// Rounds of a place are alike and places are not: there are four of them, 10, 10, 20 and 20, and not eight.
TEST(CountOfParts, SpreadsByPlacesWhereCountsDrift) {
  const PartsPlan plan = plan_loops({{10, 4, 100}}, {4, 2, 1});
  const CountOfParts count = count_of(plan.parts, {0, 0, 10, 10, 10, 10, 20, 20, 20, 20, 0});
  ASSERT_TRUE(count.spread);
  EXPECT_NEAR(*count.spread, 91 * std::sqrt(4 * 25 / 3.) / 2, 1e-9);
}

// Of 105 rounds in all, two counted and the 3 that follow taken for some, 101 are not counted: their mean is off by
// sqrt(50) / sqrt(2). From place to place, 12.5 rounds, there are 10 more, so that the middle of the 75 later rounds,
// 50 rounds after that of the 25 before, has 40 more. The 3 rounds after them are no more than a guess.
TEST(CountOfParts, SpreadsMoreBeyondTheReplaysEnd) {
  const PartsPlan plan = plan_parts({{{10, 4, 101, 1}}, 110, 3}, {2, 1, 0.25});
  const CountOfParts count = count_of(plan.parts, {0, 0, 60, 70});
  EXPECT_EQ(count.whole, 51 * 60 + 52 * 70);
  ASSERT_TRUE(count.spread);
  EXPECT_NEAR(*count.spread, 101 * 5 + 75 * 40 + 3 * (51 * 60 + 52 * 70) / 103., 1e-9);
}

TEST(CountedPartsFile, IsReadAsItWasWritten) {
  const core::TemporaryFolder folder;
  const CountedParts parts = plan_parts({{{10, 4, 100, 3}}, 310, 1}, {4, 2, 0.25}).parts;
  std::ofstream(folder.file("rank000000.parts")) << text_of(parts);
  const auto read = read_counted_parts(folder.file("rank000000.parts"));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read.value());
  EXPECT_EQ(text_of(*read.value()), text_of(parts));
  EXPECT_EQ(times_of(*read.value()), times_of(parts));
  EXPECT_FALSE(read_counted_parts(folder.file("rank000001.parts")).value());
}

TEST(CountedPartsFile, IsRefusedWhereItIsDamaged) {
  const core::TemporaryFolder folder;
  const std::string whole = text_of(plan_loops({{10, 4, 100}}, {4, 2, 1}).parts);
  // Up to its last line it lacks a part, or the numbers of one.
  const size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  std::vector<std::string> damaged = {"scalediag-parts 2" + whole.substr(17), whole + "x 0 1 0.5 0\n",
                                      whole + "scalediag-part-9 0 1 1 0\n"};
  for (size_t n = 0; n < last_line + 9; ++n) damaged.push_back(whole.substr(0, n));
  for (const std::string& text : damaged) {
    std::ofstream(folder.file("rank000000.parts")) << text;
    EXPECT_FALSE(read_counted_parts(folder.file("rank000000.parts"))) << text;
  }
}

}  // namespace
}  // namespace scalediag::counters
