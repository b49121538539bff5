#include "collector/inject/cpus/allowed_cpus.h"

namespace scalediag::inject {

void AllowedCpus::add(pid_t tid) {
  const CpuSet of_thread = cpus_of(tid);
  for (uint32_t cpu = 0; cpu < kMostCpus; ++cpu) {
    if (!of_thread.has(cpu) || allowed_.has(cpu)) continue;
    allowed_.add(cpu);
    changed_ = true;
  }
}

std::vector<raw::CpuRange> AllowedCpus::take_changed() {
  std::vector<raw::CpuRange> ranges;
  if (!changed_) return ranges;
  for (uint32_t cpu = 0; cpu < kMostCpus; ++cpu) {
    if (!allowed_.has(cpu)) continue;
    const uint32_t first = cpu;
    while (allowed_.has(cpu + 1)) ++cpu;
    ranges.push_back({first, cpu});
  }
  changed_ = false;
  return ranges;
}

}  // namespace scalediag::inject
