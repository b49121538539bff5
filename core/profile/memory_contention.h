// Whether the last level of cache already costs a kernel: test E of Ding et al. 2018, section 2. Where it does, a
// prediction for another problem size from what was measured is in doubt, since a larger part of the problem on each
// rank misses the caches by more than the part that was measured.
#pragma once

#include <optional>

namespace scalediag::core {

// The largest E, accesses that miss the last level over all accesses, without memory contention.
constexpr double kMemoryContention = 1e-4;

// The signs of contention in one kernel, means over ranks.
struct MissEvidence {
  double llc_miss_ratio = 0;  // E
  double memory_accesses = 0;
  std::optional<double> t_mem_memory_s;  // empty without a machine
  double time_s = 0;
};
// Whether E is above kMemoryContention, with more misses than chance makes (1000), which would take at least 1 % of the
// kernel's time one after the other. One miss of a function that hardly does anything is no contention.
bool shows_contention(const MissEvidence& evidence);

}  // namespace scalediag::core
