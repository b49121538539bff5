// Hierarchical clustering of computation vectors (Zhai et al., IEEE TC 65(7), 2016, section 5.4.1 and equation 1).
//
// The distance of two vectors is the sum of the differences of their elements (Manhattan), and infinite where they are
// not of one length. That of two clusters is the distance of their farthest vectors (complete linkage). Every vector
// begins as a cluster, and the two closest ones are merged, until they are farther apart than a cut.
#pragma once

#include <cstddef>
#include <vector>

#include "loggp/representatives/computation_vector.h"

namespace scalediag::loggp {

double distance_s(const ComputationVector& a, const ComputationVector& b, double factor = 1);

// Two clusters that became one, by the lowest number of their members.
struct Merge {
  size_t into = 0, gone = 0;  // rising
  double apart = 0;           // of the farthest two
};

// apart[i][j]: the distance of i and j, for j below i.
using Distances = std::vector<std::vector<double>>;

// All merges in their order, by rising distances; clusters that are infinitely far apart are never merged. Of pairs
// that are equally close the one with the lowest numbers is merged first.
std::vector<Merge> merges_of(Distances apart);

// The number of the vector, among `members`, that is closest to the mean of all of them; the lowest of several.
size_t closest_to_centre(const std::vector<const ComputationVector*>& vectors, const std::vector<size_t>& members);

}  // namespace scalediag::loggp
