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

// Rounds of 4 events begin after event 10. Of 100 the first counts once, and two stand for the other 99.
TEST(PlanParts, CountsTheFirstRoundAndTheTwoAfterIt) {
  const PartsPlan plan = plan_parts({{10, 4, 100}}, 1, std::nullopt);
  EXPECT_EQ(plan.steps, "10,14,18,22s,410g");
  EXPECT_EQ(loops_of(plan.parts), (std::vector{-1, 0, 0, 0, -1}));
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 1, 49.5, 49.5, 1}));
  EXPECT_EQ(plan.parts.parts.front().trigger, "scalediag-part-0");
  EXPECT_EQ(plan.parts.parts.back().trigger, "scalediag");
  EXPECT_EQ(plan.parts.counted, 3u);
  EXPECT_EQ(plan.parts.rounds, 100u);
}

// What follows takes as long as 3 rounds, of which each of the two stands for a half.
TEST(PlanParts, EndsTheReplayAndGuessesTheRest) {
  const PartsPlan plan = plan_parts({{10, 4, 100}}, 1, 3);
  EXPECT_EQ(plan.steps, "10,14,18,22x");
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 1, 51, 51}));
  EXPECT_EQ(plan.parts.parts[1].guessed, 0);
  EXPECT_EQ(plan.parts.parts[2].guessed, 1.5);
}

// Of rounds 1 to 100 each quarter has 25, of which the pair after the first 11 lies in the middle.
TEST(PlanParts, SpreadsPairsOverTheLoop) {
  const PartsPlan plan = plan_parts({{0, 2, 101}}, 4, std::nullopt);
  EXPECT_EQ(plan.steps, "2s,24g,26,28s,74g,76,78s,124g,126,128s,174g,176,178s,202g");
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 12.5, 12.5, 12.5, 12.5, 12.5, 12.5, 12.5, 12.5, 1}));
}

// The second loop begins where the first one ends, and all of its two rounds are counted.
TEST(PlanParts, GoesFromOneLoopToTheNext) {
  const PartsPlan plan = plan_parts({{0, 1, 5}, {5, 10, 2}}, 1, std::nullopt);
  EXPECT_EQ(plan.steps, "1,2,3s,5g,15,25");
  EXPECT_EQ(loops_of(plan.parts), (std::vector{0, 0, 0, 1, 1, -1}));
  EXPECT_EQ(times_of(plan.parts), (std::vector<double>{1, 2, 2, 1, 1, 1}));
}

TEST(PlanParts, StandsForEveryRoundOnce) {
  for (uint64_t rounds = 2; rounds < 40; ++rounds) {
    for (const int places : {1, 2, 4, 7}) {
      const PartsPlan plan = plan_parts({{3, 5, rounds}}, places, std::nullopt);
      double sum = 0;
      for (const CountedPart& part : plan.parts.parts) sum += part.loop == 0 ? part.times : 0;
      EXPECT_NEAR(sum, static_cast<double>(rounds), 1e-9) << rounds << " " << places;
    }
  }
}

// 7 before, 100 in the first round, 60 in each of the 99 others, 5 after.
TEST(CountOfParts, IsExactWhereRoundsAreEqual) {
  const PartsPlan plan = plan_parts({{10, 4, 100}}, 1, std::nullopt);
  const CountOfParts count = count_of(plan.parts, {7, 100, 60, 60, 5});
  EXPECT_EQ(count.whole, 7 + 100 + 99 * 60 + 5);
  EXPECT_EQ(count.spread, 0);
}

// 97 rounds are not counted, of which each may be 10 off, half of the surroundings of each of the two.
TEST(CountOfParts, SpreadsWhereRoundsDiffer) {
  const PartsPlan plan = plan_parts({{10, 4, 100}}, 1, std::nullopt);
  const CountOfParts count = count_of(plan.parts, {0, 0, 60, 70, 0});
  EXPECT_EQ(count.whole, 49.5 * 130);
  EXPECT_EQ(count.spread, 97.0 * 10 / 2);
}

// The first round is a kind of its own. 3 rounds that nobody saw are 180.
TEST(CountOfParts, SpreadsWhatIsGuessed) {
  const PartsPlan plan = plan_parts({{10, 4, 100}}, 1, 3);
  const CountOfParts count = count_of(plan.parts, {7, 100, 60, 60});
  EXPECT_EQ(count.whole, 7 + 100 + 102 * 60);
  EXPECT_EQ(count.spread, 180);
}

TEST(CountedPartsFile, IsReadAsItWasWritten) {
  const core::TemporaryFolder folder;
  const CountedParts parts = plan_parts({{10, 4, 100}}, 1, 1.0 / 3).parts;
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
  const std::string whole = text_of(plan_parts({{10, 4, 100}}, 1, std::nullopt).parts);
  // Up to its last line it lacks a part, or the numbers of one.
  const size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  std::vector<std::string> damaged = {"scalediag-parts 2" + whole.substr(17), whole + "x 0 0.5 0\n",
                                      whole + "scalediag-part-9 0 1 0\n"};
  for (size_t n = 0; n < last_line + 9; ++n) damaged.push_back(whole.substr(0, n));
  for (const std::string& text : damaged) {
    std::ofstream(folder.file("rank000000.parts")) << text;
    EXPECT_FALSE(read_counted_parts(folder.file("rank000000.parts"))) << text;
  }
}

}  // namespace
}  // namespace scalediag::counters
