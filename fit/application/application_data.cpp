#include "fit/application/application_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/mpi_routines.h"
#include "core/parallel.h"
#include "core/profile/kernel_id.h"
#include "core/profile/run_summary.h"
#include "core/statistics.h"
#include "core/text/numbers.h"
#include "fit/application/call_costs.h"
#include "fit/application/communication_cost.h"
#include "fit/application/program_instructions.h"
#include "fit/application/slowest_rank.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using core::Run;

// A kernel below this many samples at some configuration has no curve that could be followed, only noise: its relative
// error there is above 1 / sqrt(10) = 32 %.
constexpr double kFewestSamples = 10;
// Time that is not sampled is modelled where it has at least this share of the run.
constexpr double kUnsampledShare = 0.005;

using Groups = std::vector<std::vector<const Run*>>;
using core::KernelId;

const core::OverRanks* find_metric(const std::map<std::string, core::OverRanks>& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? nullptr : &found->second;
}

double time_of(const core::Kernel& k) {
  const core::OverRanks* time = find_metric(k.metrics, "time_s");
  return time == nullptr ? 0 : time->mean;
}

// "{{np}" is a literal.
bool has_np_as_value(const std::string& word) {
  const std::string np = "{np}", separators = "=,:x*+";
  const auto separates = [&](size_t at) { return separators.find(word[at]) != std::string::npos; };
  for (size_t begin = word.find(np); begin != std::string::npos; begin = word.find(np, begin + 1)) {
    const size_t end = begin + np.size();
    const bool short_option = begin == 2 && word[0] == '-' && word[1] != '-';
    if ((begin == 0 || short_option || separates(begin - 1)) && (end == word.size() || separates(end))) return true;
  }
  return false;
}

TimeOverRanks computation_of(const Run& run) {
  double samples = 0;
  for (const core::Kernel& k : run.kernels) {
    if (k.kind != core::KernelKind::kWaiting) samples += static_cast<double>(k.samples);
  }
  return {&run.times.computation_s, samples};
}

// Counts of accesses by the level that served them.
constexpr std::string_view kLevels[] = {"l1_hits", "l2_hits", "llc_hits", "memory_accesses"};

// A rank that makes this many times as many messages as the mean of the others has a series of its own; so has one
// whose surplus grows at least as the square root of the number of processes.
constexpr double kManyMore = 2;
constexpr double kSurplusGrows = 0.5;

class Builder {
 public:
  Builder(const core::Profile& profile, Groups groups)
      : profile_(profile), groups_(std::move(groups)), costs_(groups_) {}

  ApplicationData build() {
    data_.parameter_names = {"np"};
    for (const std::string& name : profile_.parameter_names) data_.parameter_names.push_back(name);
    data_.clock = groups_.front().front()->clock;
    for (const auto& runs : groups_) add_configuration(runs);
    find_counters();
    find_kind_of_levels();
    data_.said_scaling = profile_.scaling;
    const auto argument = std::find_if(profile_.command.begin(), profile_.command.end(), has_np_as_value);
    if (argument != profile_.command.end()) data_.np_argument = *argument;
    slowest_computation_ = slowest(computation_of);
    add_kernels();
    add_operations();
    add_totals();
    std::stable_sort(data_.kernels.begin(), data_.kernels.end(), [](const KernelData& a, const KernelData& b) {
      if (a.largest_share != b.largest_share) return a.largest_share > b.largest_share;
      return std::tie(a.name, a.module) < std::tie(b.name, b.module);
    });
    return std::move(data_);
  }

 private:
  std::vector<double> at_of(const Run& run) const {
    std::vector<double> at = {static_cast<double>(run.np)};
    for (const std::string& name : profile_.parameter_names) {
      const auto found = run.parameters.find(name);
      at.push_back(found == run.parameters.end() ? 1.0 : found->second);
    }
    return at;
  }

  void add_configuration(const std::vector<const Run*>& runs) {
    data_.configurations.push_back({at_of(*runs.front()), runs.front()->np, static_cast<int>(runs.size())});
  }

  void find_counters() {
    std::set<std::string> sources;
    for (const auto& runs : groups_) {
      for (const Run* run : runs) {
        sources.insert(run->counters);
      }
    }
    if (sources.size() > 1) sources.erase("clock");
    for (const auto& runs : groups_) {
      for (const Run* run : runs) {
        const bool shown = sources.count(run->counters) != 0 && !run->counters_reason.empty();
        if (shown) data_.counters_reason = run->counters_reason;
      }
    }
    for (const std::string& source : sources) data_.counters += (data_.counters.empty() ? "" : ", ") + source;
  }

  static bool is_simulated(const Run& run) { return run.counters == "simulated"; }

  static bool counts_levels(const Run* run) {
    return std::any_of(run->kernels.begin(), run->kernels.end(), [](const core::Kernel& k) {
      return std::any_of(std::begin(kLevels), std::end(kLevels),
                         [&k](std::string_view level) { return k.metrics.count(std::string(level)) != 0; });
    });
  }

  void find_kind_of_levels() {
    int simulated = 0, counted = 0;  // configurations
    for (const auto& runs : groups_) {
      const auto run = std::find_if(runs.begin(), runs.end(), counts_levels);
      if (run != runs.end()) ++(is_simulated(**run) ? simulated : counted);
    }
    if (simulated == 0 || counted == 0) return;
    levels_are_simulated_ = simulated > counted;
    data_.notes.push_back(std::string("some runs were counted, by loads, and others simulated, with stores: hits and "
                                      "what is made of them are modelled from those that were ") +
                          (*levels_are_simulated_ ? "simulated" : "counted"));
  }

  // Runs without counts of their own get the resources of their configuration.
  bool has_levels(const Run& run) const {
    return !levels_are_simulated_ || run.counters == "clock" || is_simulated(run) == *levels_are_simulated_;
  }

  // A series with one observation a configuration and one value for each run for which `value_of(run)` gives one.
  template <class ValueOf>
  Series series(const std::string& kernel, const std::string& metric, ValueOf value_of) const {
    Series all{data_.parameter_names, metric, kernel, {}};
    for (size_t i = 0; i < groups_.size(); ++i) {
      Observation observation{data_.configurations[i].at, {}};
      for (const Run* run : groups_[i]) {
        if (const std::optional<double> value = value_of(*run)) observation.values.push_back(std::max(0.0, *value));
      }
      if (!observation.values.empty()) all.observations.push_back(std::move(observation));
    }
    return all;
  }

  // One value for each run, in the order of groups_.
  using ByRun = std::map<const Run*, double>;

  struct Slowest {
    ByRun time_s;
    std::optional<int> rank;
    std::optional<LeastRank> least;
  };

  // time_of(run) is the time over all ranks of the run.
  template <class TimeOf>
  Slowest slowest(TimeOf time_of) const {
    std::vector<RepeatsOverRanks> configurations;
    for (const auto& runs : groups_) {
      RepeatsOverRanks& c = configurations.emplace_back();
      c.np = runs.front()->np;
      for (const Run* run : runs) c.repeats.push_back(time_of(*run));
    }
    const SlowestRank found = slowest_rank(configurations);
    Slowest result{{}, found.rank, found.least};
    for (size_t i = 0; i < groups_.size(); ++i) {
      for (size_t j = 0; j < groups_[i].size(); ++j) result.time_s[groups_[i][j]] = found.time_s[i][j];
    }
    return result;
  }
  // The most that one rank has beyond the others, in seconds, of functions that are its own, and with `with_messages`
  // of messages that are its own. Its computation beyond the mean is at most that of the rank that computed most.
  double own_surplus(const Run& run, bool with_messages) const {
    double most = 0;
    for (const auto& [rank, excess] : excess_of_rank_) {
      const auto in = [&run](const ByRun& times) { return times.count(&run) == 0 ? 0 : times.at(&run); };
      const double computed =
          std::min(in(excess.computation_s), run.times.computation_s.max - run.times.computation_s.mean);
      most = std::max(most, computed + (with_messages ? in(excess.messages_s) : 0));
    }
    return most;
  }
  double slowest_computation(const Run& run) const {
    return std::max(slowest_computation_.time_s.at(&run), run.times.computation_s.mean + own_surplus(run, false));
  }

  double communication(const Run& run) const {
    if (data_.clock == core::Clock::kWall) return run.times.communication_s.mean;
    double sum = 0;
    for (const core::MpiOperation& o : run.operations) sum += costs_.transfer_time(o, run);
    return sum;
  }
  double unattributed(const Run& run) const { return std::max(0.0, run.times.unattributed_s.mean); }
  // The waiting time in seconds; 0 with the wall clock, where waiting is part of the time in MPI.
  double waiting(const Run& run) const {
    if (data_.clock == core::Clock::kWall) return 0;
    return std::max(slowest_computation(run) - run.times.computation_s.mean, own_surplus(run, true));
  }
  // The time between the end of MPI_Init and the start of MPI_Finalize, in seconds, of the mean rank.
  double mean_rank_inside(const Run& run) const {
    return std::max(
        run.times.computation_s.mean + run.times.openmp_waiting_s.mean + communication(run) + unattributed(run),
        1e-300);
  }
  // CPU time of waiting threads over that of computation, all threads.
  static double openmp_idleness(const Run& run) {
    double working = 0, waiting = 0;
    for (const core::Kernel& k : run.kernels) {
      const core::OverRanks* cpu = find_metric(k.metrics, "cpu_s");
      if (cpu != nullptr) (k.kind == core::KernelKind::kWaiting ? waiting : working) += cpu->sum;
    }
    return working > 0 ? waiting / working : 0;
  }
  double inside(const Run& run) const { return mean_rank_inside(run) + waiting(run); }
  double total(const Run& run) const { return inside(run) + run.times.others_s.mean; }

  void add_total(const std::string& name, double (*value_of)(const Builder&, const Run&)) {
    data_.totals[name] =
        series("[all]", name, [&](const Run& run) { return std::optional<double>(value_of(*this, run)); });
  }

  void add_totals() {
    add_total("total_s", [](const Builder& b, const Run& run) { return b.total(run); });
    add_total("run_s", [](const Builder& b, const Run& run) { return b.inside(run); });
    add_total("computation_s", [](const Builder&, const Run& run) { return run.times.computation_s.mean; });
    add_total("computation_max_s", [](const Builder& b, const Run& run) { return b.slowest_computation(run); });
    add_total("communication_s", [](const Builder& b, const Run& run) { return b.communication(run); });
    add_total("others_s", [](const Builder&, const Run& run) { return run.times.others_s.mean; });
    add_total("unattributed_s", [](const Builder& b, const Run& run) { return b.unattributed(run); });
    if (data_.clock == core::Clock::kCpu) {
      add_total("waiting_s", [](const Builder& b, const Run& run) { return b.waiting(run); });
    }
    add_total("imbalance", [](const Builder& b, const Run& run) {
      return run.times.computation_s.mean > 0 ? b.slowest_computation(run) / run.times.computation_s.mean : 1.0;
    });
    using Times = core::RunTimes;
    for (const auto& [name, what] :
         {std::pair("asleep_s", &Times::asleep_s), std::pair("children_s", &Times::children_s)}) {
      Series known = series("[all]", name, [what = what](const Run& run) -> std::optional<double> {
        const std::optional<core::OverRanks>& value = run.times.*what;
        return value ? std::optional(value->mean) : std::nullopt;
      });
      if (!known.observations.empty()) data_.totals.emplace(name, std::move(known));
    }
    if (seen_waiting()) {
      add_total("openmp_waiting_s", [](const Builder&, const Run& run) { return run.times.openmp_waiting_s.mean; });
      add_total("openmp_idleness", [](const Builder&, const Run& run) { return openmp_idleness(run); });
    }
    Series instructions =
        series("[all]", "instructions", [](const Run& run) { return program_instructions(run).per_rank; });
    note_unknown_instructions();
    if (!instructions.observations.empty()) data_.totals["instructions"] = std::move(instructions);
  }

  bool seen_waiting() const {
    return std::any_of(groups_.begin(), groups_.end(), [](const auto& runs) {
      return std::any_of(runs.begin(), runs.end(), [](const Run* run) { return openmp_idleness(*run) > 0; });
    });
  }

  void note_unknown_instructions() {
    std::string scales, why;
    for (const auto& runs : groups_) {
      for (const Run* run : runs) {
        const std::string of_run = program_instructions(*run).why_not;
        if (of_run.empty()) continue;
        if (why.empty()) why = of_run;
        scales += (scales.empty() ? "np=" : ", np=") + std::to_string(run->np);
        break;
      }
    }
    if (why.empty()) return;
    data_.notes.push_back("the program's instructions are not known at " + scales +
                          ", so that instruction and IPC scalability are not given where they are needed: " + why);
  }

  // The measured time of the run without its start and end, in seconds.
  static double reference_time(const Run& run) {
    return std::max(run.times.total_s.mean - run.times.others_s.mean, 1e-300);
  }

  struct Seen {
    std::map<const Run*, const core::Kernel*> in_run;
    std::vector<double> samples;  // by configuration, over repeats
    double largest_share = 0;

    const core::Kernel* find(const Run& run) const {
      const auto found = in_run.find(&run);
      return found == in_run.end() ? nullptr : found->second;
    }
  };

  static core::KernelKind kind_of(const Seen& seen) { return seen.in_run.begin()->second->kind; }

  static double mean_samples(const Seen& seen) {
    return std::accumulate(seen.samples.begin(), seen.samples.end(), 0.0) / static_cast<double>(seen.samples.size());
  }

  // The kernels by key, with the facts that decide whether each is modelled by itself.
  std::map<KernelId, Seen> seen_kernels() const {
    std::map<KernelId, Seen> seen;
    for (size_t i = 0; i < groups_.size(); ++i) {
      for (const Run* run : groups_[i]) {
        for (const core::Kernel& k : run->kernels) {
          Seen& s = seen[core::id_of(k)];
          s.in_run[run] = &k;
          s.samples.resize(groups_.size(), 0.0);
          s.samples[i] += static_cast<double>(k.samples);
          s.largest_share = std::max(s.largest_share, time_of(k) / reference_time(*run));
        }
      }
    }
    return seen;
  }

  // Whether the kernel has few samples in some configurations, yet enough to be followed: along the processes alone at
  // the two largest scales, since it may grow into one that matters; with further parameters wherever each of them, and
  // the processes, have two values with enough, the largest one of the processes among them. Small problems leave many
  // kernels few samples, which says nothing about large ones.
  bool emerges(const Seen& seen) const {
    const size_t n = groups_.size();
    if (data_.parameter_names.size() == 1) {
      return n > 2 && seen.samples[n - 1] >= kFewestSamples && seen.samples[n - 2] >= kFewestSamples;
    }
    const auto values = [&](size_t parameter, bool with_enough) {
      std::set<double> all;
      for (size_t i = 0; i < n; ++i) {
        if (!with_enough || seen.samples[i] >= kFewestSamples) all.insert(data_.configurations[i].at[parameter]);
      }
      return all;
    };
    for (size_t p = 0; p < data_.parameter_names.size(); ++p) {
      const std::set<double> measured = values(p, false), enough = values(p, true);
      if (enough.size() < std::min<size_t>(measured.size(), 2)) return false;
      if (p == 0 && *enough.rbegin() != *measured.rbegin()) return false;
    }
    return true;
  }

  void add_kernels() {
    struct Followed {
      const KernelId* key;
      const Seen* seen;
      double fewest_samples;
    };
    std::vector<Followed> followed;
    std::vector<const Seen*> pooled;
    const std::map<KernelId, Seen> all = seen_kernels();
    for (const auto& [key, seen] : all) {
      const double fewest = *std::min_element(seen.samples.begin(), seen.samples.end());
      const double most = *std::max_element(seen.samples.begin(), seen.samples.end());
      // Waiting and other kernels that do not compute are not pooled with functions.
      if (kind_of(seen) == core::KernelKind::kWaiting) {
        followed.push_back({&key, &seen, std::max(fewest, 1.0)});
      } else if (most > 0 ? fewest >= kFewestSamples || emerges(seen) : seen.largest_share >= kUnsampledShare) {
        followed.push_back({&key, &seen, most > 0 ? std::max(fewest, 1.0) : 0});
      } else {
        pooled.push_back(&seen);
      }
    }
    data_.kernels.resize(followed.size());
    core::in_parallel(followed.size(), 0, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        data_.kernels[i] = function_kernel(*followed[i].key, *followed[i].seen, followed[i].fewest_samples);
      }
    });
    if (!pooled.empty()) add_pool(pooled);
    for (const KernelData& kernel : data_.kernels) add_excess(kernel);
  }

  KernelData function_kernel(const KernelId& id, const Seen& seen, double fewest_samples) const {
    KernelData kernel;
    kernel.name = id.name;
    kernel.module = id.module;
    kernel.file = id.file;
    kernel.line = id.line;
    const core::KernelKind kind = kind_of(seen);
    kernel.kind = kind == core::KernelKind::kWaiting  ? KernelKind::kWaiting
                  : kind == core::KernelKind::kSystem ? KernelKind::kSystem
                                                      : KernelKind::kFunction;
    kernel.largest_share = seen.largest_share;
    kernel.fewest_samples = fewest_samples;
    kernel.samples = mean_samples(seen);

    const auto add = [&](const std::string& metric, auto value_of) {
      Series values = series(kernel.name, metric, [&](const Run& run) -> std::optional<double> {
        const core::Kernel* k = seen.find(run);
        return k == nullptr ? std::nullopt : value_of(*k, run);
      });
      if (!values.observations.empty()) kernel.series.emplace(metric, std::move(values));
    };
    // A run in which no sample fell into the kernel says that it is fast there.
    kernel.series["time_s"] = series(kernel.name, "time_s", [&](const Run& run) -> std::optional<double> {
      const core::Kernel* k = seen.find(run);
      return k == nullptr ? 0.0 : time_of(*k);
    });
    const Slowest critical = slowest([&seen](const Run& run) {
      const core::Kernel* k = seen.find(run);
      const core::OverRanks* time = k == nullptr ? nullptr : find_metric(k->metrics, "time_s");
      return TimeOverRanks{time, time == nullptr ? 0 : static_cast<double>(k->samples)};
    });
    set_slowest(kernel, critical);
    add("concentration", [&critical](const core::Kernel& k, const Run& run) -> std::optional<double> {
      const double sum = time_of(k) * run.np;
      return sum <= 0 ? std::nullopt : std::optional<double>(critical.time_s.at(&run) / sum);
    });
    for (const char* metric : core::kCounterMetrics) {
      const bool of_level =
          std::find(std::begin(kLevels), std::end(kLevels), std::string_view(metric)) != std::end(kLevels);
      add(metric, [&, metric](const core::Kernel& k, const Run& run) -> std::optional<double> {
        const core::OverRanks* value = find_metric(k.metrics, metric);
        const bool known = value != nullptr && (!of_level || has_levels(run));
        return known ? std::optional<double>(value->mean) : std::nullopt;
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

  void set_slowest(KernelData& kernel, const Slowest& critical) const {
    kernel.slowest_rank = critical.rank;
    kernel.least_rank = critical.least;
    kernel.series["critical_s"] =
        series(kernel.name, "critical_s", [&](const Run& run) { return std::optional(critical.time_s.at(&run)); });
    for (const auto& [run, time_s] : critical.time_s) {
      kernel.largest_share = std::max(kernel.largest_share, time_s / reference_time(*run));
    }
  }

  // Records how much more, or less, one rank has than the others, of functions in which it is the same rank at all
  // scales.
  void add_excess(const KernelData& kernel) {
    if (kernel.least_rank) {
      ByRun& less = excess_of_rank_[kernel.least_rank->rank].computation_s;
      const Series& mean = *kernel.find("time_s");
      for (size_t i = 0; i < groups_.size(); ++i) {
        for (size_t j = 0; j < groups_[i].size(); ++j) {
          less[groups_[i][j]] -= (1 - kernel.least_rank->of_mean) * mean.observations[i].values[j];
        }
      }
    }
    if (!kernel.slowest_rank) return;
    RankExcess& excess = excess_of_rank_[*kernel.slowest_rank];
    ByRun& of_kind = kernel.kind == KernelKind::kMpi ? excess.messages_s : excess.computation_s;
    const Series& mean = *kernel.find("time_s");
    const Series& slowest = *kernel.find("critical_s");
    // Both have a value of each run.
    for (size_t i = 0; i < groups_.size(); ++i) {
      for (size_t j = 0; j < groups_[i].size(); ++j) {
        of_kind[groups_[i][j]] += slowest.observations[i].values[j] - mean.observations[i].values[j];
      }
    }
  }

  void add_pool(const std::vector<const Seen*>& pooled) {
    KernelData pool;
    // The pool is not called "small": kernels without samples at small scales may be large at other scales.
    pool.name = "[" + std::to_string(pooled.size()) + (pooled.size() == 1 ? " function" : " functions") +
                " with too few samples]";
    pool.kind = KernelKind::kSystem;
    pool.pooled = static_cast<int>(pooled.size());
    pool.hardly_sampled = true;
    for (const Seen* seen : pooled) pool.samples += mean_samples(*seen);
    const auto time = [&pooled](const Run& run) {
      double sum = 0;
      for (const Seen* seen : pooled) {
        if (const core::Kernel* k = seen->find(run)) sum += time_of(*k);
      }
      return std::optional<double>(sum);
    };
    pool.series["time_s"] = series(pool.name, "time_s", time);
    std::map<const Run*, core::OverRanks> of_ranks;
    for (const auto& runs : groups_) {
      for (const Run* run : runs) of_ranks[run] = pooled_over_ranks(pooled, *run);
    }
    set_slowest(pool, slowest([&](const Run& run) {
                  double samples = 0;
                  for (const Seen* seen : pooled) {
                    if (const core::Kernel* k = seen->find(run)) samples += static_cast<double>(k->samples);
                  }
                  return TimeOverRanks{&of_ranks.at(&run), samples};
                }));
    for (const auto& runs : groups_) {
      for (const Run* run : runs) pool.largest_share = std::max(pool.largest_share, *time(*run) / reference_time(*run));
    }
    data_.kernels.push_back(std::move(pool));
  }

  // The sum of the pooled kernels over ranks. Its mean is known. Its maximum is a lower bound, that of the rank with
  // the most: the rank has the maximum of some kernels, and at least the minimum of the others.
  static core::OverRanks pooled_over_ranks(const std::vector<const Seen*>& pooled, const Run& run) {
    core::OverRanks all;
    double minima = 0;
    std::map<int, double> above_minima;
    for (const Seen* seen : pooled) {
      const core::Kernel* k = seen->find(run);
      const core::OverRanks* time = k == nullptr ? nullptr : find_metric(k->metrics, "time_s");
      if (time == nullptr) continue;
      all.sum += time->sum;
      all.mean += time->mean;
      minima += time->min;
      above_minima[time->rank_of_max] += time->max - time->min;
    }
    all.min = minima;
    all.max = all.mean;
    for (const auto& [rank, above] : above_minima) {
      if (minima + above <= all.max) continue;
      all.max = minima + above;
      all.rank_of_max = rank;
    }
    return all;
  }

  void add_operations() {
    std::set<std::string> names;
    for (const auto& runs : groups_) {
      for (const Run* run : runs) {
        for (const core::MpiOperation& o : run->operations) names.insert(o.operation);
      }
    }
    for (const std::string& name : names) add_operation(name);
  }

  void add_operation(const std::string& name) {
    KernelData kernel;
    kernel.name = name;
    kernel.kind = KernelKind::kMpi;
    const auto find = [&name](const Run& run) -> const core::MpiOperation* {
      for (const core::MpiOperation& o : run.operations) {
        if (o.operation == name) return &o;
      }
      return nullptr;
    };
    const bool wall = data_.clock == core::Clock::kWall;
    const auto value = [&](const char* metric, double (*of)(const core::MpiOperation&)) {
      kernel.series[metric] = series(name, metric, [&](const Run& run) -> std::optional<double> {
        const core::MpiOperation* o = find(run);
        return o == nullptr ? 0.0 : of(*o);
      });
    };
    if (wall) {
      value("time_s", [](const core::MpiOperation& o) { return o.time_s.mean; });
    } else {
      kernel.series["time_s"] = series(name, "time_s", [&](const Run& run) -> std::optional<double> {
        const core::MpiOperation* o = find(run);
        return o == nullptr ? 0.0 : costs_.transfer_time(*o, run);
      });
    }
    if (!wall) kernel.cost_uncertainty = costs_.uncertainty(name);
    if (!wall) kernel.cost_limit = costs_.limit_of(name);
    kernel.message_cost = costs_.message_cost(name);
    kernel.fastest_calls = costs_.fastest_calls(name);
    value("elapsed_s", [](const core::MpiOperation& o) { return o.wall_s.mean; });
    value("blocked_s", [](const core::MpiOperation& o) { return o.blocked_s.mean; });
    value("calls", [](const core::MpiOperation& o) { return o.calls.sum; });
    value("bytes", [](const core::MpiOperation& o) { return o.bytes.sum; });
    add_communicator_size(kernel, find);
    for (const auto& runs : groups_) {
      for (const Run* run : runs) {
        if (const core::MpiOperation* o = find(*run)) {
          const double time = wall ? o->time_s.mean : costs_.transfer_time(*o, *run);
          kernel.largest_share = std::max(kernel.largest_share, time / mean_rank_inside(*run));
        }
      }
    }
    kernel.hardly_sampled = hardly_sampled(find);
    add_rooted(kernel, find);
    add_excess(kernel);
    data_.kernels.push_back(std::move(kernel));
  }

  using FindOperation = std::function<const core::MpiOperation*(const Run&)>;

  // The form of a collective has the logarithm of the size, whose mean over calls is that of the geometric mean.
  void add_communicator_size(KernelData& kernel, const FindOperation& find) const {
    if (!mpi::is_collective(kernel.name)) return;
    bool always_all = true;
    Series sizes = series(kernel.name, "communicator_size", [&](const Run& run) -> std::optional<double> {
      const core::MpiOperation* o = find(run);
      if (o == nullptr) return std::nullopt;
      double calls = 0, logs = 0;
      for (const core::MpiClass& c : o->classes) {
        if (c.communicator_size < 1) continue;
        calls += c.calls.sum;
        logs += c.calls.sum * std::log(c.communicator_size);
        always_all = always_all && c.communicator_size == run.np;
      }
      return calls > 0 ? std::optional(std::exp(logs / calls)) : std::nullopt;
    });
    if (!always_all) kernel.series.emplace("communicator_size", std::move(sizes));
  }

  // Whether the operation has too few samples to say more; where calls were not counted, samples are all that is known
  // of it.
  bool hardly_sampled(const FindOperation& find) const {
    double fewest = std::numeric_limits<double>::infinity();
    for (const auto& runs : groups_) {
      double samples = 0;
      for (const Run* run : runs) {
        const core::MpiOperation* o = find(*run);
        if (o == nullptr) continue;
        if (o->calls.sum > 0) return false;
        samples += static_cast<double>(o->samples);
      }
      fewest = std::min(fewest, samples);
    }
    return fewest < kFewestSamples;
  }

  // The rank that makes many more calls or bytes than the others wherever several others could: "critical_calls",
  // "critical_bytes" and "critical_s" are its own. None in collectives, in which all ranks take part.
  void add_rooted(KernelData& kernel, const FindOperation& find) {
    kernel.series["critical_s"] = kernel.series["time_s"];
    kernel.series["critical_s"].metric = "critical_s";
    if (mpi::is_collective(kernel.name)) return;
    const auto root = rooted_on(find, &core::MpiOperation::calls);
    kernel.slowest_rank = root ? root : rooted_on(find, &core::MpiOperation::bytes);
    if (!kernel.slowest_rank) return;
    const auto value = [&](const char* metric, auto of) {
      kernel.series[metric] = series(kernel.name, metric, [&](const Run& run) -> std::optional<double> {
        const core::MpiOperation* o = find(run);
        const int rank = *kernel.slowest_rank == kLastRank ? run.np - 1 : *kernel.slowest_rank;
        return o == nullptr ? 0.0 : of(*o, run, rank);
      });
    };
    value("critical_calls", [](const core::MpiOperation& o, const Run&, int r) { return at_least_of(o.calls, r); });
    value("critical_bytes", [](const core::MpiOperation& o, const Run&, int r) { return at_least_of(o.bytes, r); });
    const bool wall = data_.clock == core::Clock::kWall;
    value("critical_s", [&](const core::MpiOperation& o, const Run& run, int rank) {
      const double calculated = costs_.transfer_time_of(rank, o, run);
      // The rank's own waiting is part of its time.
      if (wall) return std::max(calculated, o.time_s.rank_of_max == rank ? o.time_s.max : 0.0);
      return std::max(calculated, costs_.transfer_time(o, run));
    });
  }

  // With two ranks, one of them has more wherever they are not equal, so that only runs of more ranks are looked at.
  std::optional<int> rooted_on(const FindOperation& find, core::OverRanks core::MpiOperation::*count) const {
    std::set<int> first, last;  // ranks that have the most, counted from either end
    std::map<int, double> surplus;
    bool many_more = true;
    for (const auto& runs : groups_) {
      for (const Run* run : runs) {
        const core::MpiOperation* o = find(*run);
        if (o == nullptr || run->np <= 2) continue;
        const core::OverRanks& value = o->*count;
        const double others = (value.sum - value.max) / (run->np - 1);
        if (!(value.max > others)) return std::nullopt;
        many_more = many_more && value.max >= kManyMore * others;
        surplus[run->np] = value.max - others;
        first.insert(value.rank_of_max);
        last.insert(run->np - 1 - value.rank_of_max);
      }
    }
    if (surplus.empty()) return std::nullopt;
    const auto& [few, least] = *surplus.begin();
    const auto& [many, most] = *surplus.rbegin();
    const bool grows = many > few && most >= least * std::pow(static_cast<double>(many) / few, kSurplusGrows);
    if (!many_more && !grows) return std::nullopt;
    if (first.size() == 1) return *first.begin();
    return last.size() == 1 && *last.begin() == 0 ? std::optional(kLastRank) : std::nullopt;
  }

  const core::Profile& profile_;
  const Groups groups_;
  const CallCosts costs_;
  Slowest slowest_computation_;
  std::optional<bool> levels_are_simulated_;  // set where only some runs' are
  struct RankExcess {
    ByRun computation_s, messages_s;  // beyond the mean rank
  };
  std::map<int, RankExcess> excess_of_rank_;  // by rank, or kLastRank
  ApplicationData data_;
};

}  // namespace

const char* name_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::kFunction:
      return "function";
    case KernelKind::kSystem:
      return "system";
    case KernelKind::kWaiting:
      return "waiting";
    case KernelKind::kMpi:
      break;
  }
  return "mpi";
}

const Series* KernelData::find(const std::string& metric) const {
  const auto found = series.find(metric);
  return found == series.end() ? nullptr : &found->second;
}

double mean_at(const Series* series, const std::vector<double>& at) {
  if (series == nullptr) return 0;
  for (const Observation& o : series->observations) {
    if (o.at == at) return core::mean(o.values);
  }
  return 0;
}

std::optional<OperationLoad> measured_load(const KernelData& operation, const ConfigurationPoint& point) {
  const double calls = mean_at(operation.find("calls"), point.at);
  if (!(calls > 0)) return std::nullopt;
  const double of_communicator = mean_at(operation.find("communicator_size"), point.at);
  return OperationLoad{operation.name, of_communicator > 0 ? of_communicator : point.np, calls / point.np,
                       mean_at(operation.find("bytes"), point.at) / point.np};
}

std::vector<int> ApplicationData::scales() const {
  std::set<int> all;
  for (const ConfigurationPoint& point : configurations) all.insert(point.np);
  return {all.begin(), all.end()};
}

namespace {

// What each run's warnings say, once for all runs for which they say the same but for their numbers.
void add_warnings_of_runs(const core::Profile& profile, std::vector<std::string>& notes) {
  struct Said {
    std::string text;
    std::set<int> scales;
  };
  std::vector<std::pair<std::string, Said>> all;
  for (const Run& run : profile.runs) {
    if (!run.complete) continue;
    for (const std::string& warning : run.warnings) {
      std::string kind = warning;
      std::erase_if(kind, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
      auto known = std::find_if(all.begin(), all.end(), [&kind](const auto& said) { return said.first == kind; });
      if (known == all.end()) known = all.insert(all.end(), {kind, Said{warning, {}}});
      known->second.scales.insert(run.np);
    }
  }
  for (const auto& [kind, said] : all) {
    std::string scales;
    for (const int np : said.scales) scales += (scales.empty() ? "np=" : ", np=") + std::to_string(np);
    notes.push_back("of the runs at " + scales + ": " + said.text);
  }
}

}  // namespace

core::Result<ApplicationData> application_data(const core::Profile& profile) {
  Groups groups = core::group_by_configuration(profile, true);
  if (groups.empty()) {
    return Error{ErrorCode::kInput, "no run of the profile is complete",
                 "run the same `scalediag profile` command again: it repeats what failed or is missing", ""};
  }
  std::set<core::Clock> clocks;
  for (const auto& runs : groups) {
    for (const Run* run : runs) clocks.insert(run->clock);
  }
  if (clocks.size() > 1) {
    return Error{ErrorCode::kInput, "some runs were measured with the CPU clock and some with the wall clock",
                 "measure all of them with one: `scalediag profile --clock cpu` into a new folder", ""};
  }
  ApplicationData data = Builder(profile, std::move(groups)).build();
  const auto incomplete =
      std::count_if(profile.runs.begin(), profile.runs.end(), [](const Run& r) { return !r.complete; });
  add_warnings_of_runs(profile, data.notes);
  if (incomplete > 0) data.notes.push_back(std::to_string(incomplete) + " incomplete runs are left out");
  return data;
}

ApplicationData without_scale(const ApplicationData& data, int np, const SeriesFilter& needed) {
  const auto is_left = [np](const auto& measured) { return measured.at.front() != np; };
  const auto rest_of = [&](const Series& series) {
    Series rest{series.parameter_names, series.metric, series.kernel, {}};
    rest.observations.reserve(series.observations.size());
    std::copy_if(series.observations.begin(), series.observations.end(), std::back_inserter(rest.observations),
                 is_left);
    return rest;
  };
  ApplicationData rest{data, {}, {}, {}};
  std::copy_if(data.configurations.begin(), data.configurations.end(), std::back_inserter(rest.configurations),
               is_left);
  for (const auto& [name, series] : data.totals) rest.totals.emplace(name, rest_of(series));
  rest.kernels.reserve(data.kernels.size());
  for (const KernelData& kernel : data.kernels) {
    KernelData& copy = rest.kernels.emplace_back(KernelData{kernel, {}});
    for (const auto& [metric, series] : kernel.series) {
      if (needed(kernel, metric)) copy.series.emplace(metric, rest_of(series));
    }
  }
  return rest;
}

}  // namespace scalediag::fit
