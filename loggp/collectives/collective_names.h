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

enum class Algorithm : uint8_t {
  kLinear,
  kLinearSync,  // Alltoall: at most a few messages at a time
  kChain,
  kBinomial,
  kKnomial4,          // tree of radix 4
  kBinary,            // tree in which every rank has two children
  kSplitBinary,       // Bcast: each half of the buffer down one half of a binary tree, then exchanged in pairs
  kScatterAllgather,  // Bcast: binomial scatter, recursive doubling allgather
  kScatterRing,       // Bcast: binomial scatter, ring allgather
  kRecursiveDoubling,
  kRabenseifner,  // reduce-scatter by halving, then allgather (Allreduce) or gather (Reduce)
  kRing,
  kSegmentedRing,
  kReduceBcast,  // Allreduce
  kNeighborExchange,
  kBruck,  // Barrier: dissemination
  kPairwise,
  kTree,  // Barrier
  kRecursiveHalving,
};
constexpr size_t kAlgorithms = 19;

const char* name_of(Algorithm algorithm);  // "recursive_doubling"
// The collective or algorithm of that name; capital letters, "MPI_" and "-" for "_" do not matter.
std::optional<Collective> collective_named(const std::string& name);
std::optional<Algorithm> algorithm_named(const std::string& name);

}  // namespace scalediag::loggp
