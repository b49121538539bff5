#include "core/text/bounded.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

// The farther end is 746 away, which leaves no digit: two are kept. Of its distance two digits stand for tens; both
// ends are rounded outwards.
TEST(Bounded, HasTheDigitsThatItsIntervalAllows) {
  const Bounded b = bounded(17.141, 8.335, 763.25);
  EXPECT_EQ(b.value, "17");
  EXPECT_EQ(b.low, "8");
  EXPECT_EQ(b.high, "770");
  EXPECT_EQ(b.interval(), "8 - 770");
}

// 1463.25 is 175 times 8.335.
TEST(Bounded, AValueThatIsNotKnownWithinAFactorOf100IsNone) {
  EXPECT_EQ(bounded(17.141, 8.335, 1463.25).value, "-");
  EXPECT_EQ(bounded(17.141, 8.335, 1463.25).interval(), "8 - 1500");
  EXPECT_EQ(bounded_percent(0.17, 0.001, 0.2).value, "-");
  EXPECT_EQ(bounded_text(17.141, 8.335, 1463.25, "ms"), "between 8 and 1500 ms");
  EXPECT_EQ(bounded(10, 1, 100).value, "10");  // just 100 times
}

// 0.0014 away: thousandths. Of 0.0014 and 0.0019 two digits are ten-thousandths, which the value does not have.
TEST(Bounded, ANarrowIntervalAllowsMoreDigits) {
  const Bounded b = bounded(1.23456, 1.23312, 1.23641);
  EXPECT_EQ(b.value, "1.235");
  EXPECT_EQ(b.low, "1.233");
  EXPECT_EQ(b.high, "1.237");
}

// 55 away would be tens: of 140.4 that leaves two digits, of 36.6 only one, where two are kept.
TEST(Bounded, TwoDigitsStay) {
  EXPECT_EQ(bounded(140.4, 85.44, 605.37).value, "140");
  EXPECT_EQ(bounded(140.4, 85.44, 605.37).interval(), "80 - 610");
  EXPECT_EQ(bounded(36.6, 3.3, 64.5).value, "37");
  EXPECT_EQ(bounded(5.4, 2.1, 9.3).value, "5.4");
}

TEST(Bounded, PercentagesHaveTheirSign) {
  EXPECT_EQ(bounded_percent(0.132, 0.05, 0.4).value, "13%");
  EXPECT_EQ(bounded_percent(0.132, 0.05, 0.4).high, "40");
}

TEST(Bounded, AtMostFourDigitsAreShown) {
  EXPECT_EQ(bounded(1.23456789, 1.23456788, 1.2345679).value, "1.235");
  EXPECT_EQ(bounded(2.5, 2.5, 2.5).value, "2.500");
  EXPECT_EQ(bounded(2.5, 2.5, 2.5).interval(), "-");
}

// An end on the other side of 0 digits keeps its first one: 0.36 in ones would be 0.
TEST(Bounded, AnEndAboveZeroIsNotPrintedAsZero) {
  EXPECT_EQ(bounded(17, 0.36, 1463).low, "0.3");
  EXPECT_EQ(bounded(17, 0, 1463).low, "0");
}

// One end may be the value: the other one's distance, 2.5, counts.
TEST(Bounded, OneSidedIntervals) {
  const Bounded b = bounded(10, 10, 12.5);
  EXPECT_EQ(b.value, "10");
  EXPECT_EQ(b.low, "10");
  EXPECT_EQ(b.high, "13");
  EXPECT_EQ(bounded(1.7713, 1.7712, 3.66).value, "1.8");
}

TEST(Bounded, ZeroAndNegativeValues) {
  EXPECT_EQ(bounded(0, 0, 0).value, "0");
  EXPECT_EQ(bounded(0, -1.5, 2).value, "0");
  // 3 away: ones. -20 lies 3 below.
  EXPECT_EQ(bounded(-17, -20, -14).value, "-17");
  EXPECT_EQ(bounded(-17, -20, -14).low, "-20");
}

TEST(Bounded, VeryLargeAndVerySmallNumbersHaveAnExponent) {
  EXPECT_EQ(bounded(2.52e9, 2.41e9, 2.66e9).value, "2.5e+09");
  EXPECT_EQ(bounded(2.5e-6, 2.41e-6, 2.66e-6).value, "2.5e-06");
}

TEST(BoundedText, SaysTheInterval) {
  EXPECT_EQ(bounded_text(17.141, 8.335, 763.25, "ms"), "17 ms, between 8 and 770");
  EXPECT_EQ(bounded_text(2.5, 2.5, 2.5, "ms"), "2.500 ms");
}

// 1463.25 / 8.335 = 175.6, in two digits rounded down 170.
TEST(SpreadText, SaysInWordsThatAValueIsNotKnown) {
  EXPECT_EQ(spread_text(8.335, 1463.25), "not known within a factor of 170");
  EXPECT_EQ(spread_text(1, 10), "");
  EXPECT_EQ(spread_text(0, 10), "possibly next to nothing");
  EXPECT_EQ(spread_text(0, 0), "");
}

}  // namespace
}  // namespace scalediag::core
