// Measurements that need several cores at once: memory bandwidth and frequency under load. Every thread is pinned to a
// CPU of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "core/experiment/machine.h"
#include "core/result.h"

namespace scalediag::counters {

// Pins the calling thread; false where that is refused.
bool pin_to_cpu(int cpu);

// Whether every thread so far was pinned to its CPU. Where one was not, several may have shared a CPU.
class Pinning {
 public:
  void note(bool pinned) {
    if (!pinned) refused_ = true;
  }
  bool refused() const { return refused_; }

 private:
  std::atomic<bool> refused_{false};
};

// Triad a = b + s c on the first `cores` of `cpus`, each on its part of arrays of `total_bytes` together. Each core has
// touched its part itself, so that it lies in the nearest memory. A repeat lasts from the first thread's start to the
// last one's end. Error (kEnvironment): not enough memory, or no thread can be started.
Result<core::MachineBandwidth> measure_bandwidth(const std::vector<int>& cpus, int cores, size_t total_bytes,
                                                 int repeats, Pinning& pinning);

// Cycles a second of a core, mean over the first `cores` of `cpus` while all of them work, by dependent additions: the
// median of at least `repeats`. Value 0 where no thread can be started.
core::MachineValue measure_frequency(const std::vector<int>& cpus, int cores, int repeats, Pinning& pinning);

}  // namespace scalediag::counters
