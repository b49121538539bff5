#include "fit/profile/device_kernels.h"

#include <map>
#include <optional>
#include <utility>

#include "core/profile/device_efficiencies.h"
#include "core/profile/metric_names.h"
#include "core/text/join.h"
#include "core/text/quantities.h"

namespace scalediag::fit {
namespace {

using core::GpuOperation;
using core::Run;

// The calls of one kernel, or of copies in one direction, in a run.
struct Work {
  bool is_copy = false;
  double launches = 0, bytes = 0;  // of the mean rank
  double calls = 0, timed = 0;     // of all ranks
  core::OverRanks device_s;
  std::vector<const core::OverRanks*> times;  // of the functions that began it
};
using WorkByRun = std::map<const Run*, Work>;

bool is_copy(const GpuOperation& o) { return o.kind == "copy" || o.kind == "copy and wait"; }

// Empty for what devices do not do.
std::string name_of(const GpuOperation& o) {
  if (o.detail.empty()) return "";
  if (o.kind == "launch") return "[on GPU] " + o.detail;
  return is_copy(o) ? "[on GPU] copy " + o.detail : "";
}

std::map<std::string, WorkByRun> work_of(const RunSeries& runs) {
  std::map<std::string, WorkByRun> all;
  for (const auto& repeats : runs.by_configuration()) {
    for (const Run* run : repeats) {
      for (const GpuOperation& o : run->gpu) {
        const std::string name = name_of(o);
        if (name.empty() || run->gpu_timed_by.empty() || core::is_timed_by_parts(*run, o)) continue;
        Work& work = all[name][run];
        work.is_copy = is_copy(o);
        work.launches += o.calls.mean;
        work.bytes += is_copy(o) ? o.bytes.mean : 0;
        work.calls += o.calls.sum;
        work.timed += o.timed_calls.sum;
        work.times.push_back(&o.device_s);
      }
    }
  }
  for (auto& [name, by_run] : all) {
    for (auto& [run, work] : by_run) work.device_s = together_over_ranks(work.times);
  }
  return all;
}

bool is_timed(const WorkByRun& by_run) {
  for (const auto& [run, work] : by_run) {
    if (work.timed < core::kTimedEnough * work.calls) return false;
  }
  return true;
}

// KernelFacts::called_by. Sites hold the calls of one of the functions of the library.
void add_callers(const Run& run, const std::string& name, double calls, KernelData& kernel) {
  constexpr double kMost = 0.5;
  std::map<std::pair<std::string, std::string>, double> by_caller;
  for (const GpuOperation& o : run.gpu) {
    if (name_of(o) != name) continue;
    for (const core::FileSite& s : o.sites) by_caller[{s.function, s.module}] += s.calls.sum;
  }
  for (const auto& [caller, of_caller] : by_caller) {
    if (of_caller > kMost * calls) kernel.called_by.insert(caller);
  }
}

KernelData kernel_of(const RunSeries& runs, const std::string& name, const WorkByRun& by_run) {
  KernelData kernel;
  kernel.name = name;
  kernel.kind = KernelKind::kDevice;
  kernel.metric = metric::kDevice;
  kernel.is_copy = by_run.begin()->second.is_copy;
  const auto add = [&](const char* metric, double (*of)(const Work&)) {
    Series series = runs.series(name, metric, [&](const Run& run) -> std::optional<double> {
      const auto found = by_run.find(&run);
      if (found != by_run.end()) return of(found->second);
      return run.gpu_timed_by.empty() ? std::nullopt : std::optional(0.0);
    });
    if (!is_zero_everywhere(series)) kernel.series[metric] = std::move(series);
  };
  add(metric::kDevice, [](const Work& work) { return work.device_s.mean; });
  add(metric::kGpuLaunches, [](const Work& work) { return work.launches; });
  add(metric::kGpuBytes, [](const Work& work) { return work.bytes; });
  add(metric::kGpuBandwidth,
      [](const Work& work) { return work.device_s.mean > 0 ? work.bytes / work.device_s.mean : 0; });
  for (const auto& [run, work] : by_run) add_callers(*run, name, work.calls, kernel);
  RunSeries::Slowest slowest = runs.slowest([&](const Run& run) {
    const auto found = by_run.find(&run);
    return TimeOverRanks{found == by_run.end() ? nullptr : &found->second.device_s, 0};
  });
  std::erase_if(slowest.time_s, [](const auto& of_run) { return of_run.first->gpu_timed_by.empty(); });
  runs.set_slowest(slowest, kernel);
  return kernel;
}

}  // namespace

std::vector<KernelData> device_kernels(const RunSeries& runs, std::vector<std::string>& notes) {
  std::vector<KernelData> kernels;
  std::vector<std::string> untimed;
  const std::map<std::string, WorkByRun> all = work_of(runs);
  for (const auto& [name, by_run] : all) {
    if (!is_timed(by_run)) {
      untimed.push_back(name);
      continue;
    }
    KernelData kernel = kernel_of(runs, name, by_run);
    if (kernel.find(metric::kDevice) != nullptr) kernels.push_back(std::move(kernel));
  }
  if (!untimed.empty()) {
    notes.push_back("the device's time is not modelled for " + core::join(untimed) +
                    ", since too few of the calls could be timed");
  }
  return kernels;
}

}  // namespace scalediag::fit
