// The partners of ranks in scaled traces.
#pragma once

#include <cstddef>
#include <vector>

#include "loggp/phases/equations/relation.h"

namespace scalediag::loggp {

// A relation is a number of vocabulary(), or to_rank(): rank 0 talks to each other rank, and there is one of these for
// each.
class ScaledPartners {
 public:
  explicit ScaledPartners(int ranks);

  static int to_rank(int other) { return static_cast<int>(vocabulary().size()) + other; }
  // kNobody where the rank has none.
  int of(int relation, int rank) const;
  // The same of a rank that has one, as those of a class have where its trace does. Precondition: list(relation).
  int existing(int relation, int rank) const {
    const auto of_relation = static_cast<size_t>(relation);
    if (of_relation >= distances_.size()) return of(relation, rank);
    const int distance = distances_[of_relation];
    return distance != 0 ? rank + distance : peers_[of_relation][static_cast<size_t>(rank)];
  }
  // Makes existing() possible. `relation` may be kNobody.
  void list(int relation);

 private:
  int ranks_;
  // By relation: from any rank to its partner; 0: it is not the same for all that have one.
  std::vector<int> distances_;
  std::vector<std::vector<int>> peers_;  // by relation that is listed and whose distance is not the same; by rank
};

}  // namespace scalediag::loggp
