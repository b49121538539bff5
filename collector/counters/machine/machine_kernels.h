// The loops by whose duration the machine is measured. Their file is compiled with the same options in every build
// type, and the compiler can leave nothing out: a debug build has to measure the same machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scalediag::counters {

// Follows `steps` pointers from `place`, each load waiting for the one before, and returns the last one.
// Precondition: steps is a multiple of kChaseUnroll; every pointer leads to another one.
constexpr size_t kChaseUnroll = 16;
void** chase(void** place, size_t steps);

// Reads one word of every line of memory[0, bytes), one after the other, so that loads overlap and prefetchers help:
// the fastest way to bring a working set into the caches. Precondition: line_bytes is a multiple of 8.
uint64_t touch_lines(const void* memory, size_t bytes, size_t line_bytes);

// Executes `blocks` x kAddsPerBlock integer additions of registers and as many times kLoopInstructions to loop.
// dependent: each waits for the one before, one cycle each on every x86-64 and Arm core known; additions of a constant
// would not do, which some cores eliminate. independent: eight chains, as many a cycle as the core can execute.
constexpr uint64_t kAddsPerBlock = 128;
constexpr uint64_t kLoopInstructions = 2;
uint64_t dependent_additions(uint64_t blocks);
uint64_t independent_additions(uint64_t blocks);

// a[i] = b[i] + factor c[i] for n elements.
void triad(double* a, const double* b, const double* c, double factor, size_t n);

}  // namespace scalediag::counters
