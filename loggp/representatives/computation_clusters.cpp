#include "loggp/representatives/computation_clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalediag::loggp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double distance_s(const ComputationVector& a, const ComputationVector& b, double factor) {
  if (a.size() != b.size()) return kInfinity;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(static_cast<double>(a[i]) - factor * static_cast<double>(b[i]));
  return sum;
}

size_t closest_to_centre(const std::vector<const ComputationVector*>& vectors, const std::vector<size_t>& members) {
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

std::vector<Merge> merges_of(Distances apart) {
  const size_t n = apart.size();
  std::vector<bool> is_gone(n, false);
  std::vector<Merge> merges;
  const auto between = [&apart](size_t a, size_t b) -> double& { return apart[std::max(a, b)][std::min(a, b)]; };
  for (;;) {
    Merge closest{0, 0, kInfinity};
    for (size_t j = 0; j < n; ++j) {
      for (size_t i = j + 1; i < n && !is_gone[j]; ++i) {
        if (!is_gone[i] && apart[i][j] < closest.apart) closest = {j, i, apart[i][j]};
      }
    }
    if (closest.apart == kInfinity) return merges;
    merges.push_back(closest);
    is_gone[closest.gone] = true;
    for (size_t other = 0; other < n; ++other) {
      if (other == closest.into || is_gone[other]) continue;
      between(closest.into, other) = std::max(between(closest.into, other), between(closest.gone, other));
    }
  }
}

}  // namespace scalediag::loggp
