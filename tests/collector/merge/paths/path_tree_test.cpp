#include "collector/merge/paths/path_tree.h"

#include <gtest/gtest.h>

#include <string>

#include "core/profile/call_paths.h"

namespace scalediag::merge {
namespace {

constexpr auto kOfFunction = core::CallPathKind::kFunction;

// A tree of functions with names of one letter.
class Letters {
 public:
  int path(const std::string& letters) {
    int node = PathTree::kTop;
    for (const char c : letters) node = tree.child(node, kOfFunction, {std::string(1, c), "app", "", 0});
    return node;
  }
  void add(int rank, const std::vector<std::pair<std::string, double>>& exclusive) {
    std::vector<double> s;
    std::vector<uint64_t> samples;
    for (const auto& [letters, time_s] : exclusive) {
      const auto node = static_cast<size_t>(path(letters));
      s.resize(tree.size(), 0);
      samples.resize(tree.size(), 0);
      s[node] += time_s;
      samples[node] += 1;
    }
    tree.add(rank, s, samples);
  }
  std::vector<core::CallPath> finish(int n_ranks) {
    core::Run run;
    tree.finish(n_ranks, run);
    EXPECT_FALSE(core::find_wrong_path(run.call_paths).has_value());
    return run.call_paths;
  }
  PathTree tree;
};

TEST(PathTree, InclusiveTimeIsThatOfAllThatWasCalled) {
  Letters letters;
  // Rank 0: b and c are called by a; rank 1 is in b alone.
  letters.add(0, {{"a", 1}, {"ab", 2}, {"abd", 3}, {"ac", 4}});
  letters.add(1, {{"ab", 2}});
  const auto paths = letters.finish(2);
  ASSERT_EQ(paths.size(), 4u);
  EXPECT_EQ(paths[0].function, "a");
  EXPECT_DOUBLE_EQ(paths[0].inclusive_s.sum, 12);  // 1 + 2 + 3 + 4 and 2
  EXPECT_DOUBLE_EQ(paths[0].exclusive_s.sum, 1);
  EXPECT_EQ(paths[0].samples, 5u);
  EXPECT_DOUBLE_EQ(paths[0].inclusive_s.max, 10);
  EXPECT_EQ(paths[1].function, "b");  // 2 + 3 + 2 s, before c with 4 s
  EXPECT_DOUBLE_EQ(paths[1].inclusive_s.sum, 7);
  EXPECT_DOUBLE_EQ(paths[1].inclusive_s.min, 2);
  EXPECT_EQ(paths[2].function, "d");
  EXPECT_EQ(paths[2].parent, 1);
  EXPECT_EQ(paths[3].function, "c");
  EXPECT_EQ(paths[3].parent, 0);
}

TEST(PathTree, RecursionIsFolded) {
  Letters letters;
  EXPECT_EQ(letters.path("abbbb"), letters.path("ab"));
  EXPECT_EQ(letters.path("abcbcbc"), letters.path("abc"));
  EXPECT_EQ(letters.path("abcbcbcd"), letters.path("abcd"));
  // No repetition: b was called from two places.
  EXPECT_NE(letters.path("abcbd"), letters.path("abd"));
  // A cycle of eight functions is folded, one of nine is not.
  EXPECT_EQ(letters.path("abcdefghabcdefgh"), letters.path("abcdefgh"));
  EXPECT_NE(letters.path("abcdefghiabcdefghi"), letters.path("abcdefghi"));
}

TEST(PathTree, SmallPathsArePutTogether) {
  Letters letters;
  // 0.05 % of 1000 s is 0.5 s: c and d are below, also as their sum is not.
  letters.add(0, {{"ab", 999.2}, {"ac", 0.4}, {"ad", 0.4}});
  const auto paths = letters.finish(1);
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_EQ(paths[2].function, "[other]");
  EXPECT_EQ(paths[2].kind, core::CallPathKind::kOther);
  EXPECT_DOUBLE_EQ(paths[2].inclusive_s.sum, 0.8);
  EXPECT_EQ(paths[2].samples, 2u);
}

TEST(PathTree, ThePathsOfARunAreLimited) {
  Letters letters;
  std::vector<double> s;
  for (int i = 0; i < 5000; ++i) {
    letters.tree.child(PathTree::kTop, kOfFunction, {"f" + std::to_string(i), "app", "", 0});
    s.push_back(1 + i % 2);
  }
  letters.tree.add(0, s, std::vector<uint64_t>(s.size(), 1));
  const auto paths = letters.finish(1);
  EXPECT_LE(paths.size(), 1001u);
  double sum = 0;
  for (const core::CallPath& p : paths) sum += p.inclusive_s.sum;
  EXPECT_DOUBLE_EQ(sum, 7500);
}

}  // namespace
}  // namespace scalediag::merge
