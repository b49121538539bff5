#include "cli/number_checks.h"

#include <gtest/gtest.h>

#include <string>

namespace scalediag::cli {
namespace {

// The value of an option of shares from 0.01 to 1, or the parser's complaint.
std::string share_from(const std::string& text) {
  double share = 0;
  CLI::App app;
  app.add_option("--share", share)->transform(percent_as_share())->check(number_between(0.01, 1));
  try {
    app.parse("--share " + text);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return std::to_string(share);
}

TEST(PercentAsShare, SixtyPercentIsSixTenths) {
  EXPECT_EQ(share_from("60%"), "0.600000");
  EXPECT_EQ(share_from("0.6"), "0.600000");
}

TEST(PercentAsShare, BoundsAreThoseOfTheShare) {
  EXPECT_EQ(share_from("150%"), "--share: expected a number from 0.01 to 1, not 1.5");
  EXPECT_EQ(share_from("60"), "--share: expected a number from 0.01 to 1, not 60");
  EXPECT_EQ(share_from("%"), "--share: expected a number from 0.01 to 1, not %");
}

}  // namespace
}  // namespace scalediag::cli
