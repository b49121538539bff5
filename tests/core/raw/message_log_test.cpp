#include "core/raw/message_log.h"

#include <gtest/gtest.h>

#include <tuple>

namespace scalediag::message_log {
namespace {

// Ten ranks on nodes of four: 0..3, 4..7, and 8 and 9.
TEST(RanksOfNode, TheLastNodeMayHaveFewer) {
  for (const auto& [rank, first, end] : {std::tuple{0U, 0U, 4U}, {3U, 0U, 4U}, {4U, 4U, 8U}, {9U, 8U, 10U}}) {
    const NodeRange node = ranks_of_node(rank, 4, 10);
    EXPECT_EQ(node.first, first);
    EXPECT_EQ(node.end, end);
    EXPECT_TRUE(node.has(rank));
    EXPECT_FALSE(node.has(end));
  }
  EXPECT_EQ(ranks_of_node(9, 4, 10).size(), 2U);
  EXPECT_EQ(ranks_of_node(9, UINT32_MAX, 10).size(), 10U);
}

}  // namespace
}  // namespace scalediag::message_log
