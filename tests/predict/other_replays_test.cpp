// Computation between and beyond numbers of processes whose ranks were replayed.
#include "predict/sources/other_replays.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scalediag::predict {
namespace {

// The models say 10 s, 5 to 20. Replays of 64 ranks took twice what they say; 16 ranks were measured.
const fit::Estimate kModels = {10, 5, 20, 0.9};
const std::vector<Anchor> kTwiceAt64 = {{64, 2}};

// Half way along the logarithms the factor is the root of 2. The replays are as far away as the measured scale, so that
// all of the models' factor of 2 remains, beside 0.90 to 1.28 of replays.
TEST(OtherReplays, AreInterpolatedFromTheLargestMeasuredScale) {
  const auto at_32 = computation_of_other_replays(kTwiceAt64, 16, 32, kModels);
  ASSERT_TRUE(at_32);
  EXPECT_NEAR(at_32->value, 10 * std::sqrt(2), 1e-9);
  EXPECT_NEAR(std::log(at_32->value / at_32->low), std::hypot(std::log(2), std::log(1 / 0.9)), 1e-9);
  EXPECT_NEAR(std::log(at_32->high / at_32->value), std::hypot(std::log(2), std::log(1.28)), 1e-9);
}

// 128 is one doubling from the replays, of three from the measured scale: a third of the models' interval remains.
TEST(OtherReplays, NarrowTheIntervalBeyondThem) {
  const auto at_128 = computation_of_other_replays(kTwiceAt64, 16, 128, kModels);
  ASSERT_TRUE(at_128);
  EXPECT_NEAR(at_128->value, 20, 1e-9);
  EXPECT_NEAR(std::log(at_128->high / 20), std::hypot(std::log(2) / 3, std::log(1.28)), 1e-9);
}

TEST(OtherReplays, SayNothingOfMeasuredScales) {
  EXPECT_FALSE(computation_of_other_replays(kTwiceAt64, 16, 8, kModels));
  EXPECT_FALSE(computation_of_other_replays({{16, 2}}, 16, 32, kModels));
  EXPECT_FALSE(computation_of_other_replays({}, 16, 32, kModels));
}

}  // namespace
}  // namespace scalediag::predict
