// Equations of communicators: all ranks, a rank alone, or the ranks of a process grid that differ from a rank only
// along some of its sides, in order.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "core/equations/process_grid.h"

namespace scalediag::loggp {

constexpr size_t kMostCommunicatorRelations = 24;
using CommunicatorSet = std::bitset<kMostCommunicatorRelations>;

size_t communicator_relations();

// The members for `rank` among `ranks`, in order; empty: all.
std::vector<int> members_by(size_t relation, int ranks, int rank);

// Those that give these members; empty ones stand for all ranks. `ordinal`: of the communicator among those with the
// same members; the first of all ranks is MPI_COMM_WORLD, which is nothing but all ranks.
CommunicatorSet communicator_relations_of(int ranks, int rank, const std::vector<int>& members, uint64_t ordinal);

// The line for all ranks and a rank alone.
core::GridKind grid_of_communicator(size_t relation);

std::string text_of_communicator(size_t relation);  // "all ranks", "side 1 of a plane"

}  // namespace scalediag::loggp
