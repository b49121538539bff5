// Gatherv, Scatterv, Alltoallv and Alltoallw as the messages that the MPI library sends, in its order.
//
//   Open MPI 4.1 and 5  Alltoallv of fewer than 4, 64 to 127 and 256 to 1023 ranks: pairwise; else all at once
//   MPICH               Alltoallv, Alltoallw: scattered, 32 at a time
//   the others          all at once
//
// All at once: receives from all ranks, then sends to all, the first rank first. Pairwise: in step k to the k-th rank
// above and from the k-th rank below, one after another. Scattered: receives from the ranks above, sends to those
// below, the nearest first. (Read off Open MPI 4.1.4's coll/tuned and coll/base and MPICH 4.0's alltoallv.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loggp/simulator/program.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// The meaning of peers in an exchange's operations: ranks, or the places of peers that are the same for every rank of a
// class, which peer_at() turns into ranks.
enum class ExchangePeers : uint8_t { kRanks, kPlaces };

// Appends the operations of `event`, a kExchange of `trace`: `op` with kind, peer and bytes of each message. For
// kPlaces the event's peers are the members of its communicator, from trace.rank on, each a rank further.
void append_exchange(const RankTrace& trace, const TraceEvent& event, ExchangePeers peers, Op op, std::vector<Op>& to);

// The index in a communicator of `size` ranks of the peer at `place`, for its rank of index `own`.
inline size_t peer_at(int place, size_t own, size_t size) {
  if (place >= 0) return (own + static_cast<size_t>(place)) % size;  // so many ranks above
  const auto other = static_cast<size_t>(~place);                    // the index among the others
  return other < own ? other : other + 1;
}

}  // namespace scalediag::loggp
