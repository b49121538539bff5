// Process grids that programs arrange their ranks in, as functions of the number of ranks P.
#pragma once

#include <array>
#include <string>

namespace scalediag::loggp {

// The most compact grids of P ranks (core/process_grid.h): falling sides have the longest one along the fastest
// coordinate (neighbours are ranks that follow one another), rising ones the shortest.
enum class GridKind { kLine, kPlaneFalling, kPlaneRising, kSpaceFalling, kSpaceRising };
constexpr int kGridKinds = 5;

struct ProcessGrid {
  int dimensions = 1;
  std::array<int, 3> sides = {1, 1, 1};  // the fastest coordinate first; 1 beyond the dimensions

  std::array<int, 3> coordinates(int rank) const {
    return {rank % sides[0], rank / sides[0] % sides[1], rank / sides[0] / sides[1]};
  }
  int rank(const std::array<int, 3>& at) const { return at[0] + sides[0] * (at[1] + sides[1] * at[2]); }
};

// The coordinate modulo the side: of those that are few sides away, faster than a division.
inline int around(int coordinate, int side) {
  while (coordinate < 0) coordinate += side;
  while (coordinate >= side) coordinate -= side;
  return coordinate;
}

// Precondition: ranks >= 1.
ProcessGrid process_grid(GridKind kind, int ranks);

const char* name_of(GridKind kind);  // "plane"

}  // namespace scalediag::loggp
