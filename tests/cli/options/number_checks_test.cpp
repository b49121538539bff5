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

// The seconds of an option of times, or the parser's complaint.
std::string seconds_from(const std::string& text) {
  double seconds = 0;
  CLI::App app;
  app.add_option("--budget", seconds)->transform(time_as_seconds())->check(positive_number());
  try {
    app.parse("--budget=" + text);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return std::to_string(seconds);
}

TEST(TimeAsSeconds, UnitsAreThoseOfTime) {
  EXPECT_EQ(seconds_from("90s"), "90.000000");
  EXPECT_EQ(seconds_from("1.5min"), "90.000000");
  EXPECT_EQ(seconds_from("2h"), "7200.000000");
  EXPECT_EQ(seconds_from("250ms"), "0.250000");
}

TEST(TimeAsSeconds, WhatIsNoTimeIsSaid) {
  EXPECT_EQ(seconds_from("10"), "--budget: expected a time such as 90s, 10min or 1h, not 10");
  EXPECT_EQ(seconds_from("-1s"), "--budget: expected a time such as 90s, 10min or 1h, not -1s");
  EXPECT_EQ(seconds_from("1e999h"), "--budget: expected a time such as 90s, 10min or 1h, not 1e999h");
  EXPECT_EQ(seconds_from("soon"), "--budget: expected a time such as 90s, 10min or 1h, not soon");
  EXPECT_EQ(seconds_from("0s"), "--budget: expected a number above 0, not 0");
}

}  // namespace
}  // namespace scalediag::cli
