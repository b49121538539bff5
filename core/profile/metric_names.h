// The names of metrics that code asks for, as they stand in profile.json and report.json. profile.h says what those of
// kernels are, fit/application/application_data.h those of series and totals.
#pragma once

namespace scalediag::metric {

// Of kernels.
inline constexpr char kTime[] = "time_s";
inline constexpr char kCritical[] = "critical_s";
inline constexpr char kElapsed[] = "elapsed_s";
inline constexpr char kBlocked[] = "blocked_s";
inline constexpr char kConcentration[] = "concentration";
inline constexpr char kCalls[] = "calls";
inline constexpr char kBytes[] = "bytes";
inline constexpr char kCommunicatorSize[] = "communicator_size";
inline constexpr char kInstructions[] = "instructions";
inline constexpr char kComputing[] = "t_comp_s";
inline constexpr char kStalled[] = "t_stall_s";
inline constexpr char kStalledAtMost[] = "t_stall_high_s";
inline constexpr char kMemory[] = "t_mem_s";
inline constexpr char kMemoryBlocking[] = "bf_mem";
// For kernels of kind gpu: the work that the same function gave to its device, in all calls, a rank.
inline constexpr char kGpuLaunches[] = "gpu_launches";
inline constexpr char kGpuBytes[] = "gpu_bytes";  // copied
// For what devices do, by name: a device's time for it, of the mean rank, and for copies its bytes a second.
inline constexpr char kDevice[] = "device_s";
inline constexpr char kGpuBandwidth[] = "gpu_bandwidth";

// Of whole runs.
inline constexpr char kRun[] = "run_s";
inline constexpr char kComputation[] = "computation_s";
inline constexpr char kSlowestComputation[] = "computation_max_s";
inline constexpr char kOthers[] = "others_s";
inline constexpr char kGpu[] = "gpu_s";
// Of devices: kernels of the mean rank and of the one that has most, kernels and copies of the one that has most.
inline constexpr char kDeviceKernels[] = "device_kernels_s";
inline constexpr char kDeviceKernelsMax[] = "device_kernels_max_s";
inline constexpr char kDeviceBusyMax[] = "device_busy_max_s";

}  // namespace scalediag::metric
