// The CPUs that the threads of this process may run on: what the launcher, taskset, a batch system or the program
// itself has bound them to.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>

#include "core/raw_format.h"

namespace scalediag::inject {

class AllowedCpus {
 public:
  // Adds those of one thread. A thread that is gone adds none.
  void add(pid_t tid);
  // Writes all that were added, as raw::ChunkKind::kAllowedCpus. False: nothing is new since the last time. May throw
  // std::bad_alloc.
  bool write_changed(raw::Encoder& to);

 private:
  static constexpr size_t kWords = 128;  // 8,192 CPUs, as many as Linux can be made for
  static constexpr size_t kBits = 8 * sizeof(unsigned long);
  std::array<unsigned long, kWords> allowed_{};
  bool changed_ = false;
};

}  // namespace scalediag::inject
