#include "core/text/value_list.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

std::string texts(const std::string& list) {
  const auto values = parse_value_list(list, "--param x");
  if (!values) return "error: " + values.error().message;
  std::string joined;
  for (const ListValue& value : values.value()) joined += (joined.empty() ? "" : " ") + value.text;
  return joined;
}

TEST(ValueList, KeepsTheTextAsTyped) {
  EXPECT_EQ(texts("2,0.50,1e3,-4"), "2 0.50 1e3 -4");
  EXPECT_EQ(parse_value_list("1e3", "x").value()[0].value, 1000);
}

TEST(ValueList, DoublesFromFirstToLast) {
  EXPECT_EQ(texts("2..16"), "2 4 8 16");
  EXPECT_EQ(texts("3..3"), "3");
  EXPECT_EQ(texts("0.25..1"), "0.25 0.5 1");
}

TEST(ValueList, DoublingThatMissesTheEndSaysSo) {
  const auto values = parse_value_list("2..6", "--np");
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().message, "--np: the range '2..6' doubles from 2 to 4 and misses 6");
  EXPECT_EQ(values.error().hint, "write 2..4, or for steps of 1 2..6:1");
}

TEST(ValueList, StepsFromFirstToLast) {
  EXPECT_EQ(texts("10..50:20"), "10 30 50");
  EXPECT_EQ(texts("10..49:20"), "10 30");
  EXPECT_EQ(texts("-1..1:1"), "-1 0 1");
}

// 0.1 + 0.1 + 0.1 is 0.30000000000000004 in doubles; 3 * 0.1 as well. The text must not show it.
TEST(ValueList, StepsOfFractionsReachTheEndWithoutRoundingErrors) {
  EXPECT_EQ(texts("0..0.5:0.1"), "0 0.1 0.2 0.3 0.4 0.5");
}

TEST(ValueList, TakesAValueThatOccursTwiceOnceAtItsFirstPlace) { EXPECT_EQ(texts("4,2..8,04"), "4 2 8"); }

TEST(ValueList, RefusesWhatIsNoListOfNumbers) {
  for (const char* bad : {"", ",", "2,", "a", "2x", "2..", "..4", "4..2", "0..4", "-2..4", "2..8:0", "2..8:-1",
                          "2..8:x", "nan", "inf", "1e999", "2;4", " 2", "0..1e9:1"}) {
    const auto values = parse_value_list(bad, "--param x");
    ASSERT_FALSE(values.ok()) << bad;
    EXPECT_EQ(values.error().code, ErrorCode::kUsage);
    EXPECT_NE(values.error().message.find("--param x"), std::string::npos) << bad;
    EXPECT_FALSE(values.error().hint.empty()) << bad;
  }
}

TEST(ValueList, ARangeWithADashIsToldTheRightForm) {
  EXPECT_EQ(parse_value_list("0-2", "--ranks").error().hint, "write 0..2:1 for steps of 1");
  EXPECT_NE(parse_value_list("a-2", "--ranks").error().hint, "write a..2:1 for steps of 1");
}

TEST(ProcessCounts, AreWholeNumbersAboveZero) {
  EXPECT_EQ(parse_process_counts("1..8,6").value(), (std::vector<int>{1, 2, 4, 8, 6}));
  for (const char* bad : {"0", "-1", "2.5", "1e9", "two"}) EXPECT_FALSE(parse_process_counts(bad).ok()) << bad;
  EXPECT_TRUE(parse_process_counts("1048576").ok());
  EXPECT_EQ(parse_process_counts("1048577").error().hint, "give whole numbers from 1 to 1048576, as in -n 2,4,8,16");
}

// Ten of thirteen, and the last one.
TEST(ShortList, NamesTheFirstAndTheLastOfMany) {
  EXPECT_EQ(short_list_of(std::vector<double>{2, 4, 8}), "2,4,8");
  EXPECT_EQ(short_list_of(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}),
            "1,2,3,4,5,6,7,8,9,10,..,13 (13 values)");
}

}  // namespace
}  // namespace scalediag::core
