#include "report/scaling/exact_counts.h"

#include <algorithm>
#include <vector>

#include "core/profile/metric_names.h"
#include "report/scaling/measured_series.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {
namespace {

using fit::KernelKind;

// A copy of fewer bytes costs no more than its latency, about 10 us at 10 GB/s.
constexpr double kSmallCopy = 1e5;

bool stays(std::span<const MeasuredScale> counts, Scaling scaling) {
  if (counts.size() < 2) return false;
  const auto all = slope_of(counts), last = slope_of(counts.last(2));
  return all && last && all->exponent > limit_of(scaling) && last->exponent > limit_of(scaling);
}

// Empty: it is not known, or not exactly where it `has_to_be_exact`.
std::vector<MeasuredScale> scales_of(const fit::KernelData& kernel, const char* metric, size_t processes,
                                     std::span<const double> at, bool has_to_be_exact = true) {
  const fit::Series* series = kernel.find(metric);
  if (series == nullptr || (has_to_be_exact && series->is_estimate)) return {};
  return along_processes(*series, processes, largest_configuration(*series, processes, at), 0);
}

// At the largest measured scale; 0 where it is not known.
double at_largest(const fit::KernelData& kernel, const char* metric, size_t processes, std::span<const double> at) {
  const auto scales = scales_of(kernel, metric, processes, at, false);
  return scales.empty() ? 0 : scales.back().value;
}

// One rank alone sends no messages, and does not share its work.
bool stays_for_several(const fit::KernelModel& kernel, const char* metric, bool is_sum, size_t processes,
                       std::span<const double> at, Scaling scaling) {
  auto scales = scales_of(kernel.data(), metric, processes, at);
  std::erase_if(scales, [](const MeasuredScale& scale) { return scale.processes < 2; });
  for (MeasuredScale& scale : scales) scale.value /= is_sum ? scale.processes : 1;
  return stays(scales, scaling);
}

// Copies take the time of their bytes where these would make a part that matters of it, as slowly as memory of a busy
// host is copied.
bool time_is_of_transfers(const fit::KernelModel& kernel, size_t processes, std::span<const double> at, double time_s) {
  constexpr double kMatters = 0.02, kSlow_bytes_per_s = 1e9;
  return at_largest(kernel.data(), metric::kGpuBytes, processes, at) / kSlow_bytes_per_s >= kMatters * time_s;
}

// Launches take the time of launching where each takes hardly more than that, and their kernels cannot get shorter.
bool time_is_of_launches(const fit::KernelModel& kernel, size_t processes, std::span<const double> at, double time_s) {
  constexpr double kHardlyMore_s = 20e-6;
  return time_s < kHardlyMore_s * at_largest(kernel.data(), metric::kGpuLaunches, processes, at);
}

}  // namespace

bool count_stays(const fit::KernelModel& kernel, const char* metric, size_t processes, std::span<const double> at,
                 Scaling scaling) {
  return stays(scales_of(kernel.data(), metric, processes, at), scaling);
}

bool transfers_stay(const fit::KernelModel& kernel, size_t processes, std::span<const double> at, Scaling scaling) {
  const double bytes = at_largest(kernel.data(), metric::kGpuBytes, processes, at);
  return bytes > kSmallCopy * std::max(1.0, at_largest(kernel.data(), metric::kGpuLaunches, processes, at)) &&
         count_stays(kernel, metric::kGpuBytes, processes, at, scaling);
}

bool is_mostly_waiting(const fit::KernelData& kernel, size_t processes, std::span<const double> at) {
  // With the CPU clock an operation has the time of its messages alone, less than what went by.
  constexpr double kMost = 0.5, kAllOfIt = 0.9;
  if (kernel.kind != KernelKind::kMpi) return false;
  const double elapsed_s = at_largest(kernel, metric::kElapsed, processes, at);
  return at_largest(kernel, metric::kTime, processes, at) >= kAllOfIt * elapsed_s &&
         at_largest(kernel, metric::kBlocked, processes, at) > kMost * elapsed_s;
}

bool counts_stay(const fit::KernelModel& kernel, size_t processes, std::span<const double> at, Scaling scaling) {
  const fit::KernelData& data = kernel.data();
  if (kernel.on_given_network()) return false;
  const auto several = [&](const char* metric, bool is_sum) {
    return stays_for_several(kernel, metric, is_sum, processes, at, scaling);
  };
  switch (data.kind) {
    case KernelKind::kFunction: return several(metric::kInstructions, false);
    case KernelKind::kMpi:
      if (is_mostly_waiting(data, processes, at)) return false;
      return data.find("critical_calls") != nullptr
                 ? several("critical_calls", false) && several("critical_bytes", false)
                 : several(metric::kCalls, true) && several(metric::kBytes, true);
    case KernelKind::kGpu:
    case KernelKind::kDevice: {
      const double time_s = at_largest(data, data.main_series().metric.c_str(), processes, at);
      return (transfers_stay(kernel, processes, at, scaling) && time_is_of_transfers(kernel, processes, at, time_s)) ||
             (count_stays(kernel, metric::kGpuLaunches, processes, at, scaling) &&
              time_is_of_launches(kernel, processes, at, time_s));
    }
    default: return false;
  }
}

bool times_lean(const fit::Series& times, size_t processes, std::span<const double> at, Scaling scaling) {
  const auto slope = slope_of(along_processes(times, processes, largest_configuration(times, processes, at), 0));
  return slope && slope->exponent > limit_of(scaling);
}

}  // namespace scalediag::report
