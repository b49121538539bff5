// How ranks of a program differ from the mean of all ranks, by their place in its process grid.
//
//   y(P, rank) - mean(P) = sum over j of b_j (f_j(P, rank) - mean over ranks of f_j(P, rank))
//
// Terms f_j are what ranks have different amounts of: ends of a side (no neighbour there: the first, the last, or
// both), each by itself or times the length of the block along other sides, 1 over the ranks there; and in a plane the
// part of the whole domain's diagonal that lies in the rank's block. Of them those are taken, one after another, that
// explain at least half of the squares that are left; more where there are few values, which some term always happens
// to resemble.
#pragma once

#include <vector>

#include "core/equations/process_grid.h"
#include "loggp/phases/equations/value_hypothesis.h"

namespace scalediag::loggp {

class RankDeviation {
 public:
  struct Term {
    enum class Kind { kFirst, kLast, kEnds, kDiagonal };
    Kind kind = Kind::kEnds;
    unsigned sides = 0;  // bits: of the ends, in sum
    unsigned over = 0;   // bits: 1 over the numbers of ranks along these, but for the side of the end

    double at(const core::ProcessGrid& grid, int rank) const;
  };

  // `samples`: of ranks at several numbers of ranks; not all ranks of a number need to be there.
  static RankDeviation of(const std::vector<ValueSample>& samples, core::GridKind grid);

  // By rank; 0 in the mean.
  std::vector<double> at(int ranks) const;

 private:
  core::GridKind grid_ = core::GridKind::kLine;
  std::vector<Term> terms_;
  std::vector<double> coefficients_;  // of terms_
};

}  // namespace scalediag::loggp
