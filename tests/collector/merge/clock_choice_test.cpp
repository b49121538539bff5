#include <gtest/gtest.h>

#include "collector/merge/merge.h"

namespace scalediag::merge {
namespace {

TEST(ClockChoice, WhatWasAskedForIsTaken) {
  EXPECT_EQ(choose_clock("wall", 2, 64, 1).clock, core::Clock::kWall);
  EXPECT_EQ(choose_clock("cpu", 64, 2, 1).clock, core::Clock::kCpu);
}

TEST(ClockChoice, AutoTakesCpuTimeOnlyWhereCoresAreShared) {
  EXPECT_EQ(choose_clock("auto", 4, 4, 1).clock, core::Clock::kWall);
  EXPECT_EQ(choose_clock("auto", 4, 5, 1).clock, core::Clock::kCpu);
  EXPECT_EQ(choose_clock("auto", 4, 2, 2).clock, core::Clock::kWall);
  EXPECT_EQ(choose_clock("auto", 4, 2, 3).clock, core::Clock::kCpu);
}

TEST(ClockChoice, TheReasonNamesTheNumbers) {
  EXPECT_EQ(choose_clock("auto", 1, 8, 1).reason, "8 ranks shared 1 core, so only CPU time tells what work costs");
  EXPECT_EQ(choose_clock("auto", 16, 2, 4).reason,
            "2 ranks of 4 busy threads had 16 cores, so each had a core to itself");
}

}  // namespace
}  // namespace scalediag::merge
