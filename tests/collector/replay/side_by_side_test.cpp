#include "collector/replay/side_by_side.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace scalediag::replay {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

ReplayedRank rank_of(int number) {
  ReplayedRank rank;
  rank.rank = number;
  rank.computation_s = 0.5 * number;
  rank.calls = 7;
  rank.log_bytes = 800;
  rank.elapsed_s = 1.25;
  return rank;
}

TEST(SideBySide, GivesTheResultsInOrder) {
  const auto ranks = side_by_side(3, [](size_t i) -> Result<ReplayedRank> {
    usleep(static_cast<useconds_t>(20'000 * (3 - i)));  // the first ends last
    return rank_of(static_cast<int>(i));
  });
  ASSERT_TRUE(ranks) << ranks.error().message;
  ASSERT_EQ(ranks.value().size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const ReplayedRank& rank = ranks.value()[static_cast<size_t>(i)];
    EXPECT_EQ(rank.rank, i);
    EXPECT_EQ(rank.computation_s, 0.5 * i);
    EXPECT_EQ(rank.log_bytes, 800U);
  }
}

// Each waits for the other: one after another they would wait for ever.
TEST(SideBySide, RunsAllAtTheSameTime) {
  int to_first[2], to_second[2];
  ASSERT_EQ(pipe(to_first), 0);
  ASSERT_EQ(pipe(to_second), 0);
  const auto ranks = side_by_side(2, [&](size_t i) -> Result<ReplayedRank> {
    alarm(20);
    char byte = 'x';
    if (write(i == 0 ? to_second[1] : to_first[1], &byte, 1) != 1 ||
        read(i == 0 ? to_first[0] : to_second[0], &byte, 1) != 1) {
      return Error{ErrorCode::kInput, "no byte came", "", ""};
    }
    return rank_of(0);
  });
  EXPECT_TRUE(ranks) << ranks.error().message;
  for (const int fd : {to_first[0], to_first[1], to_second[0], to_second[1]}) close(fd);
}

TEST(SideBySide, AnErrorIsToldAsItIs) {
  const auto ranks = side_by_side(2, [](size_t i) -> Result<ReplayedRank> {
    if (i == 1) return Error{ErrorCode::kUsage, "rank 1 departs", "look there", "the log"};
    return rank_of(0);
  });
  ASSERT_FALSE(ranks);
  EXPECT_EQ(ranks.error().code, ErrorCode::kUsage);
  EXPECT_EQ(ranks.error().message, "rank 1 departs");
  EXPECT_EQ(ranks.error().hint, "look there");
  EXPECT_EQ(ranks.error().where, "the log");
}

// The first waits for what the second would have sent.
TEST(SideBySide, AFailureEndsTheOthers) {
  const auto ranks = side_by_side(2, [](size_t i) -> Result<ReplayedRank> {
    if (i == 1) return Error{ErrorCode::kInput, "rank 1 departs", "", ""};
    alarm(20);
    pause();
    return rank_of(0);
  });
  ASSERT_FALSE(ranks);
  EXPECT_EQ(ranks.error().message, "rank 1 departs");
}

TEST(SideBySide, AKilledOneIsAnError) {
  const auto ranks = side_by_side(2, [](size_t i) -> Result<ReplayedRank> {
    if (i == 0) raise(SIGKILL);
    return rank_of(1);
  });
  ASSERT_FALSE(ranks);
  EXPECT_EQ(ranks.error().message, "a replay was killed");
}

}  // namespace
}  // namespace scalediag::replay
