#include "loggp/phases/equations/process_grid.h"

#include <utility>

#include "core/process_grid.h"

namespace scalediag::loggp {
namespace {

ProcessGrid make_grid(GridKind kind, int ranks) {
  ProcessGrid grid;
  grid.dimensions = kind == GridKind::kLine ? 1 : kind >= GridKind::kSpaceFalling ? 3 : 2;
  grid.sides = core::process_grid(ranks, grid.dimensions);
  if (kind == GridKind::kPlaneRising) std::swap(grid.sides[0], grid.sides[1]);
  if (kind == GridKind::kSpaceRising) std::swap(grid.sides[0], grid.sides[2]);
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
