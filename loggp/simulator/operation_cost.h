// The cost of an MPI operation for a rank on a network, where only the number of its calls and bytes is known, not
// their partners and times.
//
// Point to point (message_cost.h's terms; b = max(bytes, 1) - 1), a rank in an exchange in which all take part:
//   sends      eager: o_s + O b
//              above S_sync: handshake 2 (o_s' + L' + o_r') + max(o_s + G b, o_s + O b), with the receiver ready
//   receives   L + G b + o_r + O b
// Nonblocking ones cost as much, as if nothing were done meanwhile, and their waits are free, so that nothing is
// counted twice. Above S_sync, where a rank receives while it sends, the bytes are counted with the receives:
//   nonblocking sends     handshake 2 (o_s' + L' + o_r') + o_s
//   nonblocking receives  L + exchange (G b + g) - g + o_r + O b; within a node as all others
// Sendrecv is one of each. (Where blocking sends meet nonblocking receives, their bytes are counted twice.)
//
// Collectives are simulated with the algorithm that the library would choose, all ranks entering at once. The cost is
// the mean over ranks, or the root's time where that is longer, because the others wait for it sooner or later.
// Nonblocking ones cost as much as the blocking ones. Connections exist already: calls are many, first ones few.
//
// Above a number of ranks a simulation would take long: algorithms in which ranks send a message to or through each
// other rank are continued along a straight line in the ranks, all others along one in log2 of the ranks. Where
// messages hold blocks of many ranks (Alltoall by Bruck, Allgather by recursive doubling, Gather along a tree), this
// holds for messages without bytes; the time of the bytes grows with the blocks that pass a rank.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "core/mpi_routines.h"
#include "core/result.h"
#include "loggp/collectives/algorithm_choice.h"
#include "loggp/network/network.h"

namespace scalediag::loggp {

class OperationCosts {
 public:
  // Error (kInput): the network names an unknown library, collective or algorithm. Precondition: the network is valid.
  static Result<OperationCosts> of(Network network);

  const Network& network() const { return *network_; }
  // The library whose algorithms are taken: "Open MPI 4.1".
  const std::string& table_name() const { return choice_.table_name(); }

  // Whether the operation ("MPI_Allreduce") has a cost at all; one-sided, neighbourhood and persistent ones and the
  // making of communicators have none.
  static bool knows(const std::string& operation);

  // Seconds of one call with `bytes` as pmpi-comm counts them, on `ranks` ranks: finite, not negative. Messages between
  // two nodes are those of the class `other_node` unless all ranks are on one node. Empty for an operation that is not
  // known, or a call that could not be simulated.
  std::optional<double> call_s(const std::string& operation, uint32_t ranks, uint64_t bytes) const;

  // The algorithm or the terms of that cost: "Allreduce, 16 ranks, 8 B: recursive_doubling (...)".
  std::string explain(const std::string& operation, uint32_t ranks, uint64_t bytes) const;

 private:
  OperationCosts(Network network, AlgorithmChoice choice);
  double message_s(const mpi::Routine& routine, uint32_t ranks, uint64_t bytes) const;
  std::optional<double> collective_s(Collective collective, uint32_t ranks, uint64_t bytes) const;
  std::optional<double> simulated_s(Collective collective, Algorithm algorithm, uint32_t ranks, uint64_t bytes) const;

  struct Memory {
    std::mutex lock;
    std::map<std::tuple<Collective, Algorithm, uint32_t, uint64_t>, std::optional<double>> costs;
  };
  std::shared_ptr<const Network> network_;
  AlgorithmChoice choice_;
  std::shared_ptr<Memory> memory_;
};

}  // namespace scalediag::loggp
