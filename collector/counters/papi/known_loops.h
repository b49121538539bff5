// Work with known counts, for checking counters.
#pragma once

#include <cstdint>

namespace scalediag::counters {

// Executes two instructions, a subtraction and a conditional branch, `iterations` times and returns the number of
// instructions; 0 on processors for which the loop is not written in assembly.
uint64_t run_counted_loop(uint64_t iterations);

// Some milliseconds of loads and stores over more memory than caches hold, floating point, and branches that cannot be
// predicted. Every event that we use happens in it.
void run_mixed_work();

// Some milliseconds of loads, stores and floating point that the first-level cache serves: what programs do often is
// done about as often here as in any program.
void run_dense_work();

}  // namespace scalediag::counters
