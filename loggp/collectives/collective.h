// Collective operations as the messages that their algorithms send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalediag::loggp {

// A collective operation; its bytes are those of the whole buffer for Bcast, Reduce, Allreduce, Reduce_scatter, Scan
// and Exscan; of one rank's block for Allgather, Alltoall, Gather and Scatter; none for Barrier.
enum class Collective : uint8_t {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kAllgather,
  kAlltoall,
  kReduceScatter,
  kGather,
  kScatter,
  kScan,
  kExscan,
};
constexpr size_t kCollectives = 11;

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

const char* name_of(Collective collective);  // "Allreduce"
const char* name_of(Algorithm algorithm);    // "recursive_doubling"
// The collective or algorithm of that name; capital letters, "MPI_" and "-" for "_" do not matter.
std::optional<Collective> collective_named(const std::string& name);
std::optional<Algorithm> algorithm_named(const std::string& name);

struct CollectiveCall {
  Collective collective = Collective::kBarrier;
  Algorithm algorithm = Algorithm::kLinear;
  uint32_t ranks = 1;
  uint32_t root = 0;
  uint64_t bytes = 0;
};

// One thing that a rank does within a collective. Sends and receives are nonblocking; kWait waits for all of its lane
// since its last kWait. `peer` is a rank of the communicator.
struct Step {
  enum class Kind : uint8_t { kSend, kReceive, kWait, kReduce } kind = Kind::kWait;
  uint8_t lane = 0;  // kWait waits for steps that were begun in the same lane
  uint32_t peer = 0;
  uint64_t bytes = 0;  // kReduce: the number of bytes combined with the rank's own
};

// The next step of `rank`, or false after the last one. `state` begins with 0. Every step follows from its number
// alone, so that a rank inside a collective of any size needs no more memory than `state`. Preconditions:
// has_algorithm(call.collective, call.algorithm); rank < call.ranks; root < call.ranks, and 0 for collectives without a
// root.
bool next_step(const CollectiveCall& call, uint32_t rank, uint32_t& state, Step& step);

bool has_root(Collective collective);
bool has_algorithm(Collective collective, Algorithm algorithm);
std::vector<Algorithm> algorithms_of(Collective collective);

}  // namespace scalediag::loggp
