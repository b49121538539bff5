// What needs several cores at once: memory bandwidth and frequency under load. Every thread is pinned to a CPU of its
// own.
#pragma once

#include <cstddef>
#include <vector>

#include "core/machine.h"
#include "core/result.h"

namespace scalediag::counters {

// Pins the calling thread; false where that is refused.
bool pin_to_cpu(int cpu);

// Triad a = b + s c on the first `cores` of `cpus`, each on its part of arrays of `total_bytes` together, which it has
// touched itself, so that the part lies in the memory nearest to it. A repeat lasts from the first thread's start to
// the last one's end. Error (kEnvironment): not so much memory, or no thread can be started.
core::Result<core::MachineBandwidth> measure_bandwidth(const std::vector<int>& cpus, int cores, size_t total_bytes,
                                                       int repeats);

// Cycles a second of a core, mean over the first `cores` of `cpus` while all of them work, by dependent additions: the
// median of at least `repeats`. Value 0 where no thread can be started.
core::MachineValue measure_frequency(const std::vector<int>& cpus, int cores, int repeats);

}  // namespace scalediag::counters
