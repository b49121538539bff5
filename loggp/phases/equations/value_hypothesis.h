// Exact equations of whole numbers (bytes, repetitions, roots) over the number of ranks P and a rank's place in a
// process grid.
//
// A hypothesis is a sum of at most three terms, a face of a rank's block, or faces of its cells:
//
//   terms   those of ranks in core/equations/terms.h; 1/d of a side of d ranks also as the block of n elements that a
//           rank has along it (n/d rounded up for the first n mod d ranks, down for the others)
//   face    k (b_i + h_i) (b_j + h_j): blocks of n elements along two sides, with h layers of neighbours; b is n/d as
//           above, or rounded down for all ranks, as buffers are that have to hold any block
//   cells   multipartition: a box of n^3 elements is divided into s^3 cells for a square plane of s x s ranks. Rank
//           (x, y) has the s cells (x + t c, y + u c, c) modulo s, where t and u are 1 or -1 and c = 0 .. s - 1, so
//           that it has one cell in each layer of the box across any axis. A message carries k times the elements of
//           the faces across an axis of all its cells but that of the first or the last layer, or of the one cell
//           whose turn it is in a round of a loop over layers
//
// fit/counts has hypotheses of sums over ranks; these are of single ranks.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "core/equations/process_grid.h"
#include "core/equations/terms.h"

namespace scalediag::loggp {

struct ValueSample {
  int ranks = 1, rank = 0;
  double value = 0;
  int round = 0;  // of the innermost loop
  auto operator<=>(const ValueSample&) const = default;
};

class ValueHypothesis {
 public:
  struct Term {
    size_t feature = 0;  // of core::rank_terms()
    double coefficient = 0;
    int elements = 0;  // kPerSide, and 1/P: n of the block; 0: 1/d, 1/P
    // Of blocks of 1/P: n/P rounded down for all ranks; else the block of the rank that is so far behind.
    bool is_rounded_down = false;
    int of_rank = 0;
    bool operator==(const Term&) const = default;
  };
  struct Face {
    core::GridKind grid = core::GridKind::kSpaceFalling;
    std::array<int, 2> side = {0, 1};
    std::array<int, 2> layers = {0, 0};
    int elements = 1;
    double coefficient = 0;
    bool is_rounded_down = false;
    bool operator==(const Face&) const = default;
    double at(const core::ProcessGrid& of_ranks, const std::array<int, 3>& place) const;
  };
  struct Cells {
    enum class Which { kAllButFirst, kAllButLast, kOfRound };
    Which which = Which::kAllButFirst;
    int axis = 0;                       // that the faces are across, and that layers are counted along
    std::array<int, 2> turn = {1, -1};  // t, u
    int first = 0, step = 1;            // kOfRound: the layer first + step round, modulo s
    bool is_without_border = false;     // the outermost elements of the box are left out
    int elements = 1;
    double coefficient = 0;
    bool operator==(const Cells&) const = default;
    // Whether messages to or from the rank that is this step away in the plane can carry them: those of the next layer,
    // (1, 0), (0, 1) or (-t, -u) away, pass the faces of all cells but the last.
    bool can_go(const std::array<int, 3>& partner) const;
  };

  // The part of a rank's block beside a neighbour in a grid: k times the elements along each side that the step to the
  // neighbour does not go along. Blocks are those of n elements along each side; the first or the last rank along a
  // side has one more where elements are cells and points are sent.
  struct Part {
    core::GridKind grid = core::GridKind::kSpaceFalling;
    std::array<bool, 3> is_along = {};
    int elements = 1;
    bool more_of_first = false, more_of_last = false;
    double coefficient = 0;
    bool operator==(const Part&) const = default;
  };

  static ValueHypothesis constant(double value);

  double at(int ranks, int rank, int round = 0) const;
  bool meets(const std::vector<ValueSample>& samples) const;
  std::string formula() const;
  bool depends_on_round() const { return cells && cells->which == Cells::Which::kOfRound; }
  // Numbers that were found to meet the samples; layers of a face that were none are not counted.
  size_t free_coefficients() const;
  bool is_constant() const { return !face && !cells && !part && terms.size() == 1 && terms.front().feature == 0; }
  // The same with the sides of its grid in another order. Precondition: `order` is a permutation of the sides.
  ValueHypothesis with_sides(const std::array<int, 3>& order) const;
  bool operator==(const ValueHypothesis&) const = default;

  // A hypothesis that meets all samples; else its terms are a line through the means of all ranks, or it is a power of
  // P through them where it has no terms.
  bool exact = true;
  std::vector<Term> terms;
  std::optional<Face> face;    // in place of terms
  std::optional<Cells> cells;  // in place of terms
  std::optional<Part> part;    // in place of terms
  double factor = 0;           // where it is not exact and has no terms, of `growth`
  core::Growth growth = {};
};

// factor P^power through the means over ranks at each scale, or their mean where there is one scale, or where means
// are not above 0.
ValueHypothesis power_hypothesis(const std::vector<ValueSample>& samples);
// The same with a power of at most `most`; where it is cut, through the mean at the largest scale.
ValueHypothesis power_hypothesis(const std::vector<ValueSample>& samples, double most);

// Computation: c + b / P through the means over ranks at each scale, work that every rank repeats and work that is
// divided among them. Both are at least 0, and the relative errors are the least. Where c would be below 0 (a working
// set that comes to fit into caches), b / P through the mean at the largest scale; where b would be, the power from
// above, of at most `most`. Beyond the measured scales a power falls ever further below such a sum.
ValueHypothesis divided_hypothesis(const std::vector<ValueSample>& samples, double most);

// For quantities that no equation meets: the line a + b f through the means over ranks, f a power or the logarithm of
// P, that misses none of them by more than 0.1 % and comes closest. P3S calls the choice of f a change of domain
// (Panadero et al. 2018, section 3.3.1). As power_hypothesis() where there is none, or fewer than three scales.
ValueHypothesis regression_hypothesis(const std::vector<ValueSample>& samples);

// The place among core::rank_terms() of the term with this role along this side.
size_t term_of(core::Role role, core::GridKind grid, int side);

// The elements of the part `at` of `elements` that are divided into `parts`, of which the first have one more.
int block_of(int elements, int parts, int at);

bool same_value(double value, double expected);

}  // namespace scalediag::loggp
