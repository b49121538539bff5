// The computation before each event, of any rank at any number of ranks.
//
//   t(P, rank) = (c + b / P) f(place of the rank in the program's process grid)
//
// c is what every rank repeats, b what is divided among them; what grows is a P^b (divided_hypothesis()).
//
// Rank 0 has such an equation of its own where at every measured scale beyond one rank it computes at least twice as long as
// all others, or at most half as long: work that it does for all, or work that it hands out.
//
// A rank's place is its position along each side of the grid: first, inside or last (corners, edges, the inside). f is
// 1 unless the measured ranks of a place differ from the others by more than what ranks of one place differ by.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "core/equations/process_grid.h"
#include "loggp/phases/equations/value_hypothesis.h"

namespace scalediag::loggp {

enum class GridPosition : unsigned char { kOnly, kFirst, kInside, kLast };
using GridPlace = std::array<GridPosition, 3>;  // along each side; kOnly beyond the dimensions

GridPlace place_of(core::GridKind grid, int ranks, int rank);

class ComputationHypothesis {
 public:
  // `samples`: the time of ranks at measured scales, any unit.
  static ComputationHypothesis of(const std::vector<ValueSample>& samples, core::GridKind grid);

  double at(int ranks, int rank) const;
  bool depends_on_place() const { return !factors_.empty(); }
  bool has_own_first_rank() const { return first_rank_.has_value(); }
  bool depends_on_rank() const { return depends_on_place() || first_rank_; }

 private:
  core::GridKind grid_ = core::GridKind::kLine;
  ValueHypothesis of_all_ = ValueHypothesis::constant(0);  // without f, of all or of all others
  std::optional<ValueHypothesis> first_rank_;              // of rank 0, where it differs
  std::map<GridPlace, double> factors_;                    // f where it is not 1
};

}  // namespace scalediag::loggp
