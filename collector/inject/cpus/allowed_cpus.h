// The CPUs that the threads of this process may run on: those that the launcher, taskset, a batch system or the program
// itself has bound them to.
#pragma once

#include <sys/types.h>

#include <vector>

#include "collector/inject/cpus/cpu_set.h"
#include "core/raw/raw_records.h"

namespace scalediag::inject {

class AllowedCpus {
 public:
  // Adds the CPUs of one thread. A thread that is gone adds none.
  void add(pid_t tid);
  // All CPUs that were added, as raw::ChunkKind::kAllowedCpus has them; empty where nothing is new since the last time.
  // May throw std::bad_alloc.
  std::vector<raw::CpuRange> take_changed();

 private:
  CpuSet allowed_;
  bool changed_ = false;
};

}  // namespace scalediag::inject
