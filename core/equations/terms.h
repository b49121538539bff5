// The terms of all equations over the number of ranks P, a row each (core/equations/README.md).
//
// A row is what one rank has: a growth with P alone, a quantity of the sides of a process grid, or one of the rank's
// place along a side. Its sum over all ranks is a term of counts, its mean one of instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/equations/process_grid.h"

namespace scalediag::core {

// P^power log2(P)^log_power
struct Growth {
  double power = 0;
  int log_power = 0;
  double at(double p) const;
  constexpr bool operator==(const Growth&) const = default;
};

// The part of a term in a search, beyond its value.
enum class Role : uint8_t {
  kConstant,
  kGrowth,
  kShareOfRanks,  // 1/P, which can be a block of n elements that P ranks divide
  kShareOfSide,   // 1 over a side, which can be a block of n elements that the ranks along it divide
  kShareOfSides,  // 1 over the product of all other sides
  kSide,
  kFirst,  // 1 of a rank that is first along a side; only a rank between two others tells it from the last
  kLast,
};
constexpr bool is_of_side(Role role) { return role >= Role::kShareOfSide; }

// The group of a sum: a program that has one term of a group is likely to have others of it.
enum class Shape : uint8_t { kAny, kAll, kTree, kRows, kOpenPlane, kPeriodicPlane, kOpenSpace, kPeriodicSpace };

// The users of a term; a bit each.
enum Use : unsigned { kOfSums = 1, kOfRanks = 2, kOfMeans = 4 };

using Sides = std::array<int, 3>;

struct Term {
  unsigned uses = 0;
  const char* name = "";  // as it follows a coefficient; a side is named behind it
  double complexity = 0;  // the sum over an equation's terms decides between those that meet the same values
  Role role = Role::kGrowth;
  Growth growth = {};                                // where there is neither of the next two
  double (*sum)(const Sides&) = nullptr;             // over all ranks of a grid of `dimensions`
  double (*of_side)(int side, int ranks) = nullptr;  // 1 of `side` ranks along a side, P in all
  const char* name_of_sum = "";
  Shape shape = Shape::kAny;
  double order = 1;          // the sum grows as P^order; what a rank sends alike at any size counts as 1
  int dimensions = 1;        // of `sum`
  bool stands_alone = true;  // in sums of one or two terms; corners are passed on only along with other cells

  // The sum over this many ranks, rounded to a whole number of at least 1. Precondition: the row is of sums.
  double total(double ranks) const;
};

// The rows for one use.
std::vector<const Term*> terms_for(Use use);

// A row of ranks or means; along a side of a grid where it is of a side.
struct RankTerm {
  const Term* row = nullptr;
  GridKind grid = GridKind::kLine;
  int side = 0;

  Role role() const { return row->role; }
  // Ranks differ in it.
  bool is_of_place() const { return role() == Role::kFirst || role() == Role::kLast; }
  double at(int ranks, int rank) const;
  // Terms in the sides of another grid than the program's are less likely.
  double complexity(GridKind of_program) const;
  std::string text() const;  // "/P", " [first along side 2 of a plane]"
};

// The rows of ranks: those of P alone, the constant first, then those of the sides of all grids.
const std::vector<RankTerm>& rank_terms();
// The rows of means, along the sides of this grid; the simplest first.
std::vector<RankTerm> mean_terms(GridKind grid);

std::string side_text(GridKind grid, int side);  // "side 2 of a plane"

}  // namespace scalediag::core
