#include "core/profile/device_efficiencies.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace scalediag::core {

std::optional<DeviceEfficiencies> device_efficiencies(const DeviceTimes& times, double run_s) {
  if (!(times.kernels_s > 0) || !(times.most_kernels_s > 0) || !(run_s >= times.most_busy_s)) return std::nullopt;
  return DeviceEfficiencies{times.kernels_s / run_s, times.kernels_s / times.most_kernels_s,
                            times.most_kernels_s / times.most_busy_s, times.most_busy_s / run_s};
}

bool is_timed_by_parts(const Run& run, const GpuOperation& o) {
  return run.gpu_timed_by == "CUPTI" && o.detail == "[graph]";
}

double timed_share(const Run& run) {
  struct Calls {
    double asked = 0, answered = 0;
  };
  std::map<std::pair<bool, std::string>, Calls> by_work;  // launches or copies, of a kernel or in a direction
  bool has_parts = false;
  for (const GpuOperation& o : run.gpu) {
    const bool is_launch = o.kind == "launch";
    if (!is_launch && o.kind != "copy" && o.kind != "copy and wait") continue;
    if (is_timed_by_parts(run, o)) {
      has_parts = true;
      continue;
    }
    Calls& calls = by_work[{is_launch, o.detail}];
    calls.asked += o.calls.sum;
    calls.answered += o.timed_calls.sum;
  }
  Calls all;
  for (const auto& [work, calls] : by_work) {
    all.asked += calls.asked;
    all.answered += std::min(calls.asked, calls.answered);
  }
  if (all.asked > 0) return all.answered / all.asked;
  return has_parts ? 1 : 0;
}

}  // namespace scalediag::core
