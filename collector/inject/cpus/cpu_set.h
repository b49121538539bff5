// Sets of CPUs, with room for the largest number that Linux can be configured for.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace scalediag::inject {

constexpr uint32_t kMostCpus = 8192;

struct CpuSet {
  cpu_set_t words[kMostCpus / CPU_SETSIZE] = {};
  bool has(uint32_t cpu) const { return cpu < kMostCpus && CPU_ISSET_S(cpu, sizeof words, words); }
  void add(uint32_t cpu) { CPU_SET_S(cpu, sizeof words, words); }
  int count() const { return CPU_COUNT_S(sizeof words, words); }
};

// The CPUs that a thread (0: the calling one) may run on; empty where the kernel does not tell.
inline CpuSet cpus_of(pid_t thread) {
  CpuSet set;
  if (sched_getaffinity(thread, sizeof set.words, set.words) != 0) set = {};
  return set;
}

}  // namespace scalediag::inject
