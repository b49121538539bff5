// Efficiencies of the devices of a run, as TALP of DLB defines them: each rank has one device, and
//
//   efficiency = mean K / T = load balance x communication x orchestration
//   load balance = mean K / max K, communication = max K / max (K + M), orchestration = max (K + M) / T
//
// with T the run between MPI_Init and MPI_Finalize, K and M a device's time of kernels and of copies.
#pragma once

#include <optional>

#include "core/profile/profile.h"

namespace scalediag::core {

struct DeviceEfficiencies {
  double efficiency = 1;  // the product of the next three
  double load_balance = 1;
  double communication = 1;
  double orchestration = 1;  // the rest devices wait for their hosts, or for messages
};

struct DeviceTimes {
  double kernels_s = 0, most_kernels_s = 0;  // of the mean rank, of the one that has most
  double most_busy_s = 0;                    // kernels and copies of the rank that has most
};

// Empty where no kernel ran, or where devices are busy for longer than the run, as with several streams at once.
std::optional<DeviceEfficiencies> device_efficiencies(const DeviceTimes& times, double run_s);

// Launches of graphs that CUPTI times by their kernels, which have rows of their own.
bool is_timed_by_parts(const Run& run, const GpuOperation& operation);
// The share of a run's launches and copies that was timed; 0 without any. Kernels that no call was seen to launch are
// none of them.
double timed_share(const Run& run);
// The share from which on their times stand for all.
constexpr double kTimedEnough = 0.95;

}  // namespace scalediag::core
