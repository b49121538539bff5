#include "loggp/collectives/collective.h"

#include <algorithm>
#include <array>
#include <bit>

#include "loggp/collectives/collective_trees.h"
#include "loggp/collectives/step_picker.h"

namespace scalediag::loggp {
namespace {

// --- along a tree ---

bool down_tree(Picker& p, const auto& tree, uint64_t bytes) {
  const uint32_t v = p.from_root();
  if (v != 0 && (p.receive_v(tree.parent(v), bytes) || p.wait())) return true;
  uint32_t i = 0;
  for (uint32_t child; (child = tree.child(v, i)) < p.ranks(); ++i) {
    if (p.send_v(child, bytes)) return true;
  }
  return i > 0 && p.wait();
}

// Open MPI has the receive from the next child posted while it waits for one.
bool up_tree(Picker& p, const auto& tree, uint64_t bytes) {
  const uint32_t v = p.from_root();
  uint32_t child = tree.child(v, 0);
  if (child < p.ranks() && p.receive_v(child, bytes, 0)) return true;
  for (uint32_t i = 0; child < p.ranks(); ++i) {
    const auto lane = static_cast<uint8_t>(i % 2);
    child = tree.child(v, i + 1);
    if (child < p.ranks() && p.receive_v(child, bytes, 1 - lane)) return true;
    if (p.wait(lane) || p.reduce(bytes)) return true;
  }
  return v != 0 && (p.send_v(tree.parent(v), bytes) || p.wait());
}

bool down_flat(Picker& p, uint64_t bytes) {
  const uint32_t v = p.from_root();
  if (v != 0) return p.receive_v(0, bytes) || p.wait();
  const uint32_t root = p.call().root;
  const uint32_t n = p.ranks();
  return p.many(n - 1, [&](uint32_t i) { return Step{Step::Kind::kSend, 0, (i + 1 + root) % n, bytes}; }) || p.wait();
}

// Receives from one rank after another, as both libraries do.
bool up_flat(Picker& p, uint64_t bytes, bool reduces) {
  const uint32_t v = p.from_root();
  if (v != 0) return p.send_v(0, bytes) || p.wait();
  return p.rounds(p.ranks() - 1, reduces ? 3 : 2,
                  [&](uint32_t i) { return p.receive_v(i + 1, bytes) || p.wait() || (reduces && p.reduce(bytes)); });
}

uint64_t blocks_left(uint64_t bytes, uint64_t block, uint64_t first, uint64_t count) {
  const uint64_t begin = std::min(bytes, first * block);
  return std::min(bytes, (first + count) * block) - begin;
}

// Scatters `bytes` in blocks of `block`; a rank's subtree gets the blocks of its ranks.
bool scatter_binomial(Picker& p, uint64_t bytes, uint64_t block) {
  const LowBitTree tree{p.ranks()};
  const uint32_t v = p.from_root();
  if (v != 0) {
    const uint64_t mine = blocks_left(bytes, block, v, tree.subtree(v));
    if (mine > 0 && (p.receive_v(LowBitTree::parent(v), mine) || p.wait())) return true;
  }
  for (uint32_t i = 32; i-- > 0;) {
    const uint32_t child = tree.child(v, i);
    if (child >= p.ranks()) continue;
    const uint64_t its = blocks_left(bytes, block, child, tree.subtree(child));
    if (its > 0 && (p.send_v(child, its) || p.wait())) return true;
  }
  return false;
}

bool gather_binomial(Picker& p, uint64_t bytes, uint64_t block) {
  const LowBitTree tree{p.ranks()};
  const uint32_t v = p.from_root();
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t child = tree.child(v, i);
    if (child >= p.ranks()) break;
    const uint64_t its = blocks_left(bytes, block, child, tree.subtree(child));
    if (its > 0 && (p.receive_v(child, its) || p.wait())) return true;
  }
  if (v == 0) return false;
  const uint64_t mine = blocks_left(bytes, block, v, tree.subtree(v));
  return mine > 0 && (p.send_v(LowBitTree::parent(v), mine) || p.wait());
}

// --- between all ---

// The largest power of two of the ranks takes part; each other rank gives its data to a neighbour and gets the result
// at the end.
struct Fold {
  uint32_t inner;  // the power of two
  uint32_t extra;  // ranks left over
  explicit Fold(uint32_t ranks) : inner(std::bit_floor(ranks)), extra(ranks - inner) {}
  // The number within the power of two, or `inner` for a rank left over. `odd_stays`: the odd rank of a pair takes
  // part.
  uint32_t number(uint32_t rank, bool odd_stays) const {
    if (rank >= 2 * extra) return rank - extra;
    return rank % 2 == (odd_stays ? 1U : 0U) ? rank / 2 : inner;
  }
  uint32_t rank(uint32_t number, bool odd_stays) const {
    return number < extra ? 2 * number + (odd_stays ? 1 : 0) : number + extra;
  }
};

bool allreduce_recursive_doubling(Picker& p, uint64_t bytes) {
  const Fold fold(p.ranks());
  const uint32_t me = fold.number(p.rank(), true);
  if (me == fold.inner) return p.send(p.rank() + 1, bytes) || p.wait() || p.receive(p.rank() + 1, bytes) || p.wait();
  const bool folded = p.rank() < 2 * fold.extra;
  if (folded && (p.receive(p.rank() - 1, bytes) || p.wait() || p.reduce(bytes))) return true;
  return p.doubling(fold.inner, 4, [&](uint32_t mask) {
    const uint32_t peer = fold.rank(me ^ mask, true);
    return p.exchange(peer, peer, bytes, bytes) || p.reduce(bytes);
  }) || (folded && (p.send(p.rank() - 1, bytes) || p.wait()));
}

// The bytes that are left to a number of the power of two when halving() has come to `distance`.
uint64_t part_of(uint64_t bytes, uint32_t number, uint32_t distance) {
  for (uint32_t mask = 1; mask < distance; mask *= 2) bytes = (number & mask) == 0 ? bytes / 2 : bytes - bytes / 2;
  return bytes;
}

// Halves the buffer and doubles the distance; fold.inner ranks take part.
bool halving(Picker& p, const Fold& fold, uint32_t me, uint64_t bytes) {
  return p.doubling(fold.inner, 4, [&](uint32_t mask) {
    const uint32_t peer = fold.rank(me ^ mask, false);
    const uint64_t kept = part_of(bytes, me, 2 * mask);
    return p.exchange(peer, peer, part_of(bytes, me ^ mask, 2 * mask), kept) || p.reduce(kept);
  });
}

bool allreduce_rabenseifner(Picker& p, uint64_t bytes) {
  const Fold fold(p.ranks());
  const uint32_t rank = p.rank();
  const uint32_t me = fold.number(rank, false);
  const uint64_t half = bytes / 2;
  if (me == fold.inner) {
    return p.exchange(rank - 1, rank - 1, half, bytes - half) || p.reduce(bytes - half) ||
           p.send(rank - 1, bytes - half) || p.wait() || p.receive(rank - 1, bytes) || p.wait();
  }
  const bool folded = rank < 2 * fold.extra;
  if (folded && (p.exchange(rank + 1, rank + 1, bytes - half, half) || p.reduce(half) ||
                 p.receive(rank + 1, bytes - half) || p.wait())) {
    return true;
  }
  return halving(p, fold, me, bytes) || p.halving(fold.inner, 3, [&](uint32_t mask) {
    const uint32_t peer = fold.rank(me ^ mask, false);
    const uint64_t mine = std::max<uint64_t>(bytes / (2 * mask), 1);
    return p.exchange(peer, peer, mine, mine);
  }) || (folded && (p.send(rank + 1, bytes) || p.wait()));
}

bool ring(Picker& p, uint64_t block, bool reduces) {
  const uint32_t n = p.ranks();
  return p.rounds(n - 1, reduces ? 4 : 3, [&](uint32_t) {
    return p.exchange(p.rank() + 1, p.rank() + n - 1, block, block) || (reduces && p.reduce(block));
  });
}

bool pairwise(Picker& p, uint64_t block, bool reduces) {
  const uint32_t n = p.ranks();
  return p.rounds(n - 1, reduces ? 4 : 3, [&](uint32_t i) {
    return p.exchange(p.rank() + i + 1, p.rank() + n - i - 1, block, block) || (reduces && p.reduce(block));
  });
}

bool own_block(Picker& p) { return p.copy(p.bytes()); }

// Every rank sends a message of one block to every other one at the same time.
bool all_at_once(Picker& p) {
  const uint32_t n = p.ranks();
  const uint32_t me = p.rank();
  return p.many(n - 1, [&](uint32_t i) {
    return Step{Step::Kind::kReceive, 0, (me + i + 1) % n, p.bytes()};
  }) || p.many(n - 1, [&](uint32_t i) {
    return Step{Step::Kind::kSend, 0, (me + n - i - 1) % n, p.bytes()};
  }) || p.wait();
}

bool allgather_recursive_doubling(Picker& p, uint64_t block) {
  return p.doubling(p.ranks(), 3, [&](uint32_t mask) {
    const uint32_t peer = p.rank() ^ mask;
    return p.exchange(peer, peer, mask * block, mask * block);
  });
}

bool allgather_bruck(Picker& p, uint64_t block) {
  const uint32_t n = p.ranks();
  return p.doubling(n, 3, [&](uint32_t distance) {
    const uint64_t bytes = std::min(distance, n - distance) * block;
    return p.exchange(p.rank() + n - distance, p.rank() + distance, bytes, bytes);
  });
}

bool allgather_neighbor(Picker& p, uint64_t block) {
  const uint32_t n = p.ranks();
  const bool even = p.rank() % 2 == 0;
  return p.rounds(n / 2, 3, [&](uint32_t i) {
    const bool right = even == (i % 2 == 0);
    const uint32_t peer = right ? p.rank() + 1 : p.rank() + n - 1;
    const uint64_t bytes = i == 0 ? block : 2 * block;
    return p.exchange(peer, peer, bytes, bytes);
  });
}

bool alltoall_bruck(Picker& p, uint64_t block) {
  const uint32_t n = p.ranks();
  return p.doubling(n, 3, [&](uint64_t distance) {
    // The blocks whose number has this bit.
    const uint64_t rest = n % (2 * distance);
    const uint64_t blocks = n / (2 * distance) * distance + (rest > distance ? rest - distance : 0);
    return p.exchange(p.rank() + distance, p.rank() + n - distance, blocks * block, blocks * block);
  });
}

bool barrier_recursive_doubling(Picker& p) {
  const Fold fold(p.ranks());
  const uint32_t rank = p.rank();
  if (rank >= fold.inner) {
    const uint32_t peer = rank - fold.inner;
    return p.exchange(peer, peer, 0, 0);
  }
  const bool folded = rank < fold.extra;
  if (folded && (p.receive(rank + fold.inner, 0) || p.wait())) return true;
  return p.doubling(fold.inner, 3, [&](uint32_t mask) { return p.exchange(rank ^ mask, rank ^ mask, 0, 0); }) ||
         (folded && (p.send(rank + fold.inner, 0) || p.wait()));
}

bool dissemination(Picker& p) {
  const uint32_t n = p.ranks();
  return p.doubling(n, 3,
                    [&](uint32_t distance) { return p.exchange(p.rank() + distance, p.rank() + n - distance, 0, 0); });
}

// --- each collective's phases ---

using Phase = bool (*)(Picker&);

template <class Tree> bool bcast_tree(Picker& p) { return down_tree(p, Tree{p.ranks()}, p.bytes()); }
template <class Tree> bool reduce_tree(Picker& p) { return up_tree(p, Tree{p.ranks()}, p.bytes()); }
bool bcast_flat(Picker& p) { return down_flat(p, p.bytes()); }
bool reduce_flat(Picker& p) { return up_flat(p, p.bytes(), true); }
uint64_t share(const Picker& p) { return (p.bytes() + p.ranks() - 1) / p.ranks(); }
bool bcast_scatter(Picker& p) { return scatter_binomial(p, p.bytes(), share(p)); }
bool scatter_tree(Picker& p) { return scatter_binomial(p, p.bytes() * p.ranks(), p.bytes()); }
bool gather_tree(Picker& p) { return gather_binomial(p, p.bytes() * p.ranks(), p.bytes()); }
bool gather_flat(Picker& p) { return up_flat(p, p.bytes(), false); }
bool ring_shares(Picker& p) { return ring(p, share(p), false); }
bool ring_reduce_shares(Picker& p) { return ring(p, share(p), true); }
bool pairwise_reduce_shares(Picker& p) { return pairwise(p, share(p), true); }
bool doubling_shares(Picker& p) {
  return std::has_single_bit(p.ranks()) ? allgather_recursive_doubling(p, share(p)) : ring(p, share(p), false);
}
bool split_down(Picker& p) { return down_tree(p, BinaryTree{p.ranks()}, (p.bytes() + 1) / 2); }
// Ranks 1 and 2, 3 and 4, ... of the tree hold different halves; one without a partner gets its half from the root.
bool split_exchange(Picker& p) {
  const uint32_t v = p.from_root();
  const uint64_t half = (p.bytes() + 1) / 2;
  const uint32_t alone = p.ranks() % 2 == 0 ? p.ranks() - 1 : 0;
  if (v == 0) return alone != 0 && (p.send_v(alone, half) || p.wait());
  if (v == alone) return p.receive_v(0, half) || p.wait();
  const uint32_t peer = v % 2 == 1 ? v + 1 : v - 1;
  return p.receive_v(peer, half) || p.send_v(peer, half) || p.wait();
}
bool barrier_up(Picker& p) {
  if (p.rank() != 0) return p.send(0, 0) || p.wait();
  return p.many(p.ranks() - 1, [](uint32_t i) { return Step{Step::Kind::kReceive, 0, i + 1, 0}; }) || p.wait();
}
bool barrier_down(Picker& p) { return down_flat(p, 0); }
bool barrier_tree_up(Picker& p) { return up_tree(p, LowBitTree{p.ranks()}, 0); }
// The largest subtree is released first.
bool barrier_tree_down(Picker& p) {
  const LowBitTree tree{p.ranks()};
  if (p.rank() != 0 && (p.receive(LowBitTree::parent(p.rank()), 0) || p.wait())) return true;
  for (uint32_t i = 32; i-- > 0;) {
    const uint32_t child = tree.child(p.rank(), i);
    if (child < p.ranks() && (p.send(child, 0) || p.wait())) return true;
  }
  return false;
}
bool scan_chain(Picker& p) {
  const uint32_t rank = p.rank();
  if (rank > 0 && (p.receive(rank - 1, p.bytes()) || p.wait() || p.reduce(p.bytes()))) return true;
  return rank + 1 < p.ranks() && (p.send(rank + 1, p.bytes()) || p.wait());
}
bool halving_shares(Picker& p) {
  const Fold fold(p.ranks());
  const uint32_t me = fold.number(p.rank(), false);
  if (me == fold.inner) {
    return p.send(p.rank() - 1, p.bytes()) || p.wait() || p.receive(p.rank() - 1, share(p)) || p.wait();
  }
  const bool folded = p.rank() < 2 * fold.extra;
  if (folded && (p.receive(p.rank() + 1, p.bytes()) || p.wait() || p.reduce(p.bytes()))) return true;
  if (halving(p, fold, me, p.bytes())) return true;
  return folded && (p.send(p.rank() + 1, share(p)) || p.wait());
}

bool reduce_halving(Picker& p) {
  const Fold fold(p.ranks());
  const uint32_t me = fold.number(p.rank(), false);
  if (me == fold.inner) return p.send(p.rank() - 1, p.bytes()) || p.wait();
  const bool folded = p.rank() < 2 * fold.extra;
  if (folded && (p.receive(p.rank() + 1, p.bytes()) || p.wait() || p.reduce(p.bytes()))) return true;
  return halving(p, fold, me, p.bytes());
}
// Collects the parts at the root, the distance halved each time: of two numbers the one that differs from the root's
// sends all that it has. A root that has given its data away first gets the part of number 0, and goes on in its place.
bool reduce_collect(Picker& p) {
  const Fold fold(p.ranks());
  const uint32_t root = p.call().root;
  const bool root_is_extra = fold.number(root, false) == fold.inner;
  const uint32_t end = root_is_extra ? 0 : fold.number(root, false);
  uint32_t me = fold.number(p.rank(), false);
  if (root_is_extra && me == 0) return p.send(root, part_of(p.bytes(), 0, fold.inner)) || p.wait();
  if (root_is_extra && p.rank() == root) {
    if (p.receive(fold.rank(0, false), part_of(p.bytes(), 0, fold.inner)) || p.wait()) return true;
    me = 0;
  }
  if (me == fold.inner) return false;
  for (uint32_t mask = fold.inner / 2; mask > 0; mask /= 2) {
    const uint32_t other = me ^ mask;
    const uint32_t peer = root_is_extra && other == 0 ? root : fold.rank(other, false);
    if (((me ^ end) & mask) != 0) return p.send(peer, part_of(p.bytes(), me, 2 * mask)) || p.wait();
    if (p.receive(peer, part_of(p.bytes(), other, 2 * mask)) || p.wait()) return true;
  }
  return false;
}

// Rank r in the first tree, and in the second one, in which the first one's leaves are inner: mirrored, or moved by
// one.
uint32_t in_tree(uint32_t tree, uint32_t r, uint32_t n) {
  if (tree == 0) return r;
  return n % 2 == 0 ? n - 1 - r : (r + n - 1) % n;
}
uint32_t at_place(uint32_t tree, uint32_t place, uint32_t n) {
  if (tree == 0) return place;
  return n % 2 == 0 ? n - 1 - place : (place + 1) % n;
}
uint64_t half_of(uint64_t bytes, uint32_t tree) { return tree == 0 ? (bytes + 1) / 2 : bytes / 2; }
// A rank's children in a tree, as ranks, in the lane in which it receives from them.
bool receive_from_children(Picker& p, uint32_t t, uint8_t lane) {
  const InOrderTree tree{p.ranks()};
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t child = tree.child(in_tree(t, p.rank(), p.ranks()), i);
    if (child < p.ranks() && p.receive(at_place(t, child, p.ranks()), half_of(p.bytes(), t), lane)) return true;
  }
  return false;
}
bool reduce_and_send_up(Picker& p, uint32_t t, uint8_t lane) {
  const InOrderTree tree{p.ranks()};
  const uint32_t v = in_tree(t, p.rank(), p.ranks());
  const uint64_t bytes = half_of(p.bytes(), t);
  if (tree.child(v, 0) < p.ranks() && (p.wait(lane) || p.reduce(bytes))) return true;
  if (tree.child(v, 1) < p.ranks() && p.reduce(bytes)) return true;
  return v != 0 && p.send(at_place(t, tree.parent(v), p.ranks()), bytes);
}
bool get_and_send_down(Picker& p, uint32_t t, uint8_t lane) {
  const InOrderTree tree{p.ranks()};
  const uint32_t v = in_tree(t, p.rank(), p.ranks());
  if (v != 0 && p.wait(lane)) return true;
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t child = tree.child(v, i);
    if (child < p.ranks() && p.send(at_place(t, child, p.ranks()), half_of(p.bytes(), t))) return true;
  }
  return false;
}
// All receives are posted first, so that neither tree waits for the other. On the way up the tree comes first in which
// the rank is a leaf, on the way down the other one. Odd ranks are the first tree's leaves.
bool double_tree_up(Picker& p) {
  const uint32_t first = 1 - p.rank() % 2, second = 1 - first;
  return receive_from_children(p, first, 0) || receive_from_children(p, second, 1) || reduce_and_send_up(p, first, 0) ||
         reduce_and_send_up(p, second, 1) || p.wait();
}
bool double_tree_down(Picker& p) {
  const InOrderTree tree{p.ranks()};
  const uint32_t first = p.rank() % 2, second = 1 - first;
  for (const uint32_t t : {first, second}) {
    const uint32_t v = in_tree(t, p.rank(), p.ranks());
    if (v == 0) continue;
    const uint8_t lane = t == first ? 0 : 1;
    if (p.receive(at_place(t, tree.parent(v), p.ranks()), half_of(p.bytes(), t), lane)) return true;
  }
  return get_and_send_down(p, first, 0) || get_and_send_down(p, second, 1) || p.wait();
}

struct Row {
  Collective collective;
  Algorithm algorithm;
  Growth growth;
  std::array<Phase, 2> phases;
};

using C = Collective;
using A = Algorithm;
using G = Growth;
constexpr Row kRows[] = {
    {C::kBarrier, A::kLinear, G::kLinear, {barrier_up, barrier_down}},
    {C::kBarrier, A::kRecursiveDoubling, G::kLogarithmic, {barrier_recursive_doubling}},
    {C::kBarrier, A::kBruck, G::kLogarithmic, {dissemination}},
    {C::kBarrier, A::kTree, G::kLogarithmic, {barrier_tree_up, barrier_tree_down}},
    {C::kBcast, A::kLinear, G::kLinear, {bcast_flat}},
    {C::kBcast, A::kChain, G::kLinear, {bcast_tree<ChainTree>}},
    {C::kBcast, A::kBinomial, G::kLogarithmic, {bcast_tree<HighBitTree>}},
    {C::kBcast, A::kKnomial4, G::kLogarithmic, {bcast_tree<Knomial4Tree>}},
    {C::kBcast, A::kBinary, G::kLogarithmic, {bcast_tree<BinaryTree>}},
    {C::kBcast, A::kSplitBinary, G::kLogarithmic, {split_down, split_exchange}},
    {C::kBcast, A::kScatterAllgather, G::kLogarithmic, {bcast_scatter, doubling_shares}},
    {C::kBcast, A::kScatterRing, G::kQuadratic, {bcast_scatter, ring_shares}},
    {C::kReduce, A::kLinear, G::kLinear, {reduce_flat}},
    {C::kReduce, A::kChain, G::kLinear, {reduce_tree<ChainTree>}},
    {C::kReduce, A::kBinomial, G::kLogarithmic, {reduce_tree<LowBitTree>}},
    {C::kReduce, A::kBinary, G::kLogarithmic, {reduce_tree<BinaryTree>}},
    {C::kReduce, A::kRabenseifner, G::kLogarithmic, {reduce_halving, reduce_collect}},
    {C::kAllreduce, A::kLinear, G::kLinear, {reduce_flat, bcast_flat}},
    {C::kAllreduce, A::kRecursiveDoubling, G::kLogarithmic, {[](Picker& p) {
       return allreduce_recursive_doubling(p, p.bytes());
     }}},
    {C::kAllreduce, A::kRabenseifner, G::kLogarithmic, {[](Picker& p) {
       return allreduce_rabenseifner(p, p.bytes());
     }}},
    {C::kAllreduce, A::kRing, G::kQuadratic, {ring_reduce_shares, ring_shares}},
    {C::kAllreduce, A::kSegmentedRing, G::kQuadratic, {ring_reduce_shares, ring_shares}},
    {C::kAllreduce, A::kReduceBcast, G::kLogarithmic, {reduce_tree<LowBitTree>, bcast_tree<HighBitTree>}},
    {C::kAllreduce, A::kDoubleTree, G::kLogarithmic, {double_tree_up, double_tree_down}},
    {C::kAllgather, A::kLinear, G::kQuadratic, {all_at_once}},
    {C::kAllgather, A::kRecursiveDoubling, G::kLogarithmic, {[](Picker& p) {
       return std::has_single_bit(p.ranks()) ? allgather_recursive_doubling(p, p.bytes())
                                             : allgather_bruck(p, p.bytes());
     }}},
    {C::kAllgather, A::kBruck, G::kLogarithmic, {[](Picker& p) { return allgather_bruck(p, p.bytes()); }}},
    {C::kAllgather, A::kRing, G::kQuadratic, {[](Picker& p) { return ring(p, p.bytes(), false); }}},
    {C::kAllgather, A::kNeighborExchange, G::kQuadratic, {[](Picker& p) {
       return p.ranks() % 2 == 0 ? allgather_neighbor(p, p.bytes()) : ring(p, p.bytes(), false);
     }}},
    {C::kAlltoall, A::kLinear, G::kQuadratic, {own_block, all_at_once}},
    {C::kAlltoall, A::kLinearSync, G::kQuadratic, {own_block, all_at_once}},
    {C::kAlltoall, A::kPairwise, G::kQuadratic, {own_block, [](Picker& p) { return pairwise(p, p.bytes(), false); }}},
    {C::kAlltoall, A::kBruck, G::kLogarithmic, {[](Picker& p) { return alltoall_bruck(p, p.bytes()); }}},
    {C::kReduceScatter, A::kLinear, G::kLinear, {reduce_tree<LowBitTree>, bcast_scatter}},
    {C::kReduceScatter, A::kRecursiveHalving, G::kLogarithmic, {halving_shares}},
    {C::kReduceScatter, A::kRing, G::kQuadratic, {ring_reduce_shares}},
    {C::kReduceScatter, A::kPairwise, G::kQuadratic, {pairwise_reduce_shares}},
    {C::kGather, A::kLinear, G::kLinear, {gather_flat}},
    {C::kGather, A::kBinomial, G::kLogarithmic, {gather_tree}},
    {C::kScatter, A::kLinear, G::kLinear, {bcast_flat}},
    {C::kScatter, A::kBinomial, G::kLogarithmic, {scatter_tree}},
    {C::kScan, A::kLinear, G::kLinear, {scan_chain}},
    {C::kExscan, A::kLinear, G::kLinear, {scan_chain}},
};

const Row* row_of(Collective collective, Algorithm algorithm) {
  static const auto table = [] {
    std::array<std::array<const Row*, kAlgorithms>, kCollectives> t{};
    for (const Row& row : kRows) t[static_cast<size_t>(row.collective)][static_cast<size_t>(row.algorithm)] = &row;
    return t;
  }();
  return table[static_cast<size_t>(collective)][static_cast<size_t>(algorithm)];
}

constexpr uint32_t kPhaseShift = 31;

}  // namespace

uint32_t next_steps(const CollectiveCall& call, uint32_t rank, uint32_t& state, Step* steps, uint32_t most) {
  if (call.ranks < 2) return 0;
  const Row* row = row_of(call.collective, call.algorithm);
  for (;;) {
    const uint32_t phase = state >> kPhaseShift;
    const Phase body = row->phases[phase];
    if (body == nullptr) return 0;
    Picker picker(call, rank, state & ((1U << kPhaseShift) - 1), steps, most);
    body(picker);
    if (picker.picked() > 0) {
      state += picker.picked();
      return picker.picked();
    }
    if (phase == 1) return 0;
    state = 1U << kPhaseShift;
  }
}

Growth growth_of(Collective collective, Algorithm algorithm) { return row_of(collective, algorithm)->growth; }

bool has_algorithm(Collective collective, Algorithm algorithm) { return row_of(collective, algorithm) != nullptr; }

std::vector<Algorithm> algorithms_of(Collective collective) {
  std::vector<Algorithm> result;
  for (const Row& row : kRows) {
    if (row.collective == collective) result.push_back(row.algorithm);
  }
  return result;
}

}  // namespace scalediag::loggp
