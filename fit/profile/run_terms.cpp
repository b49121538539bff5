#include "fit/profile/run_terms.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/profile/device_efficiencies.h"
#include "fit/profile/program_instructions.h"

namespace scalediag::fit {
namespace {

using core::Run;

TimeOverRanks computation_of(const Run& run) {
  double samples = 0;
  for (const core::Kernel& k : run.kernels) {
    if (k.kind != core::KernelKind::kWaiting && k.kind != core::KernelKind::kGpu)
      samples += static_cast<double>(k.samples);
  }
  return {&run.times.computation_s, samples};
}

double unattributed(const Run& run) { return std::max(0.0, run.times.unattributed_s.mean); }

// CPU time of waiting threads over that of computation, all threads.
double openmp_idleness(const Run& run) {
  double working = 0, waiting = 0;
  for (const core::Kernel& k : run.kernels) {
    const core::OverRanks* cpu = find_metric(k, "cpu_s");
    if (cpu != nullptr) (k.kind == core::KernelKind::kWaiting ? waiting : working) += cpu->sum;
  }
  return working > 0 ? waiting / working : 0;
}

bool have_waited(const std::vector<const Run*>& runs) {
  return std::ranges::any_of(runs, [](const Run* run) { return openmp_idleness(*run) > 0; });
}

}  // namespace

RunTerms::RunTerms(const RunSeries& runs, const CallCosts& costs)
    : runs_(runs), costs_(costs), slowest_computation_(runs.slowest(computation_of)) {}

void RunTerms::add_excess(const KernelData& kernel) {
  const auto& groups = runs_.by_configuration();
  if (kernel.least_rank) {
    ValueByRun& less = excess_of_rank_[kernel.least_rank->rank].computation_s;
    const Series& mean = kernel.main_series();
    for (size_t i = 0; i < groups.size(); ++i) {
      for (size_t j = 0; j < groups[i].size(); ++j) {
        less[groups[i][j]] -= (1 - kernel.least_rank->of_mean) * mean.observations[i].values[j];
      }
    }
  }
  if (!kernel.slowest_rank) return;
  RankExcess& excess = excess_of_rank_[*kernel.slowest_rank];
  ValueByRun& of_kind = kernel.kind == KernelKind::kMpi ? excess.messages_s : excess.computation_s;
  const Series& mean = kernel.main_series();
  const Series& slowest = kernel.critical_series();
  // Both have a value of each run.
  for (size_t i = 0; i < groups.size(); ++i) {
    for (size_t j = 0; j < groups[i].size(); ++j) {
      of_kind[groups[i][j]] += slowest.observations[i].values[j] - mean.observations[i].values[j];
    }
  }
}

// The most that one rank has beyond the others, in seconds, of functions that are its own, and with `with_messages` of
// messages that are its own. Its computation beyond the mean is at most that of the rank that computed most.
double RunTerms::excess_of_own_rank_s(const Run& run, bool with_messages) const {
  double most = 0;
  for (const auto& [rank, excess] : excess_of_rank_) {
    const auto in = [&run](const ValueByRun& times) { return times.count(&run) == 0 ? 0 : times.at(&run); };
    const double computed =
        std::min(in(excess.computation_s), run.times.computation_s.max - run.times.computation_s.mean);
    most = std::max(most, computed + (with_messages ? in(excess.messages_s) : 0));
  }
  return most;
}

double RunTerms::slowest_computation(const Run& run) const {
  return std::max(slowest_computation_.time_s.at(&run),
                  run.times.computation_s.mean + excess_of_own_rank_s(run, false));
}

double RunTerms::communication(const Run& run) const {
  if (runs_.clock() == core::Clock::kWall) return run.times.communication_s.mean;
  double sum = 0;
  for (const core::MpiOperation& o : run.operations) sum += costs_.transfer_time(o, run);
  return sum;
}

// 0 with the wall clock, where waiting is part of the time in MPI.
double RunTerms::waiting(const Run& run) const {
  if (runs_.clock() == core::Clock::kWall) return 0;
  return std::max(slowest_computation(run) - run.times.computation_s.mean, excess_of_own_rank_s(run, true));
}

// At least a nanosecond, which clocks tell apart: of a program that does nothing the parts may come to 0, and ratios to
// that would be no numbers.
double RunTerms::mean_rank_run_s(const Run& run) const {
  return std::max(run.times.computation_s.mean + run.times.openmp_waiting_s.mean + run.times.gpu_s.mean +
                      communication(run) + unattributed(run),
                  1e-9);
}

std::map<std::string, Series> RunTerms::totals() const {
  std::map<std::string, Series> totals;
  const auto add_known = [&](const std::string& name, auto value_of) {
    Series series = runs_.series("[all]", name, value_of);
    if (!series.observations.empty()) totals[name] = std::move(series);
  };
  const auto add = [&](const std::string& name, auto value_of) {
    add_known(name, [&](const Run& run) { return std::optional<double>(value_of(run)); });
  };
  const auto computation = [](const Run& run) { return run.times.computation_s.mean; };
  add("total_s", [&](const Run& run) { return inside(run) + run.times.others_s.mean; });
  add("run_s", [&](const Run& run) { return inside(run); });
  add("computation_s", computation);
  add("computation_max_s", [&](const Run& run) { return slowest_computation(run); });
  add("communication_s", [&](const Run& run) { return communication(run); });
  add("others_s", [](const Run& run) { return run.times.others_s.mean; });
  add("unattributed_s", unattributed);
  if (runs_.clock() == core::Clock::kCpu) add("waiting_s", [&](const Run& run) { return waiting(run); });
  add("imbalance",
      [&](const Run& run) { return computation(run) > 0 ? slowest_computation(run) / computation(run) : 1.0; });
  const auto mean = [](const std::optional<core::OverRanks>& value) {
    return value ? std::optional(value->mean) : std::nullopt;
  };
  add_known("asleep_s", [&](const Run& run) { return mean(run.times.asleep_s); });
  add_known("children_s", [&](const Run& run) { return mean(run.times.children_s); });
  add_known("memory_peak_bytes", [&](const Run& run) { return mean(run.memory_peak_bytes); });
  add_known("memory_peak_max_bytes", [](const Run& run) {
    return run.memory_peak_bytes ? std::optional(run.memory_peak_bytes->max) : std::nullopt;
  });
  const auto& groups = runs_.by_configuration();
  if (std::ranges::any_of(groups, have_waited)) {
    add("openmp_waiting_s", [](const Run& run) { return run.times.openmp_waiting_s.mean; });
    add("openmp_idleness", openmp_idleness);
  }
  const auto uses_gpu = [](const Run* run) { return run->times.gpu_s.sum > 0; };
  if (std::ranges::any_of(groups,
                          [&](const std::vector<const Run*>& runs) { return std::ranges::any_of(runs, uses_gpu); })) {
    add(metric::kGpu, [](const Run& run) { return run.times.gpu_s.mean; });
  }
  const auto of_devices = [&](const char* name, double (*of)(const core::GpuBusy&)) {
    add_known(name, [of](const Run& run) {
      return run.gpu_busy && core::timed_share(run) >= core::kTimedEnough ? std::optional(of(*run.gpu_busy))
                                                                          : std::nullopt;
    });
  };
  of_devices(metric::kDeviceKernels, [](const core::GpuBusy& busy) { return busy.kernels_s.mean; });
  of_devices(metric::kDeviceKernelsMax, [](const core::GpuBusy& busy) { return busy.kernels_s.max; });
  of_devices(metric::kDeviceBusyMax, [](const core::GpuBusy& busy) { return busy.busy_s.max; });
  add_known("instructions", [](const Run& run) { return program_instructions(run).per_rank; });
  return totals;
}

}  // namespace scalediag::fit
