// Collective operations and their algorithms, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/mpi_routines.h"

namespace scalediag::loggp {

using mpi::Collective;
using mpi::has_root;
using mpi::kCollectives;
using mpi::name_of;

// The algorithms and their names. knomial4: along a tree of radix 4; binary: along a tree in which every rank has two
// children; linear_sync (Alltoall): at most a few messages at a time; split_binary (Bcast): each half of the buffer
// down one half of a binary tree, then exchanged in pairs; scatter_allgather and scatter_ring (Bcast): binomial
// scatter, then allgather by recursive doubling or in a ring; rabenseifner: reduce-scatter by halving, then allgather
// (Allreduce) or gather (Reduce); bruck (Barrier): dissemination; double_tree (Allreduce): each half of the buffer up
// and down a binary tree of its own, in which other ranks are leaves.
#define SCALEDIAG_ALGORITHMS(V)               \
  V(kLinear, "linear")                        \
  V(kLinearSync, "linear_sync")               \
  V(kChain, "chain")                          \
  V(kBinomial, "binomial")                    \
  V(kKnomial4, "knomial4")                    \
  V(kBinary, "binary")                        \
  V(kSplitBinary, "split_binary")             \
  V(kScatterAllgather, "scatter_allgather")   \
  V(kScatterRing, "scatter_ring")             \
  V(kRecursiveDoubling, "recursive_doubling") \
  V(kRabenseifner, "rabenseifner")            \
  V(kRing, "ring")                            \
  V(kSegmentedRing, "segmented_ring")         \
  V(kReduceBcast, "reduce_bcast")             \
  V(kNeighborExchange, "neighbor_exchange")   \
  V(kBruck, "bruck")                          \
  V(kPairwise, "pairwise")                    \
  V(kTree, "tree")                            \
  V(kRecursiveHalving, "recursive_halving")   \
  V(kDoubleTree, "double_tree")

#define SCALEDIAG_ENUMERATOR(algorithm, name) algorithm,
enum class Algorithm : uint8_t { SCALEDIAG_ALGORITHMS(SCALEDIAG_ENUMERATOR) };
#undef SCALEDIAG_ENUMERATOR
#define SCALEDIAG_NAME(algorithm, name) name,
constexpr const char* kAlgorithmNames[] = {SCALEDIAG_ALGORITHMS(SCALEDIAG_NAME)};
#undef SCALEDIAG_NAME
constexpr size_t kAlgorithms = sizeof kAlgorithmNames / sizeof kAlgorithmNames[0];

constexpr const char* name_of(Algorithm algorithm) { return kAlgorithmNames[static_cast<size_t>(algorithm)]; }
// The collective or algorithm of that name; capital letters, "MPI_" and "-" for "_" do not matter.
std::optional<Collective> collective_named(const std::string& name);
std::optional<Algorithm> algorithm_named(const std::string& name);

}  // namespace scalediag::loggp
