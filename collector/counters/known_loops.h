// Work whose counts are known, to try counters on.
#pragma once

#include <cstdint>

namespace scalediag::counters {

// Runs `iterations` times two instructions, a subtraction and a conditional branch, and returns how many instructions
// that are; 0 on processors for which the loop is not written in assembly.
uint64_t run_counted_loop(uint64_t iterations);

// Some milliseconds of loads and stores over more memory than caches hold, floating point, and branches that cannot be
// foretold. Every event of use to us happens in it.
void run_mixed_work();

}  // namespace scalediag::counters
