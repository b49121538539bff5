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

bool AllowedCpus::write_changed(raw::Encoder& to) {
  if (!changed_) return false;
  const size_t at = to.size();
  to.u32(0);
  uint32_t ranges = 0;
  for (uint32_t cpu = 0; cpu < kMostCpus; ++cpu) {
    if (!allowed_.has(cpu)) continue;
    to.u32(cpu);
    while (allowed_.has(cpu + 1)) ++cpu;
    to.u32(cpu);
    ++ranges;
  }
  to.set_u32(at, ranges);
  changed_ = false;
  return true;
}

}  // namespace scalediag::inject
