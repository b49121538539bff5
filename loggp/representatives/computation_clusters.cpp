#include "loggp/representatives/computation_clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace scalediag::loggp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Vectors = std::vector<const ComputationVector*>;

// The vector that is closest to the mean of all members.
size_t closest_to_centre(const Vectors& vectors, const std::vector<size_t>& members) {
  std::vector<double> centre(vectors[members.front()]->size(), 0);
  for (const size_t member : members) {
    for (size_t i = 0; i < centre.size(); ++i) centre[i] += static_cast<double>((*vectors[member])[i]);
  }
  for (double& seconds : centre) seconds /= static_cast<double>(members.size());
  size_t closest = members.front();
  double least = kInfinity;
  for (const size_t member : members) {
    double distance = 0;
    for (size_t i = 0; i < centre.size(); ++i) {
      distance += std::abs(static_cast<double>((*vectors[member])[i]) - centre[i]);
    }
    if (distance < least) closest = member;
    least = std::min(least, distance);
  }
  return closest;
}

}  // namespace

double distance_s(const ComputationVector& a, const ComputationVector& b) {
  if (a.size() != b.size()) return kInfinity;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
  return sum;
}

std::vector<ComputationCluster> clusters_of(const Vectors& vectors, double cut_s) {
  const size_t n = vectors.size();
  std::vector<ComputationCluster> clusters(n);
  // apart[i][j] of the clusters i > j.
  std::vector<std::vector<double>> apart(n);
  for (size_t i = 0; i < n; ++i) {
    clusters[i].members = {i};
    for (size_t j = 0; j < i; ++j) apart[i].push_back(distance_s(*vectors[i], *vectors[j]));
  }
  for (;;) {
    std::pair<size_t, size_t> closest;
    double least = kInfinity;
    for (size_t j = 0; j < clusters.size(); ++j) {
      for (size_t i = j + 1; i < clusters.size(); ++i) {
        if (apart[i][j] >= least) continue;
        least = apart[i][j];
        closest = {j, i};
      }
    }
    if (least == kInfinity || least > cut_s) break;
    const auto [into, gone] = closest;
    ComputationCluster& merged = clusters[into];
    merged.apart_s = least;  // never less than that of the parts
    merged.members.insert(merged.members.end(), clusters[gone].members.begin(), clusters[gone].members.end());
    std::sort(merged.members.begin(), merged.members.end());
    const auto between = [&apart](size_t a, size_t b) -> double& { return apart[std::max(a, b)][std::min(a, b)]; };
    for (size_t other = 0; other < clusters.size(); ++other) {
      if (other == into || other == gone) continue;
      between(into, other) = std::max(between(into, other), between(gone, other));
    }
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(gone));
    apart.erase(apart.begin() + static_cast<std::ptrdiff_t>(gone));
    for (size_t i = gone; i < apart.size(); ++i) apart[i].erase(apart[i].begin() + static_cast<std::ptrdiff_t>(gone));
  }
  for (ComputationCluster& cluster : clusters) cluster.representative = closest_to_centre(vectors, cluster.members);
  return clusters;
}

}  // namespace scalediag::loggp
