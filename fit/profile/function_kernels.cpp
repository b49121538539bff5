#include "fit/profile/function_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "core/parallel.h"
#include "core/profile/kernel_id.h"
#include "core/profile/metric_names.h"

namespace scalediag::fit {
namespace {

using core::KernelId;
using core::Run;

// Time that is not sampled is modelled where it has at least this share of the run.
constexpr double kUnsampledShare = 0.005;

// A kernel with enough samples at a scale, and this share of the run there, is not pooled, whatever the other scales
// have: it may be small at the small ones and grow.
constexpr double kShareByItself = 0.02;

// Counts of accesses by the level that served them.
constexpr std::string_view kLevels[] = {"l1_hits", "l2_hits", "llc_hits", "memory_accesses"};

class FunctionBuilder {
 public:
  FunctionBuilder(const RunSeries& runs, std::vector<std::string>& notes) : runs_(runs) { find_kind_of_levels(notes); }

  std::vector<KernelData> build() {
    struct Followed {
      const KernelId* key;
      const Seen* seen;
      double fewest_samples;
    };
    std::vector<Followed> followed;
    std::vector<const Seen*> pooled;
    const std::map<KernelId, Seen> all = seen_kernels();
    for (const auto& [key, seen] : all) {
      const double fewest = fewest_of(seen.samples);
      const double most = *std::ranges::max_element(seen.samples);
      // Waiting and other kernels that do not compute are not pooled with functions.
      const bool is_gpu = kind_of(seen) == core::KernelKind::kGpu;
      if (is_gpu || kind_of(seen) == core::KernelKind::kWaiting) {
        followed.push_back({&key, &seen, is_gpu ? 0 : std::max(fewest, 1.0)});
      } else if (most > 0 ? core::has_enough_samples(seen.samples, runs_.points()) || seen.is_large_somewhere
                          : seen.largest_share >= kUnsampledShare) {
        followed.push_back({&key, &seen, most > 0 ? std::max(fewest, 1.0) : 0});
      } else {
        pooled.push_back(&seen);
      }
    }
    kernels_.resize(followed.size());
    core::in_parallel(followed.size(), 0, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        kernels_[i] = function_kernel(*followed[i].key, *followed[i].seen, followed[i].fewest_samples);
      }
    });
    if (!pooled.empty()) add_pool(pooled);
    return std::move(kernels_);
  }

 private:
  static bool is_of_callgrind(const Run& run) { return run.counters == "simulated"; }

  static bool counts_levels(const Run* run) {
    return std::ranges::any_of(run->kernels, [](const core::Kernel& k) {
      return std::any_of(std::begin(kLevels), std::end(kLevels),
                         [&k](std::string_view level) { return k.metrics.count(std::string(level)) != 0; });
    });
  }

  void find_kind_of_levels(std::vector<std::string>& notes) {
    int simulated = 0, counted = 0;  // configurations
    for (const auto& runs : runs_.by_configuration()) {
      const auto run = std::ranges::find_if(runs, counts_levels);
      if (run != runs.end()) ++(is_of_callgrind(**run) ? simulated : counted);
    }
    if (simulated == 0 || counted == 0) return;
    levels_are_of_callgrind_ = simulated > counted;
    notes.push_back(std::string("some runs were counted, by loads, and others simulated, with stores: hits and "
                                "what is made of them are modelled from those that were ") +
                    (*levels_are_of_callgrind_ ? "simulated" : "counted"));
  }

  // Runs without counts of their own get the resources of their configuration.
  bool has_levels(const Run& run) const {
    return !levels_are_of_callgrind_ || run.counters == "clock" || is_of_callgrind(run) == *levels_are_of_callgrind_;
  }

  struct Seen {
    std::map<const Run*, const core::Kernel*> in_run;
    std::vector<double> samples;  // by configuration, over repeats
    double largest_share = 0;
    bool is_large_somewhere = false;  // kShareByItself, with enough samples

    const core::Kernel* find(const Run& run) const {
      const auto found = in_run.find(&run);
      return found == in_run.end() ? nullptr : found->second;
    }
  };

  static core::KernelKind kind_of(const Seen& seen) { return seen.in_run.begin()->second->kind; }

  static double fewest_of(const std::vector<double>& samples) { return *std::ranges::min_element(samples); }

  static double mean_of(const std::vector<double>& samples) {
    return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  }

  // The kernels by key, with the facts that decide whether each is modelled by itself.
  std::map<KernelId, Seen> seen_kernels() const {
    std::map<KernelId, Seen> seen;
    for (size_t i = 0; i < runs_.by_configuration().size(); ++i) {
      for (const Run* run : runs_.by_configuration()[i]) {
        for (const core::Kernel& k : run->kernels) {
          Seen& s = seen[core::id_of(k)];
          s.in_run[run] = &k;
          s.samples.resize(runs_.by_configuration().size(), 0.0);
          s.samples[i] += static_cast<double>(k.samples);
          s.largest_share = std::max(s.largest_share, time_of(k) / reference_time(*run));
        }
      }
      for (auto& [key, s] : seen) s.is_large_somewhere = s.is_large_somewhere || is_large(s, i);
    }
    return seen;
  }

  // True where the kernel has enough samples, and much of the time, in the runs of a configuration.
  bool is_large(const Seen& seen, size_t configuration) const {
    if (seen.samples.size() <= configuration || seen.samples[configuration] < core::kFewestSamples) return false;
    double time_s = 0, of_runs_s = 0;
    for (const Run* run : runs_.by_configuration()[configuration]) {
      const core::Kernel* k = seen.find(*run);
      time_s += k == nullptr ? 0 : time_of(*k);
      of_runs_s += reference_time(*run);
    }
    return time_s >= kShareByItself * of_runs_s;
  }

  KernelData function_kernel(const KernelId& id, const Seen& seen, double fewest_samples) const {
    KernelData kernel;
    kernel.name = id.name;
    kernel.module = id.module;
    kernel.file = id.file;
    kernel.line = id.line;
    const core::KernelKind kind = kind_of(seen);
    kernel.kind = kind == core::KernelKind::kWaiting  ? KernelKind::kWaiting
                  : kind == core::KernelKind::kGpu    ? KernelKind::kGpu
                  : kind == core::KernelKind::kSystem ? KernelKind::kSystem
                                                      : KernelKind::kFunction;
    kernel.largest_share = seen.largest_share;
    kernel.fewest_samples = fewest_samples;
    kernel.samples = mean_of(seen.samples);

    const auto add = [&](const std::string& metric, auto value_of) {
      Series values = runs_.series(kernel.name, metric, [&](const Run& run) -> std::optional<double> {
        const core::Kernel* k = seen.find(run);
        return k == nullptr ? std::nullopt : value_of(*k, run);
      });
      for (const auto& [run, k] : seen.in_run) {
        values.is_estimate = values.is_estimate || is_estimate(*run, *k, metric);
      }
      if (!values.observations.empty()) kernel.series.emplace(metric, std::move(values));
    };
    // A run in which no sample fell into the kernel says that it is fast there.
    kernel.series[metric::kTime] =
        runs_.series(kernel.name, metric::kTime, [&](const Run& run) -> std::optional<double> {
          const core::Kernel* k = seen.find(run);
          return k == nullptr ? 0.0 : time_of(*k);
        });
    const RunSeries::Slowest critical = runs_.slowest([&seen](const Run& run) {
      const core::Kernel* k = seen.find(run);
      const core::OverRanks* time = k == nullptr ? nullptr : find_metric(*k, metric::kTime);
      return TimeOverRanks{time, time == nullptr ? 0 : static_cast<double>(k->samples)};
    });
    runs_.set_slowest(critical, kernel);
    if (kernel.kind == KernelKind::kWaiting) kernel.hardly_sampled = is_for_falling_work(kernel.series[metric::kTime]);
    add("concentration", [&critical](const core::Kernel& k, const Run& run) -> std::optional<double> {
      const double sum = time_of(k) * run.np;
      return sum <= 0 ? std::nullopt : std::optional<double>(critical.time_s.at(&run) / sum);
    });
    for (const char* metric : core::kCounterMetrics) {
      const bool of_level =
          std::find(std::begin(kLevels), std::end(kLevels), std::string_view(metric)) != std::end(kLevels);
      add(metric, [&, metric](const core::Kernel& k, const Run& run) -> std::optional<double> {
        const core::OverRanks* value = find_metric(k, metric);
        const bool known = value != nullptr && (!of_level || has_levels(run));
        return known ? std::optional<double>(value->mean) : std::nullopt;
      });
    }
    for (const char* metric : {metric::kGpuLaunches, metric::kGpuBytes}) {
      add(metric, [&, metric](const core::Kernel& k, const Run&) -> std::optional<double> {
        const core::OverRanks* value = find_metric(k, metric);
        return value != nullptr && kernel.kind == KernelKind::kGpu ? std::optional<double>(value->mean) : std::nullopt;
      });
    }
    for (const char* metric : core::kResourceMetrics) {
      add(metric, [&, metric](const core::Kernel& k, const Run& run) -> std::optional<double> {
        const auto value = k.resources.find(metric);
        const bool known = value != k.resources.end() && has_levels(run);
        return known ? std::optional<double>(value->second) : std::nullopt;
      });
    }
    for (const auto& [run, k] : seen.in_run)
      kernel.resource_notes.insert(k->resource_notes.begin(), k->resource_notes.end());
    return kernel;
  }

  // Threads that wait use more CPU time the less they get of the cores, and sleep where they wait for long. So with the
  // CPU clock their time may stay while the work falls that they wait for: that of one thread, outside of parallel
  // regions. It is not known then whether the waiting scales.
  bool is_for_falling_work(const Series& waiting) const {
    constexpr double kShareOfWaiting = 0.25, kFalls = -0.5;
    if (runs_.clock() != core::Clock::kCpu) return false;
    const Series work = runs_.series(waiting.kernel, "of_one_thread_s", [](const Run& run) -> std::optional<double> {
      std::optional<double> parallel_s;
      for (const core::Region& r : run.regions) {
        if (r.parallel) parallel_s = parallel_s.value_or(0) + r.parallel->busy_cpu_s.mean;
      }
      return parallel_s ? std::optional(run.times.computation_s.mean - *parallel_s) : std::nullopt;
    });
    if (work.observations.size() < 2) return false;
    const Observation &first = work.observations.front(), &last = work.observations.back();
    const double factor = process_count(last.at) / process_count(first.at);
    return factor > 1 && mean_of(first.values) >= kShareOfWaiting * mean_at(&waiting, first.at) &&
           mean_of(last.values) < mean_of(first.values) * std::pow(factor, kFalls);
  }

  // All of them are one kernel, whose samples are those of all and mostly enough to follow it. Its rank is the slowest
  // only where it is the same at all scales: extremes of parts say little of the sum.
  void add_pool(const std::vector<const Seen*>& pooled) {
    KernelData pool;
    std::vector<double> samples(runs_.by_configuration().size(), 0.0);
    bool are_small = true;
    for (const Seen* seen : pooled) {
      for (size_t i = 0; i < samples.size(); ++i) samples[i] += seen->samples[i];
      are_small = are_small && seen->largest_share < kShareByItself;
    }
    // A function with few samples need not be small: the runs may be short.
    const std::string functions = pooled.size() == 1 ? "function" : "functions";
    pool.name = "[" + std::to_string(pooled.size()) +
                (are_small ? " small " + functions : " " + functions + " with few samples") + "]";
    pool.kind = KernelKind::kSystem;
    pool.pooled = static_cast<int>(pooled.size());
    pool.hardly_sampled = !core::has_enough_samples(samples, runs_.points());
    pool.samples = mean_of(samples);
    pool.fewest_samples = std::max(fewest_of(samples), 1.0);
    const auto time = [&pooled](const Run& run) {
      double sum = 0;
      for (const Seen* seen : pooled) {
        if (const core::Kernel* k = seen->find(run)) sum += time_of(*k);
      }
      return std::optional<double>(sum);
    };
    pool.series[metric::kTime] = runs_.series(pool.name, metric::kTime, time);
    std::map<const Run*, core::OverRanks> of_ranks;
    for (const auto& runs : runs_.by_configuration()) {
      for (const Run* run : runs) of_ranks[run] = pooled_over_ranks(pooled, *run);
    }
    RunSeries::Slowest critical = runs_.slowest([&](const Run& run) {
      double of_run = 0;
      for (const Seen* seen : pooled) {
        if (const core::Kernel* k = seen->find(run)) of_run += static_cast<double>(k->samples);
      }
      return TimeOverRanks{&of_ranks.at(&run), of_run};
    });
    if (!critical.rank) {
      for (auto& [run, time_s] : critical.time_s) time_s = of_ranks.at(run).mean;
    }
    runs_.set_slowest(critical, pool);
    for (const auto& runs : runs_.by_configuration()) {
      for (const Run* run : runs) pool.largest_share = std::max(pool.largest_share, *time(*run) / reference_time(*run));
    }
    kernels_.push_back(std::move(pool));
  }

  static core::OverRanks pooled_over_ranks(const std::vector<const Seen*>& pooled, const Run& run) {
    std::vector<const core::OverRanks*> times;
    for (const Seen* seen : pooled) {
      const core::Kernel* k = seen->find(run);
      if (const core::OverRanks* time = k == nullptr ? nullptr : find_metric(*k, metric::kTime)) times.push_back(time);
    }
    return together_over_ranks(times);
  }

  const RunSeries& runs_;
  std::optional<bool> levels_are_of_callgrind_;  // set where only some runs' are
  std::vector<KernelData> kernels_;
};

}  // namespace

std::vector<KernelData> function_kernels(const RunSeries& runs, std::vector<std::string>& notes) {
  return FunctionBuilder(runs, notes).build();
}

}  // namespace scalediag::fit
