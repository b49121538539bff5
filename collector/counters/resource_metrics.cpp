#include "collector/counters/resource_metrics.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/profile/kernel_id.h"
#include "core/profile/metric_names.h"
#include "core/profile/run_summary.h"
#include "core/text/formatted.h"

namespace scalediag::counters {
namespace {

using core::Kernel;
using core::Machine;
using core::Run;

using core::KernelId;

// The counts of one kernel in one run, means over ranks; a count that is not known is absent.
using Counts = std::map<std::string, double>;

struct Level {
  const char* count;
  const char* machine_level;
  const char* time;
};
constexpr Level kLevels[] = {{"l1_hits", "l1", "t_mem_l1_s"},
                             {"l2_hits", "l2", "t_mem_l2_s"},
                             {"llc_hits", "llc", "t_mem_llc_s"},
                             {"memory_accesses", "memory", "t_mem_memory_s"}};

std::optional<double> find(const Counts& counts, const char* name) {
  const auto found = counts.find(name);
  return found == counts.end() ? std::nullopt : std::optional(found->second);
}

bool is_of_callgrind(const Run& run) { return run.counters == "simulated"; }

double time_of(const Kernel& kernel) {
  const auto time = kernel.metrics.find(metric::kTime);
  return time == kernel.metrics.end() ? 0 : time->second.mean;
}

Counts counts_of(const Kernel& kernel) {
  Counts counts;
  for (const char* name : core::kCounterMetrics) {
    const auto metric = kernel.metrics.find(name);
    if (metric != kernel.metrics.end()) counts[name] = metric->second.mean;
  }
  return counts;
}

std::set<std::string> counted_in(const Run& run) {
  std::set<std::string> names;
  for (const Kernel& kernel : run.kernels) {
    for (const auto& [name, count] : counts_of(kernel)) names.insert(name);
  }
  return names;
}

// A level without a latency of its own is served by the next one that has one: two-level caches have no l2 beside llc.
double latency_of(const core::MachineUsed& machine, const std::string& level) {
  bool reached = false;
  for (const Level& candidate : kLevels) {
    reached = reached || level == candidate.machine_level;
    const auto latency = machine.latency_s.find(candidate.machine_level);
    if (reached && latency != machine.latency_s.end()) return latency->second;
  }
  return 0;
}

double busy_cores_of(const Run& run) {
  const double hosts = std::max<double>(1, static_cast<double>(run.hosts.size()));
  return run.np * std::max(run.threads_max, 1) / hosts;
}

// Cycles that were counted as stalled.
struct Stalled {
  double of_cycles = 0;
  bool every_kind = false;  // false: for memory alone
};

// The values belong to counts, or to sums of counts, that were taken together.
std::optional<Stalled> stalled_in(const Counts& counts) {
  const double cycles = find(counts, "cycles").value_or(0);
  if (cycles <= 0) return std::nullopt;
  if (const auto memory = find(counts, "memory_stall_cycles")) return Stalled{*memory / cycles, false};
  if (const auto all = find(counts, "stall_cycles")) return Stalled{*all / cycles, true};
  return std::nullopt;
}

// One kernel in the repeats of one configuration.
struct Pool {
  Counts counts;  // mean over the repeats in which the event was counted at all
  double time_s = 0;
  uint64_t samples = 0;
  std::optional<Stalled> stalled;  // set where stalls and cycles were counted together

  double cycles(double hz) const { return find(counts, "cycles").value_or(time_s * hz); }
};

struct Configuration {
  std::vector<Run*> runs;
  std::map<KernelId, Pool> kernels;
  bool simulated = false;  // its accesses are loads and stores; others are loads
};

// Pools the repeats. Kernels that a repeat did not see count as 0 in it, as they do over ranks. Those that no repeat
// counted have no counts.
std::map<KernelId, Pool> pool_repeats(const std::vector<Run*>& runs) {
  struct Sums {
    Counts counts, of_memory_stalls, of_all_stalls;  // the last two: sums where these were counted, beside cycles
    double time_s = 0;
    uint64_t samples = 0;
  };
  std::map<KernelId, Sums> sums;
  std::map<std::string, int> repeats_with;
  for (const Run* run : runs) {
    for (const std::string& name : counted_in(*run)) ++repeats_with[name];
    for (const Kernel& kernel : run->kernels) {
      Sums& s = sums[core::id_of(kernel)];
      s.time_s += time_of(kernel);
      s.samples += kernel.samples;
      const Counts counts = counts_of(kernel);
      for (const auto& [name, count] : counts) s.counts[name] += count;
      for (const auto& [event, together] :
           {std::pair("memory_stall_cycles", &s.of_memory_stalls), std::pair("stall_cycles", &s.of_all_stalls)}) {
        if (!find(counts, event) || !find(counts, "cycles")) continue;
        for (const char* name : {event, "cycles"}) (*together)[name] += counts.at(name);
      }
    }
  }
  std::map<KernelId, Pool> pools;
  for (const auto& [key, s] : sums) {
    Pool& pool = pools[key];
    for (const auto& [name, sum] : s.counts) pool.counts[name] = sum / repeats_with.at(name);
    pool.time_s = s.time_s / static_cast<double>(runs.size());
    pool.samples = s.samples;
    pool.stalled = stalled_in(s.of_memory_stalls);
    if (!pool.stalled) pool.stalled = stalled_in(s.of_all_stalls);
  }
  return pools;
}

// Smallest CPI of a kernel over configurations, stalls included.
struct CoreCpi {
  double cpi = 0;  // 0: in no configuration
  bool reliable = false;
  int configurations = 0;

  void add(double value, bool enough_samples) {
    ++configurations;
    if (cpi == 0 || (enough_samples && !reliable) || (enough_samples == reliable && value < cpi)) cpi = value;
    reliable = reliable || enough_samples;
  }
};

class Derivation {
 public:
  Derivation(std::span<Run> runs, const Machine* machine) : machine_(machine) {
    if (machine != nullptr) used_ = summarize_machine(*machine);
    std::map<std::pair<int, std::map<std::string, double>>, std::vector<Run*>> groups;
    for (Run& run : runs) {
      for (Kernel& kernel : run.kernels) {
        kernel.resources.clear();
        kernel.resource_notes.clear();
      }
      if (run.complete) groups[{run.np, run.parameters}].push_back(&run);
    }
    for (const auto& [id, group] : groups) add_configuration(group);
    find_levels();
    find_core_cpi();
  }

  void run() {
    for (const Configuration& configuration : configurations_) {
      for (Run* run : configuration.runs) {
        for (Kernel& kernel : run->kernels) derive(configuration, *run, kernel);
      }
    }
  }

 private:
  // Runs without counts get those of their configuration, of any kind. Where both kinds exist, they are two
  // configurations.
  void add_configuration(const std::vector<Run*>& runs) {
    std::vector<Run*> simulated, others;
    for (Run* run : runs) (is_of_callgrind(*run) ? simulated : others).push_back(run);
    const bool any_counted = std::ranges::any_of(others, [](const Run* run) { return !counted_in(*run).empty(); });
    if (!any_counted) {
      configurations_.push_back({runs, pool_repeats(runs), !simulated.empty()});
      return;
    }
    configurations_.push_back({others, pool_repeats(others), false});
    if (!simulated.empty()) configurations_.push_back({simulated, pool_repeats(simulated), true});
  }

  double hz_of(const Run& run) const {
    // Without a machine any frequency serves: it cancels out of the times, and CPI and hz are then left out.
    return machine_ == nullptr ? 1 : frequency_of(*machine_, busy_cores_of(run));
  }

  // Finds the levels of T_mem, which has to mean the same everywhere: levels that some configurations did not count are
  // left out.
  void find_levels() {
    for (const Configuration& configuration : configurations_) {
      std::set<std::string> counted;
      for (const Run* run : configuration.runs) counted.merge(counted_in(*run));
      if (counted.empty()) continue;
      std::erase_if(counted, [](const std::string& name) {
        return std::none_of(std::begin(kLevels), std::end(kLevels), [&](const Level& l) { return name == l.count; });
      });
      const auto [levels, first] = levels_.try_emplace(configuration.simulated, counted);
      if (first) continue;
      std::erase_if(levels->second, [&counted](const std::string& name) { return counted.count(name) == 0; });
    }
  }

  void find_core_cpi() {
    for (const Configuration& configuration : configurations_) {
      const double hz = hz_of(*configuration.runs.front());
      for (const auto& [key, pool] : configuration.kernels) {
        const double instructions = find(pool.counts, metric::kInstructions).value_or(0);
        const double cycles = pool.cycles(hz);
        if (instructions <= 0 || cycles <= 0) continue;
        const bool counted = pool.counts.count("cycles") != 0;
        core_cpi_[{counted, key}].add(cycles / instructions, core::sampling_error(static_cast<double>(pool.samples)) <=
                                                                     core::kUncertainSamplingError &&
                                                                 pool.samples > 0);
      }
    }
  }

  void derive(const Configuration& configuration, const Run& run, Kernel& kernel) {
    const Pool& pool = configuration.kernels.at(core::id_of(kernel));
    Counts counts = counts_of(kernel);
    const std::optional<Stalled> own = stalled_in(counts);
    bool borrowed = false;
    for (const auto& [name, count] : pool.counts) borrowed = counts.try_emplace(name, count).second || borrowed;
    if (counts.empty()) return;
    if (borrowed) kernel.resource_notes.push_back("counts_of_repeats");
    note_accesses(counts, configuration.simulated, kernel);
    const auto guessed = [](const Run* one) { return is_of_callgrind(*one) && !(one->measured_llc_bytes > 0); };
    if (std::ranges::any_of(configuration.runs, guessed)) kernel.resource_notes.push_back("cache_size_guessed");
    const std::optional<double> t_mem_s = note_memory_times(counts, configuration.simulated, kernel);
    const double time_s = time_of(kernel);
    // Stalls for memory of another repeat are preferred to stalls of every kind.
    const bool of_memory = pool.stalled && !pool.stalled->every_kind;
    const bool takes_own = own && (!own->every_kind || !of_memory);
    if (time_s > 0) split_time(counts, takes_own ? own : pool.stalled, time_s, t_mem_s, run, kernel);
    if (core::sampling_error(static_cast<double>(kernel.samples)) > core::kUncertainSamplingError ||
        kernel.samples == 0) {
      kernel.resource_notes.push_back("few_samples");
    }
    const auto is_uncertain = [&kernel](const auto& error) {
      const auto count = kernel.metrics.find(error.first);
      return count != kernel.metrics.end() && error.second > core::kUncertainSamplingError * count->second.sum;
    };
    if (is_of_callgrind(run)) {
      if (kernel.count_errors.count(metric::kInstructions) > 0) kernel.resource_notes.push_back("counts_in_part");
    } else if (std::ranges::any_of(kernel.count_errors, is_uncertain)) {
      kernel.resource_notes.push_back("few_overflows");
    }
    std::ranges::sort(kernel.resource_notes);
  }

  // Hit ratios, misses of the last level and bytes, which need neither time nor frequency.
  void note_accesses(const Counts& counts, bool simulated, Kernel& kernel) const {
    const auto memory = find(counts, "memory_accesses");
    if (!memory) return;
    if (machine_ != nullptr) {
      const double bytes = *memory * used_.line_bytes;
      kernel.resources["memory_bytes"] = bytes;
      if (const auto flops = find(counts, "flops"); flops && bytes > 0)
        kernel.resources["flops_per_byte"] = *flops / bytes;
    }
    double reached = *memory;  // accesses that come as far as a level, from the last level to the first
    const std::pair<const char*, const char*> levels[] = {
        {"llc_hits", "llc_hit_ratio"}, {"l2_hits", "l2_hit_ratio"}, {"l1_hits", "l1_hit_ratio"}};
    for (const auto& [count, ratio] : levels) {
      const auto hits = find(counts, count);
      if (!hits) continue;
      reached += *hits;
      if (reached > 0) kernel.resources[ratio] = *hits / reached;
    }
    // Where the first level's hits are counted, every access was counted at the level that served it.
    if (!find(counts, "l1_hits")) {
      reached = find(counts, "loads").value_or(0) + (simulated ? find(counts, "stores").value_or(0) : 0);
    }
    if (reached > 0) kernel.resources["llc_miss_ratio"] = *memory / reached;
  }

  std::optional<double> note_memory_times(const Counts& counts, bool simulated, Kernel& kernel) const {
    const auto levels = levels_.find(simulated);
    if (machine_ == nullptr || levels == levels_.end()) return std::nullopt;
    double sum_s = 0;
    bool any = false;
    for (const Level& level : kLevels) {
      const auto accesses = find(counts, level.count);
      if (!accesses || levels->second.count(level.count) == 0) continue;
      const double time_s = *accesses * latency_of(used_, level.machine_level);
      kernel.resources[level.time] = time_s;
      sum_s += time_s;
      any = true;
    }
    if (!any) return std::nullopt;
    kernel.resources[metric::kMemory] = sum_s;
    return sum_s;
  }

  // `stalled` is empty where stalls were not counted.
  void split_time(const Counts& counts, const std::optional<Stalled>& stalled, double time_s,
                  std::optional<double> t_mem_s, const Run& run, Kernel& kernel) {
    const double instructions = find(counts, metric::kInstructions).value_or(0);
    const auto counted_cycles = find(counts, "cycles");
    const double cycles = counted_cycles.value_or(time_s * hz_of(run));
    if (cycles <= 0) return;
    double stall_share = 0;
    if (stalled) {
      stall_share = stalled->of_cycles;
      if (stalled->every_kind) kernel.resource_notes.push_back("stalls_total");
    } else {
      const auto core = core_cpi_.find({counted_cycles.has_value(), core::id_of(kernel)});
      if (instructions <= 0 || core == core_cpi_.end()) return;
      stall_share = 1 - core->second.cpi * instructions / cycles;
      // The best configuration has 0; what rounding leaves of that is no measurement, and no trend begins there.
      constexpr double kRounding = 1e-9;
      if (stall_share < kRounding) stall_share = 0;
      kernel.resource_notes.push_back("stalls_derived");
      if (core->second.configurations < 2) kernel.resource_notes.push_back("single_configuration");
      if (machine_ != nullptr && t_mem_s && *t_mem_s > 0) {
        const double fastest = std::min(used_.smallest_cpi, core->second.cpi);
        const double high_s = time_s * std::clamp(1 - fastest * instructions / cycles, 0.0, 1.0);
        kernel.resources[metric::kStalledAtMost] = high_s;
        kernel.resources["bf_mem_high"] = high_s / *t_mem_s;
      }
    }
    double t_stall_s = time_s * std::clamp(stall_share, 0.0, 1.0);
    if (t_mem_s && *t_mem_s == 0 && t_stall_s > 0) {
      // Without memory accesses the stalls belong to T_comp, since BF_mem x 0 could not represent them.
      t_stall_s = 0;
      kernel.resource_notes.push_back("stalls_not_memory");
    }
    const double t_comp_s = time_s - t_stall_s;
    kernel.resources[metric::kStalled] = t_stall_s;
    kernel.resources[metric::kComputing] = t_comp_s;
    if (t_mem_s) {
      const double bf_mem = *t_mem_s == 0 ? 0 : t_stall_s / *t_mem_s;
      kernel.resources[metric::kMemoryBlocking] = bf_mem;
      if (bf_mem > 1) kernel.resource_notes.push_back("stalls_exceed_memory");
    }
    const double hz = cycles / time_s;
    if (!counted_cycles && machine_ == nullptr) return;
    kernel.resources["hz"] = hz;
    if (instructions <= 0) return;
    const double cpi = t_comp_s * hz / instructions;
    kernel.resources["cpi"] = cpi;
    // The smallest CPI is that of additions; other mixes reach somewhat less, with fused pairs of instructions.
    if (machine_ != nullptr && cpi < 0.5 * used_.smallest_cpi) kernel.resource_notes.push_back("cpi_below_machine");
  }

  const Machine* machine_;
  core::MachineUsed used_;
  std::vector<Configuration> configurations_;
  std::map<bool, std::set<std::string>> levels_;           // counts that are part of T_mem, by Configuration::simulated
  std::map<std::pair<bool, KernelId>, CoreCpi> core_cpi_;  // true: of counted cycles, false: of time
};

void warn_of_other_hosts(Run& run, const Machine& machine) {
  const auto is_other = [&machine](const std::string& host) { return host != machine.host.name; };
  const auto other = std::ranges::find_if(run.hosts, is_other);
  if (other == run.hosts.end()) return;
  const std::string text = "memory times come from latencies of " + machine.host.name + ", and the run was on " +
                           *other +
                           ": measure there with scalediag machine -o FILE and give it to merge --machine FILE";
  if (std::find(run.warnings.begin(), run.warnings.end(), text) == run.warnings.end()) run.warnings.push_back(text);
}

// The simulated last level has the size that the system tells, unless the measured one was simulated. If others use
// most of it (neighbours of a virtual machine, other jobs), accesses that it would serve actually go to memory.
void warn_of_shared_last_level(Run& run, const Machine& machine) {
  constexpr double kMuchLess = 1.5;
  const core::MachineCache* last = machine.cache("llc");
  if (run.counters != "simulated" || run.measured_llc_bytes > 0 || last == nullptr) return;
  if (last->step_bytes <= 0 || last->step_bytes * kMuchLess >= last->size_bytes.value) return;
  const std::string text = core::formatted(
      "counts were simulated with the last level's %.3g MiB, of which this machine gave %.3g MiB when it was "
      "measured: some llc_hits are memory accesses in truth",
      last->size_bytes.value / 1048576, last->step_bytes / 1048576);
  if (std::find(run.warnings.begin(), run.warnings.end(), text) == run.warnings.end()) run.warnings.push_back(text);
}

}  // namespace

bool has_counts(std::span<const Run> runs) {
  return std::ranges::any_of(runs, [](const Run& run) { return !counted_in(run).empty(); });
}

double frequency_of(const Machine& machine, double busy_cores) {
  const double one = machine.sustained_hz.value;
  const double all = machine.sustained_all_cores_hz.value;
  if (machine.host.cores <= 1) return all;
  const double part = std::clamp((busy_cores - 1) / (machine.host.cores - 1), 0.0, 1.0);
  return one + part * (all - one);
}

core::MachineUsed summarize_machine(const Machine& machine) {
  core::MachineUsed used;
  used.host = machine.host.name;
  used.cpu = machine.host.cpu;
  used.cores = machine.host.cores;
  used.created = machine.created;
  used.frequency_hz = machine.sustained_all_cores_hz.value;
  used.line_bytes = machine.line_bytes;
  used.smallest_cpi = machine.smallest_cpi.value;
  if (!machine.bandwidth.empty()) used.bandwidth_bytes_per_s = machine.bandwidth.back().bytes_per_s.value;
  for (const core::MachineCache& cache : machine.caches) used.latency_s[cache.name] = cache.latency_s.value;
  used.latency_s["memory"] = machine.memory_latency_s.value;
  return used;
}

void derive_resources(std::span<Run> runs, const Machine* machine) { Derivation(runs, machine).run(); }

void derive_resources(core::Profile& profile, const Machine* machine) {
  derive_resources(std::span(profile.runs), machine);
  profile.machine.reset();
  if (machine == nullptr || !has_counts(profile.runs)) return;
  profile.machine = summarize_machine(*machine);
  for (Run& run : profile.runs) {
    if (counted_in(run).empty()) continue;
    warn_of_other_hosts(run, *machine);
    warn_of_shared_last_level(run, *machine);
  }
}

}  // namespace scalediag::counters
