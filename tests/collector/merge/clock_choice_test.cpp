#include "collector/merge/clock_choice.h"

#include <gtest/gtest.h>

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
            "2 ranks of 4 busy threads had 16 cores: a core each, if nothing else ran there");
}

TEST(ClockChoice, TheRunThatKeepsItsCoresBusiestDecides) {
  core::Experiment e;
  e.clock = "auto";
  e.host.name = "here";
  e.host.cores = 4;
  // Threads that were never busy at once with others are not counted: 4 ranks on 4 cores.
  const CoreUse fits{"here", 16, 4, 1};
  EXPECT_EQ(choose_clock(e, {fits}).clock, core::Clock::kWall);
  // 2 x 3 busy threads on 4 cores are 1.5 a core; another run's 4 ranks do not change that.
  EXPECT_EQ(choose_clock(e, {fits, {"here", 16, 2, 3}, fits}).clock, core::Clock::kCpu);
  // 8 ranks of 64 lie on one host of 16 CPUs.
  EXPECT_EQ(choose_clock(e, {{"there", 16, 8, 1}}).reason,
            "8 ranks had 16 cores: a core each, if nothing else ran there");
  // Where the CPUs are not known, ours are taken.
  EXPECT_EQ(choose_clock(e, {{"there", 0, 8, 1}}).clock, core::Clock::kCpu);
}

}  // namespace
}  // namespace scalediag::merge
