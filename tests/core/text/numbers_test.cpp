#include "core/text/numbers.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace scalediag::core {
namespace {

TEST(Numbers, WholeNumbersHaveNoExponent) {
  EXPECT_EQ(to_text(0), "0");
  EXPECT_EQ(to_text(64), "64");
  EXPECT_EQ(to_text(-3), "-3");
  EXPECT_EQ(to_text(1000000), "1000000");
  EXPECT_EQ(to_text(999999999999999), "999999999999999");
}

TEST(Numbers, FractionsAreAsShortAsTheyReadBack) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(1.5), "1.5");
  const double third = 1.0 / 3;
  EXPECT_EQ(std::strtod(to_text(third).c_str(), nullptr), third);
  EXPECT_EQ(std::strtod(to_text(1e300).c_str(), nullptr), 1e300);
  EXPECT_EQ(std::strtod(to_text(5e-324).c_str(), nullptr), 5e-324);
}

}  // namespace
}  // namespace scalediag::core
