#include "loggp/phases/equations/communicator_relation.h"

namespace scalediag::loggp {
namespace {

struct CommunicatorRelation {
  enum class Kind { kAll, kAlone, kAlong } kind;
  core::GridKind grid = core::GridKind::kLine;
  int sides = 0;  // bits of those along which the members differ
};

const std::vector<CommunicatorRelation>& all_relations() {
  using Kind = CommunicatorRelation::Kind;
  static const std::vector<CommunicatorRelation> all = [] {
    std::vector<CommunicatorRelation> made = {{Kind::kAll}, {Kind::kAlone}};
    for (int g = 1; g < core::kRowGridKinds; ++g) {
      const auto grid = static_cast<core::GridKind>(g);
      const int whole = (1 << process_grid(grid, 1).dimensions) - 1;
      for (int sides = 1; sides < whole; ++sides) made.push_back({Kind::kAlong, grid, sides});
    }
    return made;
  }();
  return all;
}

}  // namespace

size_t communicator_relations() { return all_relations().size(); }

std::vector<int> members_by(size_t relation, int ranks, int rank) {
  const CommunicatorRelation& r = all_relations()[relation];
  if (r.kind == CommunicatorRelation::Kind::kAll) return {};
  if (r.kind == CommunicatorRelation::Kind::kAlone) return {rank};
  const core::ProcessGrid grid = process_grid(r.grid, ranks);
  std::array<int, 3> at = grid.coordinates(rank), from = at, to = at;
  for (size_t i = 0; i < 3; ++i) {
    if ((r.sides >> i & 1) == 0) continue;
    from[i] = 0;
    to[i] = grid.sides[i] - 1;
  }
  std::vector<int> members;
  for (at[2] = from[2]; at[2] <= to[2]; ++at[2]) {
    for (at[1] = from[1]; at[1] <= to[1]; ++at[1]) {
      for (at[0] = from[0]; at[0] <= to[0]; ++at[0]) members.push_back(grid.rank(at));
    }
  }
  return members;
}

CommunicatorSet communicator_relations_of(int ranks, int rank, const std::vector<int>& members, uint64_t ordinal) {
  const auto is_world = [ranks](const std::vector<int>& m) {
    if (m.empty()) return true;
    for (size_t i = 0; i < m.size(); ++i) {
      if (m[i] != static_cast<int>(i)) return false;
    }
    return m.size() == static_cast<size_t>(ranks);
  };
  CommunicatorSet set;
  if (members.empty() && ordinal == 0) return set.set(0);
  for (size_t i = 0; i < communicator_relations(); ++i) {
    const std::vector<int> expected = members_by(i, ranks, rank);
    set[i] = expected == members || (is_world(expected) && is_world(members));
  }
  return set;
}

core::GridKind grid_of_communicator(size_t relation) { return all_relations()[relation].grid; }

std::string text_of_communicator(size_t relation) {
  const CommunicatorRelation& r = all_relations()[relation];
  if (r.kind == CommunicatorRelation::Kind::kAll) return "all ranks";
  if (r.kind == CommunicatorRelation::Kind::kAlone) return "itself";
  std::string sides;
  for (int i = 0; i < 3; ++i) {
    if ((r.sides >> i & 1) != 0) sides += (sides.empty() ? "" : " and ") + std::to_string(i + 1);
  }
  return "side " + sides + " of a " + name_of(r.grid);
}

}  // namespace scalediag::loggp
