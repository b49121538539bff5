#include "loggp/phases/equations/process_grid.h"

#include <utility>

namespace scalediag::loggp {
namespace {

// The largest divisor of n that is at most its square root.
int shorter_side(int n) {
  int best = 1;
  for (int i = 1; i * i <= n; ++i) {
    if (n % i == 0) best = i;
  }
  return best;
}

// Falling sides of the box with the smallest sum of sides; of equal ones, that with the longest shortest side.
std::array<int, 3> most_compact_box(int n) {
  std::array<int, 3> best = {n, 1, 1};
  for (int c = 1; c * c * c <= n; ++c) {
    if (n % c != 0) continue;
    const int b = shorter_side(n / c);
    const int a = n / c / b;
    if (b >= c && a + b + c <= best[0] + best[1] + best[2]) best = {a, b, c};
  }
  return best;
}

ProcessGrid make_grid(GridKind kind, int ranks) {
  ProcessGrid grid;
  switch (kind) {
    case GridKind::kLine:
      grid.sides[0] = ranks;
      break;
    case GridKind::kPlaneFalling:
    case GridKind::kPlaneRising: {
      const int side = shorter_side(ranks);
      grid.dimensions = 2;
      grid.sides = {ranks / side, side, 1};
      if (kind == GridKind::kPlaneRising) std::swap(grid.sides[0], grid.sides[1]);
      break;
    }
    case GridKind::kSpaceFalling:
    case GridKind::kSpaceRising:
      grid.dimensions = 3;
      grid.sides = most_compact_box(ranks);
      if (kind == GridKind::kSpaceRising) std::swap(grid.sides[0], grid.sides[2]);
      break;
  }
  return grid;
}

}  // namespace

ProcessGrid process_grid(GridKind kind, int ranks) {
  // Equations ask for the grids of few numbers of ranks many times.
  struct Known {
    int ranks = 0;
    ProcessGrid grid;
  };
  constexpr size_t kKept = 64;
  thread_local std::array<std::array<Known, kKept>, kGridKinds> known;
  Known& entry = known[static_cast<size_t>(kind)][static_cast<size_t>(ranks) % kKept];
  if (entry.ranks != ranks) entry = {ranks, make_grid(kind, ranks)};
  return entry.grid;
}

const char* name_of(GridKind kind) {
  switch (kind) {
    case GridKind::kLine:
      return "line";
    case GridKind::kPlaneFalling:
      return "plane";
    case GridKind::kPlaneRising:
      return "plane with the shorter side first";
    case GridKind::kSpaceFalling:
      return "box";
    case GridKind::kSpaceRising:
      return "box with the shortest side first";
  }
  return "";
}

}  // namespace scalediag::loggp
