// The CPUs that the threads of this process may run on: those that the launcher, taskset, a batch system or the program
// itself has bound them to.
#pragma once

#include <sys/types.h>

#include "collector/inject/cpus/cpu_set.h"
#include "core/raw/raw_format.h"

namespace scalediag::inject {

class AllowedCpus {
 public:
  // Adds the CPUs of one thread. A thread that is gone adds none.
  void add(pid_t tid);
  // Writes all CPUs that were added, as raw::ChunkKind::kAllowedCpus. False: nothing is new since the last time. May
  // throw std::bad_alloc.
  bool write_changed(raw::Encoder& to);

 private:
  CpuSet allowed_;
  bool changed_ = false;
};

}  // namespace scalediag::inject
