#include "core/profile/device_efficiencies.h"

namespace scalediag::core {

std::optional<DeviceEfficiencies> device_efficiencies(const DeviceTimes& times, double run_s) {
  if (!(times.kernels_s > 0) || !(times.most_kernels_s > 0) || !(run_s >= times.most_busy_s)) return std::nullopt;
  return DeviceEfficiencies{times.kernels_s / run_s, times.kernels_s / times.most_kernels_s,
                            times.most_kernels_s / times.most_busy_s, times.most_busy_s / run_s};
}

double timed_share(const Run& run) {
  double asked = 0, answered = 0;
  for (const GpuOperation& o : run.gpu) {
    if (o.kind != "launch" && o.kind != "copy" && o.kind != "copy and wait") continue;
    asked += o.calls.sum;
    answered += o.timed_calls.sum;
  }
  return asked > 0 ? answered / asked : 0;
}

}  // namespace scalediag::core
