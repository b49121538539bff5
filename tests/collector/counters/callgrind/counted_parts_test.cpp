#include "collector/counters/callgrind/counted_parts.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(plan.steps, "14s,70g,78s,130g,138s,290g,298s,354g,362s,410g");
  EXPECT_EQ(loops_of(plan.parts), (std::vector{-1, 0, 0, 0, 0, -1}));
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 12, 12.5, 12.5, 12.5, 1}));
  EXPECT_EQ(plan.parts.parts.front().trigger, "scalediag-part-0");
  EXPECT_EQ(plan.parts.parts.back().trigger, "scalediag");
  EXPECT_EQ(plan.parts.counted, 9u);
  EXPECT_EQ(plan.parts.rounds, 100u);
}

// A quarter of 101 rounds are 26, of which two of the later 25 stand for 12 and 13, and each for half of the 75 rounds
// after the replay's end. What follows takes as long as 3 rounds, and is not counted.
TEST(PlanParts, EndsTheReplayAndLeavesOutTheRest) {
  const PartsPlan plan = plan_parts({{{10, 4, 101, 1}}, 110, 3}, {2, 1, 0.25});
  EXPECT_EQ(plan.steps, "14s,42g,46s,74g,78x");
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 12 + 37.5, 13 + 37.5}));
  EXPECT_EQ(plan.parts.parts[1].unseen, 37.5);
  EXPECT_EQ(plan.parts.after, 3);
}

// Of 8 rounds the later 7 are surroundings of 2, 2 and 3 from 1, 3 and 5 on, in which single rounds lie at 1.2 of 2,
// 0.5 of 2 and 2.6 of 3: rounds 2, 3 and 7. The second place follows the first at once, and what follows the loop, here
// the next one, is counted from the end of the third. Of the third loop all of its seven rounds are counted.
TEST(PlanParts, GoesFromOneLoopToTheNext) {
  const PartsPlan plan = plan_loops({{0, 1, 8}, {8, 10, 8}, {88, 1, 7}}, {3, 1, 1});
  EXPECT_EQ(plan.steps, "1s,2g,3,4s,7g,8,18s,28g,38,48s,78g,88");
  EXPECT_EQ(loops_of(plan.parts), (std::vector{-1, 0, 0, 0, -1, 1, 1, 1, -1}));
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 2, 2, 3, 1, 2, 2, 3, 1}));
  EXPECT_EQ(plan.parts.counted, 4u + 4u + 7u);
  EXPECT_EQ(plan.parts.rounds, 23u);
}

TEST(PlanParts, StandsForEveryRoundOnce) {
  for (uint64_t rounds = 2; rounds < 60; ++rounds) {
    for (const int places : {1, 2, 4, 7}) {
      for (const double reach : {1.0, 0.5}) {
        const CountedExtent extent{places, 3, reach};
        double sum = 1;  // the first one is in no place
        const PartsPlan plan = plan_loops({{3, 5, rounds}}, extent);
        for (const CountedPart& part : plan.parts.parts) sum += part.times * static_cast<double>(part.rounds);
        EXPECT_NEAR(sum, rounds >= 2 * extent.rounds() ? static_cast<double>(rounds) : 1, 1e-9)
            << rounds << " " << places;
      }
    }
  }
}

// Nine rounds would be most of 17, so that all are counted.
TEST(CountOfParts, IsExactWhereAllRoundsAreCounted) {
  const PartsPlan plan = plan_loops({{10, 4, 17}}, {4, 2, 1});
  EXPECT_EQ(plan.parts.counted, 17u);
  const CountOfParts count = count_of(plan.parts, {600});
  EXPECT_EQ(count.whole, 600);
  EXPECT_FALSE(count.spread);
}

// 107 up to the end of the first round, 60 in each of the 99 others, 5 after. Every tenth may be another: equal rounds
// leave open what one round has.
TEST(CountOfParts, IsNotExactWhereCountedRoundsAreEqual) {
  const PartsPlan plan = plan_loops({{10, 4, 100}}, {4, 2, 1});
  const CountOfParts count = count_of(plan.parts, {107, 120, 120, 120, 120, 5});
  EXPECT_EQ(count.whole, 107 + 99 * 60 + 5);
  EXPECT_EQ(count.spread, 60);
}

TEST(CountOfParts, IsNotExactWhereNoCountedRoundHasAny) {
  const PartsPlan plan = plan_loops({{10, 4, 100}}, {4, 2, 1});
  const CountOfParts count = count_of(plan.parts, {7, 0, 0, 0, 0, 0});
  EXPECT_EQ(count.whole, 7);
  EXPECT_EQ(count.spread, 0);
}

// Rounds of the third place have 50 in the mean, the others 10: a deviation of 20, divided by sqrt(4) for the mean. 91
// rounds are not counted.
TEST(CountOfParts, SpreadsWherePlacesDiffer) {
  const PartsPlan plan = plan_loops({{10, 4, 100}}, {4, 2, 1});
  const CountOfParts count = count_of(plan.parts, {0, 20, 20, 100, 20, 0});
  EXPECT_EQ(count.whole, 99 * 10 + 25 * 40);
  EXPECT_EQ(count.spread, 91 * 10);
}

// Of 101 rounds the first and two more are counted, and 98 are not: their mean is off by sqrt(50) / sqrt(2). From place
// to place, 12.5 rounds, there are 10 more, so that the middle of the 75 later rounds, 50 rounds after that of the 25
// before, has 40 more. What takes as long as 3 rounds after them may be 3 rounds.
TEST(CountOfParts, SpreadsMoreBeyondTheReplaysEnd) {
  const PartsPlan plan = plan_parts({{{10, 4, 101, 1}}, 110, 3}, {2, 1, 0.25});
  const CountOfParts count = count_of(plan.parts, {0, 60, 70});
  EXPECT_EQ(count.whole, 49.5 * 60 + 50.5 * 70);
  ASSERT_TRUE(count.spread);
  EXPECT_NEAR(*count.spread, 98 * 5 + 75 * 40 + 3 * (49.5 * 60 + 50.5 * 70) / 100, 1e-9);
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
