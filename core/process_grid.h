// The arrangement of a number of processes in a grid, as MPI_Dims_create does it, and the number theory beside it.
#pragma once

#include <array>
#include <set>

namespace scalediag::core {

// The sides of the most compact grid of `processes` in `dimensions` (1 to 3), falling; unused dimensions are 1. In two
// dimensions the sides differ least; in three their sum is smallest, and of equal sums the shortest side is longest.
// Precondition: processes >= 1.
std::array<int, 3> process_grid(int processes, int dimensions);

bool is_square(int processes);
bool is_cube(int processes);

std::set<int> prime_factors(int number);

}  // namespace scalediag::core
