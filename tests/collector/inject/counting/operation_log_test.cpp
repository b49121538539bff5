#include "collector/inject/counting/operation_log.h"

#include <gtest/gtest.h>

namespace scalediag::inject {
namespace {

constexpr uint32_t kNow = 99;

TEST(OperationLog, ATimeBelongsToTheFirstEntryThatEndsAtOrAfterIt) {
  OperationLog log;
  const std::atomic<uint32_t> now{kNow};
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.operation_at(5, now), kNow);
  EXPECT_TRUE(log.add(10, 1));
  EXPECT_TRUE(log.add(20, 2));
  EXPECT_EQ(log.operation_at(0, now), 1u);
  EXPECT_EQ(log.operation_at(10, now), 1u);
  EXPECT_EQ(log.operation_at(11, now), 2u);
  EXPECT_EQ(log.operation_at(20, now), 2u);
  EXPECT_EQ(log.operation_at(21, now), kNow);  // still in it
}

TEST(OperationLog, WhatIsForgottenMakesRoom) {
  OperationLog log;
  const std::atomic<uint32_t> now{kNow};
  uint64_t n = 0;
  while (log.add(n, static_cast<uint32_t>(n))) ++n;
  EXPECT_GE(n, 256u);  // a second's worth of samples
  log.forget(log.position() - 2);
  EXPECT_EQ(log.operation_at(0, now), n - 2);
  EXPECT_EQ(log.operation_at(n - 1, now), n - 1);
  // Beyond the end of its memory it starts again at the beginning.
  for (uint64_t i = 0; i < n - 2; ++i) EXPECT_TRUE(log.add(n + i, static_cast<uint32_t>(n + i)));
  EXPECT_FALSE(log.add(3 * n, 0));
  EXPECT_EQ(log.operation_at(n - 2, now), n - 2);
  EXPECT_EQ(log.operation_at(2 * n - 3, now), 2 * n - 3);
  EXPECT_FALSE(log.empty());
  log.forget(log.position());
  EXPECT_TRUE(log.empty());
}

}  // namespace
}  // namespace scalediag::inject
