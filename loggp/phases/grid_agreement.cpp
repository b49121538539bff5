#include "loggp/phases/grid_agreement.h"

#include <optional>
#include <set>
#include <utility>

#include "core/equations/process_grid.h"
#include "core/text/join.h"

namespace scalediag::loggp {
namespace {

// Steps of one side, in either direction.
using Side = std::pair<core::GridKind, size_t>;

std::set<Side> sides_of(const std::vector<Slot>& slots, const std::map<int, SlotEquations>& equations) {
  std::set<Side> sides;
  each_leaf(slots, [&](const Slot& slot) {
    const SlotEquations& e = equations.at(slot.id);
    for (const std::optional<size_t>& taken : {e.peer, e.source}) {
      if (!taken || !slot.talks()) continue;
      const Relation& r = vocabulary()[*taken];
      if (r.kind != RelationKind::kOffset || r.grid == core::GridKind::kLine) continue;
      for (size_t side = 0; side < 3; ++side) {
        if (r.step[side] != 0) sides.insert({r.grid, side});
      }
    }
  });
  return sides;
}

// Whether each side begins where the rows of the one before it end, and all together are the ranks.
bool fill_a_grid(const std::set<Side>& sides, int ranks) {
  std::set<std::pair<int, int>> rows;  // the ranks from one to the next along a side, and how many there are
  for (const auto& [kind, side] : sides) {
    const core::ProcessGrid grid = process_grid(kind, ranks);
    int stride = 1;
    for (size_t s = 0; s < side; ++s) stride *= grid.sides[s];
    if (grid.sides[side] > 1) rows.insert({stride, grid.sides[side]});
  }
  int filled = 1;
  for (const auto& [stride, length] : rows) {
    if (stride != filled) return false;
    filled *= length;
  }
  return filled == ranks;
}

std::string sides_text(core::GridKind kind, int ranks) {
  const core::ProcessGrid grid = process_grid(kind, ranks);
  std::string text = std::to_string(grid.sides[0]);
  for (size_t s = 1; s < static_cast<size_t>(grid.dimensions); ++s) text += " x " + std::to_string(grid.sides[s]);
  return text;
}

}  // namespace

std::string grid_contradiction(const std::vector<Slot>& slots, const std::map<int, SlotEquations>& equations,
                               int largest, int target) {
  const std::set<Side> sides = sides_of(slots, equations);
  if (!fill_a_grid(sides, largest) || fill_a_grid(sides, target)) return "";
  std::set<std::string> grids;
  for (const Side& side : sides) grids.insert(sides_text(side.first, target));
  return "on " + std::to_string(target) + " ranks messages go along sides of different grids (" + core::join(grids) +
         "), which are one grid on " + std::to_string(largest);
}

}  // namespace scalediag::loggp
