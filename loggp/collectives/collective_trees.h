// The trees along which collectives send. Ranks are counted from the root (rank 0 is the root).
#pragma once

#include <bit>
#include <cstdint>

namespace scalediag::loggp {

// Parent: the highest set bit taken away. Rank 0's children are 1, 2, 4, ...; the first has the largest subtree.
struct HighBitTree {
  uint32_t ranks;
  static uint32_t parent(uint32_t v) { return v - std::bit_floor(v); }
  uint32_t child(uint32_t v, uint32_t i) const {  // `ranks` or more: no such child
    const uint64_t at = v + (uint64_t{v == 0 ? 1 : 2 * std::bit_floor(v)} << i);
    return at < ranks ? static_cast<uint32_t>(at) : ranks;
  }
};

// Parent: the lowest set bit taken away; subtrees are ranges of ranks, the last child has the largest.
struct LowBitTree {
  uint32_t ranks;
  static uint32_t parent(uint32_t v) { return v & (v - 1); }
  uint32_t child(uint32_t v, uint32_t i) const {
    const uint64_t bit = uint64_t{1} << i;
    if (v != 0 && bit >= (v & (~v + 1))) return ranks;
    return v + bit < ranks ? static_cast<uint32_t>(v + bit) : ranks;
  }
  // The number of ranks in the subtree of v, v included.
  uint32_t subtree(uint32_t v) const {
    if (v == 0) return ranks;
    const uint32_t width = v & (~v + 1);
    return width < ranks - v ? width : ranks - v;
  }
};

// Level by level: a rank of a level with d ranks has the children v + d and v + 2 d.
struct BinaryTree {
  uint32_t ranks;
  static uint32_t width(uint32_t v) { return std::bit_floor(v + 1); }
  static uint32_t parent(uint32_t v) {
    const uint32_t above = width(v) / 2;
    const uint32_t at = v - above;
    return at >= 2 * above - 1 ? at - above : at;
  }
  uint32_t child(uint32_t v, uint32_t i) const {
    const uint64_t at = v + uint64_t{i + 1} * width(v);
    return i < 2 && at < ranks ? static_cast<uint32_t>(at) : ranks;
  }
};

// Radix 4, the largest subtrees first.
struct Knomial4Tree {
  uint32_t ranks;
  // The power of 4 at which v is attached; for rank 0 the first one that is not below the number of ranks.
  uint64_t level(uint32_t v) const {
    uint64_t mask = 1;
    while (mask < ranks && v % (4 * mask) == 0) mask *= 4;
    return mask;
  }
  uint32_t parent(uint32_t v) const {
    const uint64_t mask = level(v);
    return static_cast<uint32_t>(v / (4 * mask) * (4 * mask));
  }
  uint32_t child(uint32_t v, uint32_t i) const {
    uint32_t seen = 0;
    for (uint64_t mask = level(v) / 4; mask > 0; mask /= 4) {
      for (uint64_t r = 1; r < 4 && v + r * mask < ranks; ++r) {
        if (seen++ == i) return static_cast<uint32_t>(v + r * mask);
      }
    }
    return ranks;
  }
};

// In the order of the ranks: left of a rank are those of its left subtree. Odd ranks are leaves, and rank 0 has one
// child. (Sanders, Speck, Träff: Two-tree algorithms for full bandwidth broadcast, reduction and scan, 2009.)
struct InOrderTree {
  uint32_t ranks;
  uint32_t parent(uint32_t v) const {
    const uint64_t bit = v & (~v + 1), left = v - bit, right = left | 2 * bit;
    return static_cast<uint32_t>(right < ranks ? right : left);
  }
  uint32_t child(uint32_t v, uint32_t i) const {  // i: 0 or 1; `ranks`: no such child
    if (v == 0) return i == 0 && ranks > 1 ? std::bit_floor(ranks - 1) : ranks;
    uint32_t half = (v & (~v + 1)) / 2;
    if (i == 0) return half > 0 ? v - half : ranks;
    while (half > 0 && v + half >= ranks) half /= 2;
    return half > 0 ? v + half : ranks;
  }
};

struct ChainTree {
  uint32_t ranks;
  static uint32_t parent(uint32_t v) { return v - 1; }
  uint32_t child(uint32_t v, uint32_t i) const { return i == 0 && v + 1 < ranks ? v + 1 : ranks; }
};

}  // namespace scalediag::loggp
