#include "core/profile/memory_contention.h"

namespace scalediag::core {

bool shows_contention(const MissEvidence& evidence) {
  constexpr double kFewestMisses = 1000;
  constexpr double kShareOfTime = 0.01;
  if (evidence.llc_miss_ratio <= kMemoryContention || evidence.memory_accesses < kFewestMisses) return false;
  return evidence.time_s > 0 && evidence.t_mem_memory_s.value_or(evidence.time_s) >= kShareOfTime * evidence.time_s;
}

}  // namespace scalediag::core
