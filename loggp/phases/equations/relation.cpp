#include "loggp/phases/equations/relation.h"

#include <algorithm>

namespace scalediag::loggp {
namespace {

constexpr int kMostBits = 16;

std::vector<Relation> make_vocabulary() {
  std::vector<Relation> all;
  for (int step = -3; step <= 3; ++step) {
    for (const Border border : {Border::kOpen, Border::kAround, Border::kAroundItself}) {
      if (step == 0 && border != Border::kOpen) continue;
      Relation r;
      r.border = border;
      r.step = {step, 0, 0};
      all.push_back(r);
    }
  }
  for (int g = 1; g < kGridKinds; ++g) {
    const auto grid = static_cast<GridKind>(g);
    const int depth = process_grid(grid, 1).dimensions == 3 ? 1 : 0;
    for (int z = -depth; z <= depth; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          if (x == 0 && y == 0 && z == 0) continue;
          for (const Border border : {Border::kOpen, Border::kAround, Border::kAroundItself}) {
            Relation r;
            r.grid = grid;
            r.border = border;
            r.step = {x, y, z};
            all.push_back(r);
          }
        }
      }
    }
  }
  for (int g = 0; g < kGridKinds; ++g) {
    const auto grid = static_cast<GridKind>(g);
    const int dimensions = process_grid(grid, 1).dimensions;
    for (int side = 0; side < dimensions; ++side) {
      for (const RelationKind kind : {RelationKind::kExchangeLow, RelationKind::kExchangeHigh}) {
        for (int bit = 0; bit < kMostBits; ++bit) {
          Relation r;
          r.kind = kind;
          r.grid = grid;
          r.side = side;
          r.bit = kind == RelationKind::kExchangeHigh ? bit + 1 : bit;
          all.push_back(r);
        }
      }
    }
  }
  for (const GridKind grid : {GridKind::kPlaneFalling, GridKind::kPlaneRising}) {
    Relation r;
    r.kind = RelationKind::kTransposition;
    r.grid = grid;
    all.push_back(r);
  }
  for (int bit = 2; bit < kMostBits; ++bit) {
    for (const int sign : {1, -1}) {
      Relation r;
      r.kind = RelationKind::kPower;
      r.step[0] = sign;
      r.bit = bit;
      all.push_back(r);
    }
  }
  for (int rank = 0; rank < 3; ++rank) {
    Relation r;
    r.kind = RelationKind::kFixed;
    r.bit = rank;
    all.push_back(r);
  }
  Relation last;
  last.kind = RelationKind::kLast;
  all.push_back(last);
  return all;
}

int offset(const Relation& r, const ProcessGrid& grid, int rank) {
  std::array<int, 3> at = grid.coordinates(rank);
  for (size_t i = 0; i < 3; ++i) {
    at[i] += r.step[i];
    const int side = grid.sides[i];
    if (r.border != Border::kOpen) {
      if (r.border == Border::kAround && r.step[i] != 0 && side == 1) return kNobody;
      at[i] = ((at[i] % side) + side) % side;
    } else if (at[i] < 0 || at[i] >= side) {
      return kNobody;
    }
  }
  return grid.rank(at);
}

int exchange(const Relation& r, const ProcessGrid& grid, int rank) {
  std::array<int, 3> at = grid.coordinates(rank);
  const auto side = static_cast<size_t>(r.side);
  if (grid.sides[side] >> r.bit == 0) return kNobody;
  const int mask = r.kind == RelationKind::kExchangeLow ? 1 << r.bit : grid.sides[side] >> r.bit;
  at[side] ^= mask;
  return mask < grid.sides[side] && at[side] < grid.sides[side] ? grid.rank(at) : kNobody;
}

int transposition(const ProcessGrid& grid, int rank) {
  const int longer = std::max(grid.sides[0], grid.sides[1]), shorter = std::min(grid.sides[0], grid.sides[1]);
  if (longer == shorter) return rank % longer * longer + rank / longer;
  if (longer != 2 * shorter) return kNobody;
  return 2 * (rank / 2 % shorter * shorter + rank / 2 / shorter) + rank % 2;
}

}  // namespace

int partner(const Relation& r, int ranks, int rank) {
  switch (r.kind) {
    case RelationKind::kOffset:
      return offset(r, process_grid(r.grid, ranks), rank);
    case RelationKind::kExchangeLow:
    case RelationKind::kExchangeHigh:
      return exchange(r, process_grid(r.grid, ranks), rank);
    case RelationKind::kPower: {
      const int distance = 1 << r.bit;
      return distance < ranks ? (rank + r.step[0] * distance + ranks) % ranks : kNobody;
    }
    case RelationKind::kTransposition:
      return transposition(process_grid(r.grid, ranks), rank);
    case RelationKind::kFixed:
      return r.bit < ranks ? r.bit : kNobody;
    case RelationKind::kLast:
      return ranks - 1;
  }
  return kNobody;
}

std::string text_of(const Relation& r) {
  const auto sign = [](int step) { return (step > 0 ? "+" : "") + std::to_string(step); };
  const std::string grid = std::string(" of a ") + name_of(r.grid);
  switch (r.kind) {
    case RelationKind::kOffset: {
      const char* border = r.border == Border::kOpen     ? ", open"
                           : r.border == Border::kAround ? ", around"
                                                         : ", around, also to itself";
      if (r.step == std::array<int, 3>{0, 0, 0}) return "itself";
      if (r.grid == GridKind::kLine) return sign(r.step[0]) + border;
      std::string text = "(" + sign(r.step[0]) + ", " + sign(r.step[1]);
      if (process_grid(r.grid, 1).dimensions == 3) text += ", " + sign(r.step[2]);
      return text + ")" + grid + border;
    }
    case RelationKind::kExchangeLow:
      return "XOR " + std::to_string(1 << r.bit) + " along side " + std::to_string(r.side + 1) + grid;
    case RelationKind::kExchangeHigh:
      return "XOR side/" + std::to_string(1 << r.bit) + " along side " + std::to_string(r.side + 1) + grid;
    case RelationKind::kPower:
      return sign(r.step[0] << r.bit) + ", around";
    case RelationKind::kTransposition:
      return "transposition" + grid;
    case RelationKind::kFixed:
      return "rank " + std::to_string(r.bit);
    case RelationKind::kLast:
      return "the last rank";
  }
  return "";
}

const std::vector<Relation>& vocabulary() {
  static const std::vector<Relation> all = make_vocabulary();
  return all;
}

RelationSet relations_between(int ranks, int rank, int other) {
  RelationSet set;
  const std::vector<Relation>& all = vocabulary();
  for (size_t i = 0; i < all.size(); ++i) set[i] = partner(all[i], ranks, rank) == other;
  return set;
}

}  // namespace scalediag::loggp
