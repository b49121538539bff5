#include "report/findings/causes/gpu_causes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/metric_names.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/findings/kernel_verdict.h"
#include "report/scaling/exact_counts.h"
#include "report/scaling/measured_series.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {
namespace {

using fit::KernelModel;

constexpr std::string_view kWaits = "[GPU wait] ";
constexpr const char* kHasItsWork = " has its own work for ";

// What is asked of a device, over the measured scales.
class Asked {
 public:
  Asked(const KernelModel& kernel, std::span<const double> at, Scaling scaling)
      : kernel_(kernel), at_(at.begin(), at.end()), scaling_(scaling) {}

  double at_largest(const char* metric) const { return fit::mean_at(kernel_.data().find(metric), at_); }
  double slowest_s() const { return fit::mean_at(&kernel_.data().critical_series(), at_); }
  double time_s() const { return fit::mean_at(&kernel_.data().main_series(), at_); }
  double exponent_of_time() const { return measured_slope(kernel_, kernel_.data().main_series(), at_).exponent; }

  // Of one rank that is busier than the others.
  std::optional<CauseFinding> imbalance(const std::string& does) const {
    const fit::KernelData& data = kernel_.data();
    // The least factor between the busiest rank and the mean one that names the rank whatever their slopes.
    constexpr double kMuchBusier = 2;
    const double most_s = slowest_s();
    const bool is_more = ranks_differ(data, 0) && most_s > kMuchBusier * time_s();
    // What hosts waited may differ by chance, which no count of samples tells: only of one and the same rank do slopes.
    const bool is_told = data.kind == fit::KernelKind::kDevice || data.slowest_rank;
    if (!is_more && !(is_told && is_imbalance(kernel_, at_, limit_of(scaling_)))) return std::nullopt;
    const std::string who = rank_text(data.slowest_rank);
    return CauseFinding{Cause::kImbalance, "one device is busier: " + (who.empty() ? "the slowest rank" : who) + does +
                                               core::time_text(most_s) + ", the mean " + core::time_text(time_s())};
  }

  std::optional<CauseFinding> transfers() const {
    if (!transfers_stay(kernel_, 0, at_, scaling_)) return std::nullopt;
    return CauseFinding{Cause::kTransfers, "bytes copied go as " + with_exponent(exponent(metric::kGpuBytes)) + ", " +
                                               core::bytes_text(at_largest(metric::kGpuBytes)) +
                                               " a rank at the largest scale; time as " +
                                               with_exponent(exponent_of_time())};
  }

  // `longest_s`: the time in which all of them are to be short: the mean rank's, the slowest one's, or the device's.
  std::optional<CauseFinding> launches(double longest_s) const {
    const double launches = at_largest(metric::kGpuLaunches);
    if (!(launches > 0) || !(longest_s < kShortLaunch_s * launches)) return std::nullopt;
    if (!count_stays(kernel_, metric::kGpuLaunches, 0, at_, scaling_)) return std::nullopt;
    return CauseFinding{Cause::kLaunches, "launches go as " + with_exponent(exponent(metric::kGpuLaunches)) + ", " +
                                              core::four_digits(launches) + " a rank at the largest scale, of " +
                                              core::time_text(time_s() / launches) + " each"};
  }

 private:
  double exponent(const char* metric) const {
    const fit::Series* series = kernel_.data().find(metric);
    return series == nullptr ? 0 : measured_slope(kernel_, *series, at_).exponent;
  }

  const KernelModel& kernel_;
  const std::vector<double> at_;
  const Scaling scaling_;
};

// The kernel on devices that takes longest of those that the function launched; null where their times are not known.
const KernelModel* longest_on_device(const fit::ApplicationModel& application, const fit::KernelData& waiting,
                                     std::span<const double> at) {
  const std::pair<std::string, std::string> function = {waiting.name.substr(kWaits.size()), waiting.module};
  const std::vector<double> largest(at.begin(), at.end());
  const KernelModel* longest = nullptr;
  double longest_s = 0;
  for (const KernelModel& kernel : application.kernels()) {
    const double time_s = fit::mean_at(kernel.data().find(metric::kDevice), largest);
    if (kernel.data().called_by.count(function) == 0 || time_s <= longest_s) continue;
    longest = &kernel;
    longest_s = time_s;
  }
  return longest;
}

}  // namespace

CauseFinding host_gpu_cause(const fit::ApplicationModel& application, const KernelModel& kernel,
                            std::span<const double> at, Scaling scaling) {
  const Asked asked(kernel, at, scaling);
  // Calls that wait for nothing are the host's time.
  const bool waits = kernel.data().name.starts_with(kWaits);
  const KernelModel* on_device = waits ? longest_on_device(application, kernel.data(), at) : nullptr;
  if (waits) {
    // Counts repeat exactly, and come before times.
    if (auto cause = asked.transfers()) return *cause;
    if (auto cause = asked.launches(asked.slowest_s()); cause && on_device == nullptr) return *cause;
    // A host may wait longer than others for as much work. The devices' times tell, where they are known.
    const auto imbalance = on_device == nullptr ? asked.imbalance(" waits for its own ")
                                                : Asked(*on_device, at, scaling).imbalance(kHasItsWork);
    if (imbalance) return *imbalance;
  }
  const double launched_s = on_device == nullptr ? asked.time_s() : Asked(*on_device, at, scaling).time_s();
  if (auto cause = asked.launches(launched_s)) return *cause;
  if (!waits) return {};
  const std::string time = "time goes as " + with_exponent(asked.exponent_of_time());
  if (on_device == nullptr) {
    return {Cause::kDeviceWork, time +
                                    ", launches and bytes copied do not explain it; `scalediag profile --gpu activity` "
                                    "times the kernels"};
  }
  // Work that shrinks, while the host's waiting for it does not, is not what holds the host up.
  constexpr double kOtherTrend = 0.3;
  const Asked of_device(*on_device, at, scaling);
  if (of_device.exponent_of_time() < asked.exponent_of_time() - kOtherTrend) return {};
  return {Cause::kDeviceWork, time + ", " + on_device->data().name + " as " +
                                  with_exponent(of_device.exponent_of_time()) + ", " +
                                  core::time_text(of_device.time_s()) + " a rank at the largest scale"};
}

CauseFinding device_cause(const KernelModel& kernel, std::span<const double> at, Scaling scaling) {
  const Asked asked(kernel, at, scaling);
  if (auto cause = asked.imbalance(kHasItsWork)) return *cause;
  if (kernel.data().is_copy) {
    if (auto cause = asked.transfers()) return *cause;
    return {};
  }
  if (auto cause = asked.launches(asked.time_s())) return *cause;
  return {Cause::kDeviceWork, "the device's time for it goes as " + with_exponent(asked.exponent_of_time())};
}

CauseFinding with_idle_devices(const fit::ApplicationModel& application, const CauseFinding& messages) {
  // Devices work for the program from this share of the run on, and are idle in MPI from this share of its time on.
  constexpr double kWork = 0.05, kIdle = 0.9;
  const fit::ApplicationData& data = application.data();
  const auto at_largest = [&](const char* name) {
    const auto total = data.totals.find(name);
    return total == data.totals.end() ? 0 : fit::mean_at(&total->second, data.configurations.back().at);
  };
  const double busy_s = at_largest(metric::kDeviceBusyMax), in_mpi_s = at_largest("communication_s");
  double waited_s = 0;
  for (const KernelModel& kernel : application.kernels()) {
    if (kernel.data().name.starts_with(kWaits))
      waited_s += fit::mean_at(&kernel.data().main_series(), data.configurations.back().at);
  }
  if (messages.cause == Cause::kNone || !(in_mpi_s > 0)) return messages;
  if (!(at_largest(metric::kDeviceKernels) > kWork * at_largest(metric::kRun))) return messages;
  // While the host waits for its device, that works. What it works beyond is at most what goes by in MPI.
  const double idle = 1 - std::max(0.0, busy_s - waited_s) / in_mpi_s;
  if (idle < kIdle) return messages;
  return {Cause::kIdleDevice,
          "devices have nothing to do for about " + core::percent(idle) + " of the time in MPI; " + messages.evidence};
}

}  // namespace scalediag::report
