#include "core/text/quantities.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

TEST(TimeFormat, OneUnitAndFiveDigitsOfTheLargest) {
  EXPECT_EQ(TimeFormat(1.5)(1.5), "1.5000");
  EXPECT_EQ(TimeFormat(33.2)(0.5), "0.500");
  EXPECT_EQ(TimeFormat(123456)(123456), "123456.0");
  EXPECT_STREQ(TimeFormat(0.5).unit(), "ms");
  EXPECT_EQ(TimeFormat(0.5)(0.5), "500.00");
  EXPECT_STREQ(TimeFormat(0.0005).unit(), "us");
  EXPECT_EQ(TimeFormat(0.0005)(0.0005), "500.00");
  EXPECT_STREQ(TimeFormat(0).unit(), "s");
}

TEST(Quantities, OneTimeHasItsOwnUnit) {
  EXPECT_EQ(time_text(0.0123456), "12.346 ms");
  EXPECT_EQ(time_text(0), "0.0000 s");
}

TEST(Quantities, ThereIsNoNegativeZero) {
  EXPECT_EQ(fixed(-0.0001, 2), "0.00");
  EXPECT_EQ(fixed(-0.01, 2), "-0.01");
}

TEST(Quantities, Percent) {
  EXPECT_EQ(percent(0.4567), "45.7%");
  EXPECT_EQ(percent_digits(1), "100.0");
}

TEST(Quantities, CountsAreExactUntilTheyAreLong) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(9999999), "9999999");
  EXPECT_EQ(count_text(12345678), "12.3 M");
  EXPECT_EQ(count_text(1.5), "1.5");  // a mean over repeats
  EXPECT_EQ(count_text(999.9e6), "1.00 G");
  EXPECT_EQ(count_text(2e12), "2.00 T");
}

TEST(Quantities, BytesHaveThreeDigitsAndPowersOfThousand) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1.00 kB");
  EXPECT_EQ(bytes_text(12345), "12.3 kB");
  EXPECT_EQ(bytes_text(123456), "123 kB");
  EXPECT_EQ(bytes_text(999999), "1.00 MB");
  EXPECT_EQ(bytes_text(1e30), "1000000000000 EB");
}

TEST(TimesText, HasTheDecimalsThatTell) {
  EXPECT_EQ(times_text(4), "4 times");
  EXPECT_EQ(times_text(1.5), "1.5 times");
  EXPECT_EQ(times_text(8.0 / 6), "1.33 times");
  EXPECT_EQ(times_text(64), "64 times");
  EXPECT_EQ(times_text(1000.0 / 24), "42 times");
}

}  // namespace
}  // namespace scalediag::core
