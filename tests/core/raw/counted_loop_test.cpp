#include "core/raw/counted_loop.h"

#include <gtest/gtest.h>

namespace scalediag::raw {
namespace {

CountedLoop example() {
  CountedLoop loop;
  loop.rounds = 201;
  loop.counted = 5;
  loop.by_visits = true;
  loop.head = 0.125;
  loop.tail = 0.5;
  loop.behind = 0.25;
  loop.sites = {{3, 0x4011d6, (1 << 30) + 480, 201}, {17, 0x52, 1 << 30, 8}};
  return loop;
}

TEST(CountedLoop, IsReadAsItWasWritten) {
  const CountedLoop loop = example();
  const auto read = counted_loop_of(text_of(loop));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rounds, 201u);
  EXPECT_EQ(read->counted, 5u);
  EXPECT_TRUE(read->by_visits);
  EXPECT_EQ(read->head, 0.125);
  EXPECT_EQ(read->tail, 0.5);
  EXPECT_EQ(read->behind, 0.25);
  ASSERT_EQ(read->sites.size(), 2u);
  EXPECT_EQ(read->sites[1].operation, 17u);
  EXPECT_EQ(read->sites[1].address, 0x52u);
  EXPECT_EQ(read->sites[1].depth, 1u << 30);
  EXPECT_EQ(read->sites[1].calls, 8u);
}

TEST(CountedLoop, IsNoneWithoutSitesOrWithAsManyRoundsToCountAsThereAre) {
  CountedLoop loop = example();
  loop.counted = loop.rounds;
  EXPECT_FALSE(counted_loop_of(text_of(loop)));
  loop = example();
  loop.sites.clear();
  EXPECT_FALSE(counted_loop_of(text_of(loop)));
  const std::string text = text_of(example());
  for (size_t n = 0; n < text.find("site"); ++n) EXPECT_FALSE(counted_loop_of(text.substr(0, n))) << n;
}

TEST(RoundTrigger, IsReadAsItWasWritten) {
  EXPECT_EQ(round_trigger(3, {1, 0, 25}), "scalediag round 3 of 1,0,25");
  const auto round = round_of_trigger("scalediag round 3 of 1,0,25");
  ASSERT_TRUE(round);
  EXPECT_EQ(round->round, 3u);
  EXPECT_EQ(round->calls, (std::vector<uint64_t>{1, 0, 25}));
  EXPECT_FALSE(round->stretch);
  const auto stretch = round_of_trigger(round_trigger(4, {7}, true));
  ASSERT_TRUE(stretch);
  EXPECT_EQ(stretch->calls, (std::vector<uint64_t>{7}));
  EXPECT_TRUE(stretch->stretch);
}

TEST(RoundTrigger, IsNoOtherText) {
  for (const char* text :
       {"", "scalediag", "scalediag round ", "scalediag round 3", "scalediag round 3 of x", "scalediag pause 3"}) {
    EXPECT_FALSE(round_of_trigger(text)) << text;
  }
}

}  // namespace
}  // namespace scalediag::raw
