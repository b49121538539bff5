// The arrangement of the ranks of a program in a grid, as MPI_Dims_create does it, and the number theory beside it.
#pragma once

#include <array>
#include <set>

namespace scalediag::core {

// The sides of the most compact grid of `processes` in `dimensions` (1 to 3), falling; unused dimensions are 1. In two
// dimensions the sides differ least; in three their sum is smallest, and of equal sums the shortest side is longest.
// Precondition: processes >= 1.
std::array<int, 3> process_grid(int processes, int dimensions);

// Falling sides have the longest one along the fastest coordinate (neighbours are ranks that follow one another),
// rising ones the shortest. In a bisected one 2^k ranks are halved along the third side, each half along the second,
// then the first, then the third again, and so on (recursive coordinate bisection): the lower ranks are the lower half.
enum class GridKind { kLine, kPlaneFalling, kPlaneRising, kSpaceFalling, kSpaceRising, kSpaceBisected };
constexpr int kGridKinds = 6;
constexpr int kRowGridKinds = 5;  // those whose ranks follow one another in rows, the first ones

struct ProcessGrid {
  int dimensions = 1;
  std::array<int, 3> sides = {1, 1, 1};  // the fastest coordinate first; 1 beyond the dimensions
  bool is_bisected = false;              // sides are powers of two

  std::array<int, 3> coordinates(int rank) const {
    if (is_bisected) return halves_of(rank);
    return {rank % sides[0], rank / sides[0] % sides[1], rank / sides[0] / sides[1]};
  }
  int rank(const std::array<int, 3>& at) const {
    if (is_bisected) return rank_of_halves(at);
    return at[0] + sides[0] * (at[1] + sides[1] * at[2]);
  }

 private:
  std::array<int, 3> halves_of(int rank) const;
  int rank_of_halves(const std::array<int, 3>& at) const;
};

// The coordinate modulo the side: of those that are few sides away, faster than a division.
inline int around(int coordinate, int side) {
  while (coordinate < 0) coordinate += side;
  while (coordinate >= side) coordinate -= side;
  return coordinate;
}

// The same grid with its sides in the order of the kind; where ranks are no power of two, the bisected one is the
// rising one. Precondition: as above.
ProcessGrid process_grid(GridKind kind, int ranks);

// While it exists, process_grid(kind, ranks) of as many dimensions has these sides: the equations of a program then say
// what it does in a grid that MPI_Dims_create does not choose. One at a time, and no other thread asks for grids that
// its owner did not start. Precondition: the sides' product is `ranks`.
class OtherGrid {
 public:
  OtherGrid(int ranks, const ProcessGrid& grid);
  OtherGrid(const OtherGrid&) = delete;
  OtherGrid& operator=(const OtherGrid&) = delete;
  ~OtherGrid();
};

const char* name_of(GridKind kind);  // "plane"

bool is_square(int processes);
bool is_cube(int processes);

std::set<int> prime_factors(int number);

}  // namespace scalediag::core
