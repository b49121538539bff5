// Clusters of vectors whose distances are small enough to be added up by hand.
#include "loggp/representatives/computation_clusters.h"

#include <gtest/gtest.h>

#include <limits>

namespace scalediag::loggp {
namespace {

constexpr double kBeyondAll = std::numeric_limits<double>::infinity();

// The members of clusters that are merged up to the cut.
std::vector<std::vector<size_t>> clusters(const std::vector<ComputationVector>& vectors, double cut_s) {
  Distances apart(vectors.size());
  for (size_t i = 0; i < vectors.size(); ++i) {
    for (size_t j = 0; j < i; ++j) apart[i].push_back(distance_s(vectors[i], vectors[j]));
  }
  std::vector<std::vector<size_t>> members;
  for (size_t i = 0; i < vectors.size(); ++i) members.push_back({i});
  for (const Merge& merge : merges_of(std::move(apart))) {
    if (merge.apart > cut_s) continue;
    auto &into = members[merge.into], &gone = members[merge.gone];
    into.insert(into.end(), gone.begin(), gone.end());
    gone.clear();
  }
  std::erase_if(members, [](const auto& of_cluster) { return of_cluster.empty(); });
  return members;
}

TEST(ComputationDistance, IsTheSumOfDifferences) {
  EXPECT_EQ(distance_s({1, 2, 4}, {3, 1.5, 4}), 2.5);
  EXPECT_EQ(distance_s({1, 2}, {1, 2, 0}), kBeyondAll);
}

// a and b are 1 apart, c and d 1.5, a and d, the farthest of these, 4 + 4.5; e has another length.
TEST(ComputationClusters, AreMergedUntilTheirFarthestAreBeyondTheCut) {
  const std::vector<ComputationVector> vectors = {{1, 2}, {1, 3}, {5, 5}, {5, 6.5}, {9}};
  using Clusters = std::vector<std::vector<size_t>>;
  EXPECT_EQ(clusters(vectors, 0.9), (Clusters{{0}, {1}, {2}, {3}, {4}}));
  EXPECT_EQ(clusters(vectors, 1), (Clusters{{0, 1}, {2}, {3}, {4}}));
  EXPECT_EQ(clusters(vectors, 8.4), (Clusters{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(clusters(vectors, 8.5), (Clusters{{0, 1, 2, 3}, {4}}));
  EXPECT_EQ(clusters(vectors, kBeyondAll), (Clusters{{0, 1, 2, 3}, {4}}));
}

// Single linkage would merge all of 0, 1, 2, 3 at 1; complete linkage merges 0 with 1 and 2 with 3.
TEST(ComputationClusters, ChainsAreNotMerged) {
  EXPECT_EQ(clusters({{0}, {1}, {2}, {3}}, 2), (std::vector<std::vector<size_t>>{{0, 1}, {2, 3}}));
}

// The mean of 0, 10 and 11 is 7, to which 10 is closest; of 4 and 6 it is 5, and both are 1 away.
TEST(ComputationClusters, RepresentativeIsClosestToTheMean) {
  const ComputationVector a = {0}, b = {10}, c = {11}, d = {4}, e = {6};
  EXPECT_EQ(closest_to_centre({&a, &b, &c}, {0, 1, 2}), 1u);
  EXPECT_EQ(closest_to_centre({&e, &d}, {0, 1}), 0u);
}

}  // namespace
}  // namespace scalediag::loggp
