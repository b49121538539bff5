#include "core/json/json_reader.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

std::string error_of(const std::string& text) {
  const auto document = parse_json(text, "f.json");
  return document ? "" : document.error().message;
}

TEST(ParseJson, ANumberThatIsOutOfRangeIsToldWithLineAndField) {
  EXPECT_EQ(error_of("{\"a\": 1,\n \"b\": [{}, {\"x\": [1, 2]},\n  {\"c\": [0, 1e999\n]}]}"),
            "f.json:3: field b[2].c[1]: 1e999 is out of range, no number is above 1.8e308");
  EXPECT_EQ(error_of("[[1], -1e400]"), "f.json:1: field [1]: -1e400 is out of range, no number is above 1.8e308");
  EXPECT_EQ(error_of("{\"a\\u001b\": 1e400}"), "f.json:1: field a?: 1e400 is out of range, no number is above 1.8e308");
  EXPECT_EQ(error_of("1e309"), "f.json:1: 1e309 is out of range, no number is above 1.8e308");
}

TEST(ParseJson, LargeAndTinyNumbersAreInRange) {
  EXPECT_EQ(error_of("[1.7e308, -1.7e308, 1e-999]"), "");
  EXPECT_FALSE(find_number_out_of_range("[1.7e308]"));
}

TEST(ParseJson, WhatIsWrongBeforeSuchANumberComesFirst) {
  EXPECT_EQ(error_of("[1, x, 1e999]"), "f.json is damaged: it is not JSON from byte 5 of 13 on");
  EXPECT_FALSE(find_number_out_of_range("[1, x, 1e999]"));
}

}  // namespace
}  // namespace scalediag::core
