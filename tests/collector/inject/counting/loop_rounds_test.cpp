#include "collector/inject/counting/loop_rounds.h"

#include <gtest/gtest.h>

namespace scalediag::inject {
namespace {

constexpr uintptr_t kOrigin = 1 << 20;
constexpr uint32_t kSend = 1, kAllreduce = 2;
// Addresses of no module, which are their own places in a file.
constexpr uintptr_t kExchange = 0x100, kReduction = 0x200, kOutput = 0x300;

raw::LoopSite site(uint32_t operation, uintptr_t address, uint64_t depth) {
  return {operation, address, (1 << 30) + depth, 100};
}

raw::CountedLoop plan() {
  raw::CountedLoop loop;
  loop.rounds = 100;
  loop.counted = 2;
  loop.sites = {site(kAllreduce, kReduction, 100), site(kSend, kExchange, 300)};
  return loop;
}

std::string called(LoopRounds& rounds, uint32_t operation, uintptr_t address, uintptr_t depth) {
  return rounds.called(operation, {address, kOrigin - depth}).value_or("");
}

TEST(LoopRounds, BeginAtTheFirstSitesCallsAndEndWhenEnoughAreCounted) {
  LoopRounds rounds(plan(), kOrigin);
  EXPECT_EQ(called(rounds, kSend, kExchange, 300), "");
  // Frames that are aligned may lie some bytes elsewhere.
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 116), "scalediag round 1 of 0,1");
  EXPECT_EQ(called(rounds, kSend, kExchange, 300), "");
  EXPECT_EQ(called(rounds, kSend, kExchange, 300), "");
  EXPECT_EQ(called(rounds, kSend, kOutput, 300), "");  // no site of the plan
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 116), "scalediag round 2 of 1,2");
  EXPECT_FALSE(rounds.is_over());
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 116), "scalediag round 3 of 1,0");
  EXPECT_TRUE(rounds.is_over());
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 116), "");
}

// The third call of a round is the last one, as the round before shows: what is counted after it is a stretch.
TEST(LoopRounds, PauseAtTheLastCallOfARound) {
  raw::CountedLoop three = plan();
  three.counted = 3;
  LoopRounds rounds(three, kOrigin);
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 100), "scalediag round 1 of 0,0");
  for (const char* trigger : {"", "scalediag pause 3"}) {
    EXPECT_EQ(called(rounds, kSend, kExchange, 300), "");
    EXPECT_EQ(called(rounds, kSend, kOutput, 300), trigger);
    const bool is_first = *trigger == '\0';
    EXPECT_EQ(called(rounds, kAllreduce, kReduction, 100),
              is_first ? "scalediag round 2 of 1,1" : "scalediag round 3 of 1,1 stretch");
  }
  // A round with fewer calls has none.
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 100), "scalediag round 4 of 1,0");
}

TEST(LoopRounds, ACallFromAnotherDepthIsAnotherSite) {
  LoopRounds rounds(plan(), kOrigin);
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 400), "");
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 100), "scalediag round 1 of 0,0");
}

// Several calls in a row from one frame are one visit.
TEST(LoopRounds, BeginAtVisitsWhereThePlanSaysSo) {
  raw::CountedLoop by_visits = plan();
  by_visits.by_visits = true;
  LoopRounds rounds(by_visits, kOrigin);
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 100), "scalediag round 1 of 0,0");
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 100), "");
  EXPECT_EQ(called(rounds, kSend, kExchange, 300), "");
  EXPECT_EQ(called(rounds, kAllreduce, kReduction, 100), "scalediag round 2 of 2,1");
}

}  // namespace
}  // namespace scalediag::inject
