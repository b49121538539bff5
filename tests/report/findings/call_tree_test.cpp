#include "report/findings/places/call_tree.h"

#include <gtest/gtest.h>

namespace scalediag::report {
namespace {

core::OverRanks of_each(int np, double seconds) { return {seconds * np, seconds, seconds, seconds, 0, 0}; }

core::CallPath path(int np, int parent, const char* function, double inclusive_s, double exclusive_s) {
  return {parent,
          function,
          "app",
          "",
          0,
          core::CallPathKind::kFunction,
          10,
          of_each(np, inclusive_s),
          of_each(np, exclusive_s)};
}

// With 2 ranks main->a has 6 s and main->b 2 s; with 8 ranks they have 1.5 and 2 s, and main->c 0.5 s.
core::Profile two_scales() {
  core::Profile profile;
  for (const int np : {2, 8}) {
    core::Run& run = profile.runs.emplace_back();
    run.np = np;
    run.complete = true;
    run.call_paths_from = np == 2 ? 0.001 : 0.002;
    if (np == 2) run.call_paths = {path(2, -1, "main", 8, 0), path(2, 0, "a", 6, 6), path(2, 0, "b()", 2, 2)};
    if (np == 8) {
      run.call_paths = {path(8, -1, "main", 4, 0), path(8, 0, "b()", 2, 2), path(8, 0, "a", 1.5, 1.5),
                        path(8, 0, "c", 0.5, 0.5)};
    }
  }
  return profile;
}

TEST(CallTree, HasThePathsOfAllScalesInTheOrderOfTheLargest) {
  const CallTree tree = call_tree_of(two_scales());
  ASSERT_EQ(tree.scales.size(), 2u);
  EXPECT_EQ(tree.total_s, (std::vector<double>{8, 4}));
  EXPECT_EQ(tree.left_out_from, (std::vector<double>{0.001, 0.002}));
  ASSERT_EQ(tree.nodes.size(), 4u);
  EXPECT_EQ(name_of(tree.nodes[1]), "b");
  EXPECT_EQ(tree.nodes[2].path, "main->a");
  EXPECT_EQ(tree.nodes[3].path, "main->c");
  EXPECT_EQ(tree.nodes[3].depth, 1);
  EXPECT_EQ(tree.nodes[3].times[0].inclusive_s, 0);
  EXPECT_EQ(tree.nodes[2].times[0].inclusive_s, 6);
}

TEST(CallTree, GrowthIsAPowerOfTheProcesses) {
  const CallTree tree = call_tree_of(two_scales());
  EXPECT_EQ(growth_base(tree), 0u);
  EXPECT_DOUBLE_EQ(growth_exponent(tree, tree.nodes[1]).value(), 0);   // b
  EXPECT_DOUBLE_EQ(growth_exponent(tree, tree.nodes[2]).value(), -1);  // a: a quarter on four times as many
  EXPECT_FALSE(growth_exponent(tree, tree.nodes[3]).has_value());      // c was not seen with 2 ranks
}

TEST(CallTree, RepeatsAreAveraged) {
  core::Profile profile = two_scales();
  core::Run again = profile.runs[1];
  again.repeat = 1;
  again.call_paths = {path(8, -1, "main", 2, 0), path(8, 0, "b()", 2, 2)};
  profile.runs.push_back(again);
  const CallTree tree = call_tree_of(profile);
  EXPECT_EQ(tree.total_s[1], 3);
  EXPECT_EQ(tree.nodes[1].times[1].inclusive_s, 2);
  EXPECT_EQ(tree.nodes[1].times[1].samples, 20);
  EXPECT_EQ(tree.nodes[2].times[1].inclusive_s, 0.75);
}

TEST(CallTree, IsEmptyWithoutStacks) {
  core::Profile profile = two_scales();
  for (core::Run& run : profile.runs) run.call_paths.clear();
  EXPECT_TRUE(call_tree_of(profile).nodes.empty());
}

}  // namespace
}  // namespace scalediag::report
