#include "pmpi-comm/virtual_clock/long_wait.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace scalediag::pmpi {
namespace {

class LongWait : public ::testing::Test {
 protected:
  LongWait() {
    state_.sleeps_in_long_waits = true;
    state_.depth = 1;
  }
  ThreadState state_;
};

TEST_F(LongWait, YieldsBeforeItSleeps) {
  for (uint32_t i = 0; i < kYieldsBeforeSleep; ++i) EXPECT_FALSE(sleeps_in_long_wait(state_));
  EXPECT_EQ(state_.slept_in_waits_ns, 0U);
  errno = EDOM;
  EXPECT_TRUE(sleeps_in_long_wait(state_));
  EXPECT_EQ(errno, EDOM);
  // Waiting for a core afterwards is no sleep.
  EXPECT_GE(state_.slept_in_waits_ns, 50'000U);
  EXPECT_LE(state_.slept_in_waits_ns, 100'000U);
}

TEST_F(LongWait, IsOfOneCall) {
  for (uint32_t i = 0; i < 2 * kYieldsBeforeSleep; ++i) {
    if (i % kYieldsBeforeSleep == 0) state_.yields = 0;  // as the wrapper does
    EXPECT_FALSE(sleeps_in_long_wait(state_));
  }
}

TEST_F(LongWait, IsInsideMpiAlone) {
  state_.depth = 0;
  for (uint32_t i = 0; i < 2 * kYieldsBeforeSleep; ++i) EXPECT_FALSE(sleeps_in_long_wait(state_));
}

TEST_F(LongWait, IsNotWhereEachRankHasACore) {
  state_.sleeps_in_long_waits = false;
  for (uint32_t i = 0; i < 2 * kYieldsBeforeSleep; ++i) EXPECT_FALSE(sleeps_in_long_wait(state_));
}

}  // namespace
}  // namespace scalediag::pmpi
