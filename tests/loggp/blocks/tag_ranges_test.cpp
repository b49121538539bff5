#include "loggp/blocks/tag_ranges.h"

#include <gtest/gtest.h>

namespace scalediag::loggp {
namespace {

// A rank that sends a message with each of these tags.
RankTrace rank_with(const std::vector<int>& tags) {
  RankTrace trace;
  for (const int tag : tags) {
    TraceEvent event;
    event.kind = trace::EventKind::kSend;
    event.tag = tag;
    trace.events.push_back(event);
  }
  return trace;
}

std::vector<int> from_to(int from, int to, int step = 1) {
  std::vector<int> tags;
  for (int tag = from; tag <= to; tag += step) tags.push_back(tag);
  return tags;
}

TEST(TagRanges, FewTagsStandForThemselves) {
  EXPECT_TRUE(tag_ranges({rank_with(from_to(0, 15))}).empty());
  EXPECT_EQ(tag_text(7, {}), "tag 7");
}

// As BT of NPB makes them: 2000 + cell and 3000 + cell. The distances are 1, 2 and 938: the largest leap is before 938.
TEST(TagRanges, OfComputedTagsAreDividedAtTheLargestLeap) {
  const std::vector<RankTrace> ranks = {rank_with(from_to(2000, 2062, 2)), rank_with(from_to(3000, 3010)),
                                        rank_with({2001, 2003, 9})};
  const TagRanges ranges = tag_ranges(ranks);
  EXPECT_EQ(ranges, (TagRanges{{9, 9}, {2000, 2062}, {3000, 3010}}));
  EXPECT_EQ(tag_text(2003, ranges), "tag 2000..2062");
  EXPECT_EQ(tag_text(9, ranges), "tag 9");
}

// A run with other numbers of ranks has other tags: half of the 938 to the next range, 468, they belong to a range.
TEST(TagRanges, HoldTagsThatAreNearer) {
  const TagRanges ranges = {{9, 9}, {2000, 2062}, {3000, 3010}};
  EXPECT_EQ(tag_text(2100, ranges), "tag 2000..2062");
  EXPECT_EQ(tag_text(2530, ranges), "tag 2000..2062");
  EXPECT_EQ(tag_text(2531, ranges), "tag 2531");
  EXPECT_EQ(tag_text(2532, ranges), "tag 3000..3010");
  EXPECT_EQ(tag_text(-1, ranges), "tag -1");
  // Of one range alone, as far as it is long: numbers of steps from 0 to 99.
  EXPECT_EQ(tag_text(150, {{0, 99}}), "tag 0..99");
  EXPECT_EQ(tag_text(199, {{0, 99}}), "tag 199");
}

// 20 tags with equal distances are one range.
TEST(TagRanges, WithoutALeapAreOne) { EXPECT_EQ(tag_ranges({rank_with(from_to(0, 190, 10))}), (TagRanges{{0, 190}})); }

}  // namespace
}  // namespace scalediag::loggp
