#include "collector/launch/program/placement.h"

#include <gtest/gtest.h>

namespace scalediag::launch {
namespace {

TEST(Placement, NodesAreFilledOneAfterTheOther) {
  const Placement placement{4, 3};
  EXPECT_EQ(placement.nodes_for(2), 1);
  EXPECT_EQ(placement.nodes_for(3), 1);
  EXPECT_EQ(placement.nodes_for(4), 2);  // 3 + 1
  EXPECT_EQ(placement.ranks_per_node_for(4), 2);
  // 13 ranks would fill five nodes, of which there are four: ceil(13 / 4) ranks share each.
  EXPECT_EQ(placement.nodes_for(13), 4);
  EXPECT_EQ(placement.ranks_per_node_for(13), 4);
}

TEST(Placement, WithoutAnythingKnownTheLauncherDecides) {
  EXPECT_EQ(Placement{}.nodes_for(8), 0);
  EXPECT_EQ(Placement{}.ranks_per_node_for(8), 0);
}

TEST(Placement, TheFirstNumberOfSlurmsListCounts) {
  EXPECT_EQ(first_of_node_list("4(x3),2"), 4);
  EXPECT_EQ(first_of_node_list("16"), 16);
  EXPECT_EQ(first_of_node_list(""), 0);
  EXPECT_EQ(first_of_node_list("none"), 0);
}

TEST(Placement, RanksPerNodeSayHowManyNodes) {
  Placement placement{4, 16};
  ASSERT_TRUE(ask_for_placement("", 2, {2, 4, 8}, placement).ok());
  EXPECT_EQ(placement.nodes_of, (std::map<int, int>{{2, 1}, {4, 2}, {8, 4}}));
  EXPECT_TRUE(placement.is_asked);
}

TEST(Placement, NodesAreOneNumberOrOneForEachNumberOfProcesses) {
  Placement each{4, 16};
  ASSERT_TRUE(ask_for_placement("1,2,4", 0, {2, 4, 8}, each).ok());
  EXPECT_EQ(each.nodes_of, (std::map<int, int>{{2, 1}, {4, 2}, {8, 4}}));
  EXPECT_EQ(each.ranks_per_node_for(8), 2);
  Placement all{4, 16};
  ASSERT_TRUE(ask_for_placement("2", 0, {2, 4}, all).ok());
  EXPECT_EQ(all.nodes_of, (std::map<int, int>{{2, 2}, {4, 2}}));
}

TEST(Placement, WhatCannotBeIsRefused) {
  const auto refusal = [](const std::string& nodes, int ranks_per_node) {
    Placement placement{2, 16};
    const auto asked = ask_for_placement(nodes, ranks_per_node, {2, 8}, placement);
    return asked ? std::string("none") : asked.error().message;
  };
  EXPECT_EQ(refusal("1,2,4", 0), "--nodes: 3 numbers of nodes are given for 2 numbers of processes");
  EXPECT_EQ(refusal("4", 0), "--nodes: 2 processes cannot be on 4 nodes");
  EXPECT_EQ(refusal("1.5", 0), "--nodes: 2 processes cannot be on 1.5 nodes");
  EXPECT_EQ(refusal("1", 2), "--ranks-per-node: --nodes says already how many ranks a node has");
  EXPECT_EQ(refusal("", -1), "--ranks-per-node: it must be at least 1");
  // 8 ranks, two a node.
  EXPECT_EQ(refusal("", 2), "--ranks-per-node: 8 processes need 4 nodes, the allocation has 2");
}

}  // namespace
}  // namespace scalediag::launch
