// Elapsed time outside of MPI in which a rank did not compute.
#pragma once

#include "core/profile/profile.h"

namespace scalediag::core {

// With the wall clock: the kernel of the time in which the main thread was neither in MPI nor on a CPU, because other
// programs had its core or it waited for files.
inline constexpr char kOffCpu[] = "[off-CPU]";

// The share of a run from which that is told.
inline constexpr double kTolerableOffCpu = 0.05;

// Of a rank, mean over ranks, in seconds; 0 with the CPU clock.
inline double off_cpu_s(const Run& run) {
  for (const Kernel& kernel : run.kernels) {
    if (kernel.name != kOffCpu || kernel.kind != KernelKind::kSystem) continue;
    const auto time = kernel.metrics.find("time_s");
    if (time != kernel.metrics.end()) return time->second.mean;
  }
  return 0;
}

}  // namespace scalediag::core
