#include "loggp/phases/equations/value_candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace scalediag::loggp {
namespace {

// 12 elements of 8 bytes along a side of d ranks, without those at the border: 96 / d, less 8 for the first rank and 8
// for the last, on 2 x 1, 2 x 2 and 4 x 2 ranks. On 64 = 8 x 8 the element that divides all coefficients is 8 bytes, so
// that the first 4 ranks of a side have 2 elements and the others 1: 16 inside, 8 on the first rank.
TEST(ValueCandidates, BlocksWithoutTheirBorder) {
  std::vector<ValueSample> samples;
  for (const int ranks : {2, 4, 8}) {
    const core::ProcessGrid grid = process_grid(core::GridKind::kPlaneFalling, ranks);
    for (int r = 0; r < ranks; ++r) {
      const int d = grid.sides[0], x = grid.coordinates(r)[0];
      samples.push_back({ranks, r, 96.0 / d - (x == 0 ? 8 : 0) - (x == d - 1 ? 8 : 0)});
    }
  }
  const auto candidates = value_candidates(samples, core::GridKind::kPlaneFalling, 64);
  ASSERT_FALSE(candidates.empty());
  EXPECT_TRUE(candidates.front().is_assumed_uneven);
  EXPECT_NEAR(candidates.front().hypothesis.at(64, 3), 16, 1e-6);
  EXPECT_NEAR(candidates.front().hypothesis.at(64, 0), 8, 1e-6);
}

// 400 and 200 bytes on sides of 1 and 2 ranks are 400 / d, which would be 100 on 4: no multiple of the 8 bytes that all
// of them are multiples of. With elements of 8 bytes, 50 of them, the first two ranks have 13 and the others 12.
TEST(ValueCandidates, WhatCannotBeAtTheTargetIsNoCandidate) {
  const std::vector<ValueSample> samples = {{2, 0, 400}, {2, 1, 400}, {4, 0, 200},
                                            {4, 3, 200}, {8, 0, 200}, {8, 7, 200}};
  const auto candidates = value_candidates(samples, core::GridKind::kPlaneRising, 16);
  ASSERT_FALSE(candidates.empty());
  for (const ValueCandidate& candidate : candidates) {
    for (const double value : values_at(candidate.hypothesis, 16)) EXPECT_EQ(std::fmod(value, 8), 0) << value;
  }
}

// Buffers of 240 (n/d + 1)^2 B for n = 24: 240 times 13^2, 9^2 and 7^2 on planes of 2, 3 and 4. On one of 5 all ranks
// have room for 24/5 = 4 elements and one more, 240 times 5^2; rounded up for the first ranks it would be 6^2 there.
TEST(ValueCandidates, BuffersForAnyBlockAreRoundedDown) {
  std::vector<ValueSample> samples;
  for (const auto& [ranks, value] : {std::pair(4, 40560.0), std::pair(9, 19440.0), std::pair(16, 11760.0)}) {
    for (int r = 0; r < ranks; ++r) samples.push_back({ranks, r, value});
  }
  const auto candidates = value_candidates(samples, core::GridKind::kPlaneFalling, 25);
  ASSERT_FALSE(candidates.empty());
  EXPECT_NEAR(candidates.front().hypothesis.at(25, 0), 6000, 1e-6);
  EXPECT_NEAR(candidates.front().hypothesis.at(25, 24), 6000, 1e-6);
  EXPECT_TRUE(std::any_of(candidates.begin(), candidates.end(), [](const ValueCandidate& candidate) {
    return std::abs(candidate.hypothesis.at(25, 0) - 8640) < 1e-6;
  }));
}

TEST(ValueCandidates, NothingIsExactByChance) {
  // Six different numbers on two scales: no hypothesis of three terms meets them.
  EXPECT_TRUE(value_candidates({{2, 0, 17}, {2, 1, 19}, {4, 0, 23}, {4, 1, 29}, {4, 2, 31}, {4, 3, 37}},
                               core::GridKind::kPlaneFalling, 16)
                  .empty());
}

TEST(ValueCandidates, MirroredAlongAnotherSide) {
  const auto candidates =
      value_candidates({{2, 0, 9600}, {4, 0, 4800}, {8, 0, 4800}}, core::GridKind::kPlaneRising, 32);
  ASSERT_FALSE(candidates.empty());
  // 32 = 8 x 4 with the shorter side first: 9600 / 4, and along the other side 9600 / 8.
  EXPECT_NEAR(candidates.front().hypothesis.at(32, 0), 2400, 1e-6);
  EXPECT_NEAR(candidates.front().hypothesis.with_sides({1, 0, 2}).at(32, 0), 1200, 1e-6);
}

}  // namespace
}  // namespace scalediag::loggp
