// Hierarchical clustering of computation vectors (Zhai et al., IEEE TC 65(7), 2016, section 5.4.1 and equation 1).
//
// The distance of two vectors is the sum of the differences of their elements (Manhattan), and infinite where they are
// not of one length. That of two clusters is the distance of their farthest vectors (complete linkage). Every vector
// begins as a cluster, and the two closest ones are merged until they are farther apart than the cut.
#pragma once

#include <cstddef>
#include <vector>

#include "loggp/representatives/computation_vector.h"

namespace scalediag::loggp {

double distance_s(const ComputationVector& a, const ComputationVector& b);

struct ComputationCluster {
  std::vector<size_t> members;  // numbers of vectors, rising
  size_t representative = 0;    // the one that is closest to the mean of all; the lowest of several
  double apart_s = 0;           // the distance of the farthest two
};

// Clusters in the order of their lowest members; those that are infinitely far apart are never merged. Of pairs that
// are equally close the one with the lowest numbers is merged first.
std::vector<ComputationCluster> clusters_of(const std::vector<const ComputationVector*>& vectors, double cut_s);

}  // namespace scalediag::loggp
