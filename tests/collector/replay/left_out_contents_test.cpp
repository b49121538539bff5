// Contents that a log leaves out: what is received in their place.
#include "pmpi-comm/replay/left_out_contents.h"

#include <gtest/gtest.h>

namespace scalediag::pmpi {
namespace {

// Iterations of two events; those from event 6 to 10 are left out, after the one that begins at 4.
TEST(LeftOutContents, BlocksOfAnIterationGetThoseOfTheLastOneBefore) {
  LeftOutContents contents({{6, 10, 2}});
  EXPECT_FALSE(contents.place_of(3).is_kept);
  auto place = contents.place_of(4);
  EXPECT_TRUE(place.is_kept);
  contents.keep(place, "first");
  place = contents.place_of(5);
  EXPECT_TRUE(place.is_kept);
  contents.keep(place, "second");
  for (const uint64_t begin : {6, 8}) {
    place = contents.place_of(begin);
    EXPECT_TRUE(place.is_left_out);
    EXPECT_EQ(contents.kept(place), "first");
    EXPECT_EQ(contents.kept(contents.place_of(begin + 1)), "second");
    EXPECT_EQ(contents.kept(contents.place_of(begin + 1)), "");  // a block that the iteration did not have
  }
  EXPECT_FALSE(contents.place_of(10).is_left_out);
}

// Two loops that follow one another at once: the second has contents of its own.
TEST(LeftOutContents, ALoopHasItsOwn) {
  LeftOutContents contents({{1, 3, 1}, {4, 6, 1}});
  contents.keep(contents.place_of(0), "of the first");
  EXPECT_EQ(contents.kept(contents.place_of(2)), "of the first");
  contents.keep(contents.place_of(3), "of the second");
  EXPECT_EQ(contents.kept(contents.place_of(4)), "of the second");
}

TEST(LeftOutContents, NothingIsLeftOutOfALogThatHasAll) {
  LeftOutContents contents;
  EXPECT_TRUE(contents.empty());
  EXPECT_FALSE(contents.place_of(7).is_left_out);
}

}  // namespace
}  // namespace scalediag::pmpi
