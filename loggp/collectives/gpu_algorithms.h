// The algorithms that NCCL and RCCL are taken to choose for communication between GPUs.
//
// Both choose by a model of the machine that no table holds (their maintainers say that there is no easy rule:
// github.com/NVIDIA/nccl, issue 754). The rule here is one of size:
//
//   Allreduce       along a double binary tree where a rank's part, bytes / ranks, is below 2 KiB; else in a ring,
//                   2 (P - 1) steps of bytes / P. RCCL's table for 8 gfx950 in a node has the same limit for small
//                   calls, 16 KiB (rocm-systems, projects/rccl/tuner).
//   Allgather, Reduce_scatter   in a ring, P - 1 steps
//   Bcast, Reduce   NCCL sends pieces along a ring, one after another. Here a Bcast is a scatter and a ring, and a Reduce
//                   is Rabenseifner's, each of which sends up to twice the bytes once.
#pragma once

#include <optional>
#include <string_view>

#include "loggp/collectives/collective_names.h"

namespace scalediag::loggp {

inline constexpr uint64_t kLeastRingPart = 2048;  // bytes

inline bool is_gpu_communication(std::string_view routine) { return routine.substr(0, 4) == "nccl"; }

// Nothing: as the MPI library chooses. Precondition: ranks >= 1.
constexpr std::optional<Algorithm> gpu_algorithm(Collective collective, uint64_t ranks, uint64_t bytes) {
  switch (collective) {
    case Collective::kAllreduce: return bytes / ranks < kLeastRingPart ? Algorithm::kDoubleTree : Algorithm::kRing;
    case Collective::kAllgather:
    case Collective::kReduceScatter: return Algorithm::kRing;
    case Collective::kBcast: return Algorithm::kScatterRing;
    case Collective::kReduce: return Algorithm::kRabenseifner;
    default: return std::nullopt;
  }
}

}  // namespace scalediag::loggp
