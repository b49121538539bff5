// One sample, as a sampler passes it on.
#pragma once

#include <cstdint>

namespace scalediag::inject {

struct Sample {
  uint64_t address = 0;        // of the application's instruction, also when the sample fell into the kernel
  uint64_t thread_cpu_ns = 0;  // CPU time of the thread since sampling began; grows from sample to sample
  bool in_kernel = false;
};

}  // namespace scalediag::inject
