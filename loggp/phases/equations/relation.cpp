#include "loggp/phases/equations/relation.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

namespace scalediag::loggp {
namespace {

constexpr int kMostBits = 16;
constexpr int kMostCoarseBits = 6;  // coarse levels of 1 to 32 ranks along a side

void add_offsets_at_ends(std::vector<Relation>& all) {
  for (int g = 1; g < core::kRowGridKinds; ++g) {
    Relation r;
    r.kind = RelationKind::kOffsetAtEnd;
    r.grid = static_cast<core::GridKind>(g);
    const int dimensions = process_grid(r.grid, 1).dimensions;
    for (int along = 0; along < dimensions; ++along) {
      for (r.side = 0; r.side < dimensions; ++r.side) {
        if (r.side == along) continue;
        for (const Border border : {Border::kOpen, Border::kAround}) {
          for (const int sign : {-1, 1}) {
            for (const auto& [first, last] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
              r.border = border;
              r.step = {};
              r.step[static_cast<size_t>(along)] = sign;
              r.at_first = first;
              r.at_last = last;
              all.push_back(r);
            }
          }
        }
      }
    }
  }
}

void add_coarse_levels(std::vector<Relation>& all) {
  for (int g = 0; g < core::kRowGridKinds; ++g) {
    Relation r;
    r.grid = static_cast<core::GridKind>(g);
    const int dimensions = process_grid(r.grid, 1).dimensions;
    for (r.side = 0; r.side < dimensions; ++r.side) {
      for (r.bit = 0; r.bit < kMostCoarseBits; ++r.bit) {
        for (const bool is_last : {true, false}) {
          for (const int sign : {-1, 1}) {
            for (const Border border : {Border::kOpen, Border::kAround, Border::kAroundItself}) {
              r.is_last_of_block = is_last;
              r.step[0] = sign;
              r.border = border;
              r.kind = RelationKind::kCoarse;
              all.push_back(r);
              if (border == Border::kAroundItself) continue;  // nobody gives to itself
              r.kind = RelationKind::kCoarseGive;
              all.push_back(r);
              r.kind = RelationKind::kCoarseTake;
              all.push_back(r);
            }
          }
        }
      }
    }
  }
}

std::vector<Relation> make_vocabulary() {
  std::vector<Relation> all;
  for (const int step : {-1, 0, 1, -2, 2, -3, 3}) {
    for (const Border border : {Border::kOpen, Border::kAround, Border::kAroundItself}) {
      if (step == 0 && border != Border::kOpen) continue;
      Relation r;
      r.border = border;
      r.step = {step, 0, 0};
      all.push_back(r);
    }
  }
  for (int g = 1; g < core::kGridKinds; ++g) {
    const auto grid = static_cast<core::GridKind>(g);
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
            if (grid == core::GridKind::kSpaceBisected && border != Border::kOpen) continue;
            all.push_back(r);
          }
        }
      }
    }
  }
  for (int g = 0; g < core::kRowGridKinds; ++g) {
    const auto grid = static_cast<core::GridKind>(g);
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
  for (const core::GridKind grid : {core::GridKind::kPlaneFalling, core::GridKind::kPlaneRising}) {
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
  for (const Border border : {Border::kOpen, Border::kAroundItself}) {
    Relation r;
    r.border = border;
    r.kind = RelationKind::kFixed;
    for (r.bit = 0; r.bit < 3; ++r.bit) all.push_back(r);
    r.kind = RelationKind::kLast;
    r.bit = 0;
    all.push_back(r);
  }
  Relation each;
  each.kind = RelationKind::kEachOther;
  all.push_back(each);
  add_offsets_at_ends(all);
  add_coarse_levels(all);
  return all;
}

template <class Condition>
RelationSet those_that(Condition condition) {
  RelationSet set;
  for (size_t i = 0; i < vocabulary().size(); ++i) set[i] = condition(vocabulary()[i]);
  return set;
}

int offset(const Relation& r, const core::ProcessGrid& grid, int rank) {
  std::array<int, 3> at = grid.coordinates(rank);
  if (r.kind == RelationKind::kOffsetAtEnd) {
    const auto end = static_cast<size_t>(r.side);
    if (!(r.at_first && at[end] == 0) && !(r.at_last && at[end] == grid.sides[end] - 1)) return kNobody;
  }
  for (size_t i = 0; i < 3; ++i) {
    at[i] += r.step[i];
    const int side = grid.sides[i];
    if (r.border != Border::kOpen) {
      if (r.border == Border::kAround && r.step[i] != 0 && side == 1) return kNobody;
      at[i] = core::around(at[i], side);
    } else if (at[i] < 0 || at[i] >= side) {
      return kNobody;
    }
  }
  return grid.rank(at);
}

int exchange(const Relation& r, const core::ProcessGrid& grid, int rank) {
  std::array<int, 3> at = grid.coordinates(rank);
  const auto side = static_cast<size_t>(r.side);
  if (grid.sides[side] >> r.bit == 0) return kNobody;
  const int mask = r.kind == RelationKind::kExchangeLow ? 1 << r.bit : grid.sides[side] >> r.bit;
  at[side] ^= mask;
  return mask < grid.sides[side] && at[side] < grid.sides[side] ? grid.rank(at) : kNobody;
}

int transposition(const core::ProcessGrid& grid, int rank) {
  const int longer = std::max(grid.sides[0], grid.sides[1]), shorter = std::min(grid.sides[0], grid.sides[1]);
  if (longer == shorter) return rank % longer * longer + rank / longer;
  if (longer != 2 * shorter) return kNobody;
  return 2 * (rank / 2 % shorter * shorter + rank / 2 / shorter) + rank % 2;
}

// Ranks of a side from one that takes part in a level of n to the next; 0: blocks are not even.
int stride_of(int side, int n) { return side <= n ? 1 : side % n == 0 ? side / n : 0; }

int coarse(const Relation& r, const core::ProcessGrid& grid, int rank) {
  std::array<int, 3> at = grid.coordinates(rank);
  const auto along = static_cast<size_t>(r.side);
  const int n = 1 << r.bit;
  const auto takes_part = [&](size_t side, int ranks) {
    const int stride = stride_of(grid.sides[side], ranks);
    return stride > 0 && (at[side] + (r.is_last_of_block ? 1 : 0)) % stride == 0;
  };
  if (r.kind == RelationKind::kCoarse) {
    for (size_t side = 0; side < static_cast<size_t>(grid.dimensions); ++side) {
      if (!takes_part(side, n)) return kNobody;
    }
  } else if (grid.sides[along] <= n || !takes_part(along, 2 * n) ||
             takes_part(along, n) != (r.kind == RelationKind::kCoarseGive)) {
    return kNobody;
  }
  const int side = grid.sides[along];
  const int step = r.step[0] * stride_of(side, r.kind == RelationKind::kCoarse ? n : 2 * n);
  const int to = at[along] + step;
  if (r.border == Border::kOpen && (to < 0 || to >= side)) return kNobody;
  if (r.border == Border::kAround && std::abs(step) == side) return kNobody;
  at[along] = (to + side) % side;
  return grid.rank(at);
}

}  // namespace

int partner(const Relation& r, int ranks, int rank) {
  switch (r.kind) {
    case RelationKind::kOffset:
    case RelationKind::kOffsetAtEnd:
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
    case RelationKind::kLast: {
      const int fixed = r.kind == RelationKind::kFixed ? r.bit : ranks - 1;
      const bool is_itself = fixed == rank && r.border == Border::kOpen;
      return fixed < ranks && !is_itself ? fixed : kNobody;
    }
    case RelationKind::kEachOther:
      return rank != 0 || ranks < 2 ? kNobody : ranks == 2 ? 1 : kEachInTurn;
    case RelationKind::kCoarse:
    case RelationKind::kCoarseGive:
    case RelationKind::kCoarseTake:
      return coarse(r, process_grid(r.grid, ranks), rank);
  }
  return kNobody;
}

std::string text_of(const Relation& r) {
  const auto sign = [](int step) { return (step > 0 ? "+" : "") + std::to_string(step); };
  const std::string grid = std::string(" of a ") + name_of(r.grid);
  const char* border = r.border == Border::kOpen     ? ", open"
                       : r.border == Border::kAround ? ", around"
                                                     : ", around, also to itself";
  const std::string side = " along side " + std::to_string(r.side + 1) + grid;
  switch (r.kind) {
    case RelationKind::kOffset:
    case RelationKind::kOffsetAtEnd: {
      if (r.step == std::array<int, 3>{0, 0, 0}) return "itself";
      if (r.grid == core::GridKind::kLine) return sign(r.step[0]) + border;
      std::string text = "(" + sign(r.step[0]) + ", " + sign(r.step[1]);
      if (process_grid(r.grid, 1).dimensions == 3) text += ", " + sign(r.step[2]);
      text += ")" + grid + border;
      if (r.kind == RelationKind::kOffset) return text;
      const char* ends = !r.at_last ? "first" : !r.at_first ? "last" : "first and last";
      return text + ", of the " + ends + " ranks along side " + std::to_string(r.side + 1);
    }
    case RelationKind::kExchangeLow:
      return "XOR " + std::to_string(1 << r.bit) + side;
    case RelationKind::kExchangeHigh:
      return "XOR side/" + std::to_string(1 << r.bit) + side;
    case RelationKind::kPower:
      return sign(r.step[0] << r.bit) + ", around";
    case RelationKind::kTransposition:
      return "transposition" + grid;
    case RelationKind::kFixed:
      return "rank " + std::to_string(r.bit) + (r.border == Border::kOpen ? "" : ", also itself");
    case RelationKind::kLast:
      return std::string("the last rank") + (r.border == Border::kOpen ? "" : ", also itself");
    case RelationKind::kEachOther:
      return "each other rank in turn, of rank 0";
    case RelationKind::kCoarse:
      return "the " + std::string(r.step[0] > 0 ? "next" : "one before") + " of at most " + std::to_string(1 << r.bit) +
             " (the " + (r.is_last_of_block ? "last" : "first") + " of their blocks)" + side + border;
    case RelationKind::kCoarseGive:
    case RelationKind::kCoarseTake: {
      const bool gives = r.kind == RelationKind::kCoarseGive;
      const std::string these = "those of " + std::to_string(1 << r.bit),
                        others = "others of " + std::to_string(2 << r.bit);
      return sign(r.step[0]) + " from " + (gives ? these : others) + " to " + (gives ? others : these) + " (the " +
             (r.is_last_of_block ? "last" : "first") + " of their blocks)" + side + border;
    }
  }
  return "";
}

const std::vector<Relation>& vocabulary() {
  static const std::vector<Relation> all = make_vocabulary();
  return all;
}

std::optional<size_t> inverse_of(size_t relation) {
  static const std::vector<std::optional<size_t>> inverses = [] {
    const auto key = [](const Relation& r) {
      return std::tuple(r.kind, r.grid, r.border, r.step, r.side, r.at_first, r.at_last, r.bit, r.is_last_of_block);
    };
    std::map<decltype(key(Relation{})), size_t> numbers;
    for (size_t i = 0; i < vocabulary().size(); ++i) numbers[key(vocabulary()[i])] = i;
    std::vector<std::optional<size_t>> found;
    for (Relation r : vocabulary()) {
      for (int& step : r.step) step = -step;
      if (r.kind == RelationKind::kCoarseGive) {
        r.kind = RelationKind::kCoarseTake;
      } else if (r.kind == RelationKind::kCoarseTake) {
        r.kind = RelationKind::kCoarseGive;
      }
      const bool has_none =
          r.kind == RelationKind::kFixed || r.kind == RelationKind::kLast || r.kind == RelationKind::kEachOther;
      const auto at = numbers.find(key(r));
      found.push_back(has_none || at == numbers.end() ? std::nullopt : std::optional(at->second));
    }
    return found;
  }();
  return inverses[relation];
}

bool is_coarse(const Relation& r) {
  return r.kind == RelationKind::kCoarse || r.kind == RelationKind::kCoarseGive || r.kind == RelationKind::kCoarseTake;
}

const RelationSet& coarse_relations() {
  static const RelationSet coarse = those_that([](const Relation& r) { return is_coarse(r); });
  return coarse;
}

const RelationSet& exchanges_of_ranks() {
  static const RelationSet exchanges = those_that([](const Relation& r) {
    return r.grid == core::GridKind::kLine &&
           (r.kind == RelationKind::kExchangeLow || r.kind == RelationKind::kExchangeHigh);
  });
  return exchanges;
}

RelationSet plain_if_any(const RelationSet& set) {
  static const RelationSet plain =
      those_that([](const Relation& r) { return !is_coarse(r) && r.kind != RelationKind::kOffsetAtEnd; });
  const RelationSet kept = set & plain;
  return kept.any() ? kept : set;
}

RelationSet relations_between(int ranks, int rank, int other) {
  RelationSet set;
  const std::vector<Relation>& all = vocabulary();
  for (size_t i = 0; i < all.size(); ++i) set[i] = partner(all[i], ranks, rank) == other;
  return set;
}

}  // namespace scalediag::loggp
