#include "core/text/suggestion.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

const std::vector<std::string> kNames = {"total", "efficiency", "speedup", "share", "ms", "s", "min"};

TEST(Suggestion, DistanceCountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);  // k->s, e->i, +g
  EXPECT_EQ(edit_distance("rnak", "rank"), 1u);       // neighbours exchanged
  EXPECT_EQ(edit_distance("NP", "np"), 0u);
}

TEST(Suggestion, NamesTheNearest) {
  EXPECT_EQ(closest("effciency", kNames), (std::vector<std::string>{"efficiency"}));
  EXPECT_EQ(closest("Total", kNames), (std::vector<std::string>{"total"}));
  EXPECT_EQ(did_you_mean("spedup", kNames), "did you mean 'speedup'?");
}

TEST(Suggestion, NamesAllThatAreEquallyNear) {
  // "m" becomes "ms" and "s" by one edit each; "s" however shares no letter with it.
  EXPECT_EQ(closest("m", kNames), (std::vector<std::string>{"ms"}));
  EXPECT_EQ(did_you_mean("mi", kNames), "did you mean 'ms' or 'min'?");
}

TEST(Suggestion, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("bandwidth", kNames), "");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean(std::string(10000, 'x'), kNames), "");
}

}  // namespace
}  // namespace scalediag::core
