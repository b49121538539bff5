#include "fit/application_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/numbers.h"
#include "core/parallel.h"
#include "core/run_summary.h"
#include "fit/call_prices.h"
#include "fit/program_instructions.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using core::Run;

// A kernel below this many samples at some configuration has no curve that could be followed, only noise: its relative
// error there is above 1 / sqrt(10) = 32 %.
constexpr double kFewestSamples = 10;
// Time that is not sampled is followed when it matters.
constexpr double kUnsampledShare = 0.005;

using Groups = std::vector<std::vector<const Run*>>;
using KernelKey = std::tuple<std::string, std::string, std::string, int>;

KernelKey key_of(const core::Kernel& k) { return {k.name, k.module, k.file, k.line}; }

const core::OverRanks* find_metric(const std::map<std::string, core::OverRanks>& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? nullptr : &found->second;
}

double time_of(const core::Kernel& k) {
  const core::OverRanks* time = find_metric(k.metrics, "time_s");
  return time == nullptr ? 0 : time->mean;
}

// A time of all ranks, and how many samples of all ranks it rests on.
struct Sampled {
  const core::OverRanks* time = nullptr;
  double samples = 0;
};

Sampled computation_of(const Run& run) {
  double samples = 0;
  for (const core::Kernel& k : run.kernels) {
    if (k.kind != core::KernelKind::kWaiting) samples += static_cast<double>(k.samples);
  }
  return {&run.times.computation_s, samples};
}

// Whether the slowest of P ranks is slower than sampling makes equal ones: the largest of P Poisson counts with mean n
// lies about sqrt(2 n ln P) above n.
bool is_beyond_chance(double max_s, double mean_s, int np, double samples) {
  return max_s - mean_s > 1.5 * mean_s * std::sqrt(2 * std::log(np) / (samples / np));
}

// The slowest rank's time in repeats[i], or the mean where chance alone explains the difference. Where it is the same
// rank in all repeats, they are judged as one long run.
double slowest_beyond_chance(const std::vector<Sampled>& repeats, size_t i, int np) {
  const core::OverRanks& own = *repeats[i].time;
  if (own.mean <= 0 || np < 2) return own.mean;
  if (repeats[i].samples <= 0) return own.max;
  double max_s = 0, mean_s = 0, samples = 0;
  for (const Sampled& repeat : repeats) {
    if (repeat.time == nullptr || repeat.time->rank_of_max != own.rank_of_max) {
      return is_beyond_chance(own.max, own.mean, np, repeats[i].samples) ? own.max : own.mean;
    }
    max_s += repeat.time->max;
    mean_s += repeat.time->mean;
    samples += repeat.samples;
  }
  return is_beyond_chance(max_s, mean_s, np, samples) ? own.max : own.mean;
}

class Builder {
 public:
  Builder(const core::Profile& profile, Groups groups)
      : profile_(profile), groups_(std::move(groups)), prices_(groups_) {}

  ApplicationData build() {
    data_.parameter_names = {"np"};
    for (const std::string& name : profile_.parameter_names) data_.parameter_names.push_back(name);
    data_.clock = groups_.front().front()->clock;
    for (const auto& runs : groups_) {
      for (const Run* run : runs) repeats_of_[run] = &runs;
      add_configuration(runs);
    }
    find_counters();
    std::set<std::string> placeholders;
    for (const std::string& word : profile_.command) {
      if (word.find('{') != std::string::npos && word.find('}') != std::string::npos) placeholders.insert(word);
    }
    data_.same_command = placeholders.empty();
    add_totals();
    add_kernels();
    add_operations();
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

  // One observation a configuration, one value a run for which `value_of(run)` gives one.
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

  // sampled_of(run): a time of that repeat; no time: nothing was seen in it. Precondition: there is one of `run`.
  template <class SampledOf>
  double slowest(const Run& run, SampledOf sampled_of) const {
    std::vector<Sampled> repeats;
    size_t own = 0;
    for (const Run* repeat : *repeats_of_.at(&run)) {
      if (repeat == &run) own = repeats.size();
      repeats.push_back(sampled_of(*repeat));
    }
    return slowest_beyond_chance(repeats, own, run.np);
  }
  double slowest_computation(const Run& run) const { return slowest(run, computation_of); }

  double communication(const Run& run) const {
    if (data_.clock == core::Clock::kWall) return run.times.communication_s.mean;
    double sum = 0;
    for (const core::MpiOperation& o : run.operations) sum += prices_.transfer_time(o, run);
    return sum;
  }
  double others(const Run& run) const { return std::max(0.0, run.times.others_s.mean + run.times.unattributed_s.mean); }
  double waiting(const Run& run) const {
    if (data_.clock == core::Clock::kWall) return 0;
    return slowest_computation(run) - run.times.computation_s.mean;
  }
  double total(const Run& run) const {
    return run.times.computation_s.mean + run.times.openmp_waiting_s.mean + waiting(run) + communication(run) +
           others(run);
  }
  // CPU time, all threads.
  static double openmp_idleness(const Run& run) {
    double working = 0, waiting = 0;
    for (const core::Kernel& k : run.kernels) {
      const core::OverRanks* cpu = find_metric(k.metrics, "cpu_s");
      if (cpu != nullptr) (k.kind == core::KernelKind::kWaiting ? waiting : working) += cpu->sum;
    }
    return working > 0 ? waiting / working : 0;
  }

  void add_total(const std::string& name, double (*value_of)(const Builder&, const Run&)) {
    data_.totals[name] =
        series("[all]", name, [&](const Run& run) { return std::optional<double>(value_of(*this, run)); });
  }

  void add_totals() {
    add_total("total_s", [](const Builder& b, const Run& run) { return b.total(run); });
    add_total("computation_s", [](const Builder&, const Run& run) { return run.times.computation_s.mean; });
    add_total("computation_max_s", [](const Builder& b, const Run& run) { return b.slowest_computation(run); });
    add_total("communication_s", [](const Builder& b, const Run& run) { return b.communication(run); });
    add_total("others_s", [](const Builder& b, const Run& run) { return b.others(run); });
    if (data_.clock == core::Clock::kCpu) {
      add_total("waiting_s", [](const Builder& b, const Run& run) { return b.waiting(run); });
    }
    add_total("imbalance", [](const Builder& b, const Run& run) {
      return run.times.computation_s.mean > 0 ? b.slowest_computation(run) / run.times.computation_s.mean : 1.0;
    });
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

  static double reference_total(const Run& run) { return std::max(run.times.total_s.mean, 1e-300); }

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

  // By key, with what decides whether a kernel is modelled by itself.
  std::map<KernelKey, Seen> seen_kernels() const {
    std::map<KernelKey, Seen> seen;
    for (size_t i = 0; i < groups_.size(); ++i) {
      for (const Run* run : groups_[i]) {
        for (const core::Kernel& k : run->kernels) {
          Seen& s = seen[key_of(k)];
          s.in_run[run] = &k;
          s.samples.resize(groups_.size(), 0.0);
          s.samples[i] += static_cast<double>(k.samples);
          s.largest_share = std::max(s.largest_share, time_of(k) / reference_total(*run));
        }
      }
    }
    return seen;
  }

  // Hardly seen at small scales and well at the two largest: a kernel that grows into one that matters.
  bool emerges(const Seen& seen) const {
    const size_t n = groups_.size();
    const bool only_processes = data_.parameter_names.size() == 1;
    return only_processes && n > 2 && seen.samples[n - 1] >= kFewestSamples && seen.samples[n - 2] >= kFewestSamples;
  }

  void add_kernels() {
    struct Followed {
      const KernelKey* key;
      const Seen* seen;
      double fewest_samples;
    };
    std::vector<Followed> followed;
    std::vector<const Seen*> pooled;
    const std::map<KernelKey, Seen> all = seen_kernels();
    for (const auto& [key, seen] : all) {
      const double fewest = *std::min_element(seen.samples.begin(), seen.samples.end());
      const double most = *std::max_element(seen.samples.begin(), seen.samples.end());
      // What is no computation does not go into a pool with functions.
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
  }

  KernelData function_kernel(const KernelKey& key, const Seen& seen, double fewest_samples) const {
    KernelData kernel;
    std::tie(kernel.name, kernel.module, kernel.file, kernel.line) = key;
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
    const auto critical_s = [this, &seen](const core::Kernel& k, const Run& run) {
      if (find_metric(k.metrics, "time_s") == nullptr) return 0.0;
      return slowest(run, [&seen](const Run& repeat) {
        const core::Kernel* of_repeat = seen.find(repeat);
        if (of_repeat == nullptr) return Sampled{};
        return Sampled{find_metric(of_repeat->metrics, "time_s"), static_cast<double>(of_repeat->samples)};
      });
    };
    add("critical_s",
        [&critical_s](const core::Kernel& k, const Run& run) -> std::optional<double> { return critical_s(k, run); });
    add("concentration", [&critical_s](const core::Kernel& k, const Run& run) -> std::optional<double> {
      const double sum = time_of(k) * run.np;
      return sum <= 0 ? std::nullopt : std::optional<double>(critical_s(k, run) / sum);
    });
    for (const char* metric : core::kCounterMetrics) {
      add(metric, [metric](const core::Kernel& k, const Run&) -> std::optional<double> {
        const core::OverRanks* value = find_metric(k.metrics, metric);
        return value == nullptr ? std::nullopt : std::optional<double>(value->mean);
      });
    }
    for (const char* metric : core::kResourceMetrics) {
      add(metric, [metric](const core::Kernel& k, const Run&) -> std::optional<double> {
        const auto value = k.resources.find(metric);
        return value == k.resources.end() ? std::nullopt : std::optional<double>(value->second);
      });
    }
    return kernel;
  }

  void add_pool(const std::vector<const Seen*>& pooled) {
    KernelData pool;
    // Not "small": what no sample hit at small scales may be large at others.
    pool.name = "[" + std::to_string(pooled.size()) + (pooled.size() == 1 ? " function" : " functions") +
                " with too few samples]";
    pool.kind = KernelKind::kSystem;
    pool.pooled = static_cast<int>(pooled.size());
    for (const Seen* seen : pooled) pool.samples += mean_samples(*seen);
    const auto time = [&pooled](const Run& run) {
      double sum = 0;
      for (const Seen* seen : pooled) {
        if (const core::Kernel* k = seen->find(run)) sum += time_of(*k);
      }
      return std::optional<double>(sum);
    };
    pool.series["time_s"] = series(pool.name, "time_s", time);
    pool.series["critical_s"] = pool.series["time_s"];
    pool.series["critical_s"].metric = "critical_s";
    for (const auto& runs : groups_) {
      for (const Run* run : runs)
        pool.largest_share = std::max(pool.largest_share, *time(*run) / reference_total(*run));
    }
    data_.kernels.push_back(std::move(pool));
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
        return o == nullptr ? 0.0 : prices_.transfer_time(*o, run);
      });
    }
    if (!wall) kernel.price_uncertainty = prices_.uncertainty(name);
    kernel.series["critical_s"] = kernel.series["time_s"];
    kernel.series["critical_s"].metric = "critical_s";
    value("elapsed_s", [](const core::MpiOperation& o) { return o.wall_s.mean; });
    value("blocked_s", [](const core::MpiOperation& o) { return o.blocked_s.mean; });
    value("calls", [](const core::MpiOperation& o) { return o.calls.sum; });
    value("bytes", [](const core::MpiOperation& o) { return o.bytes.sum; });
    for (const auto& runs : groups_) {
      for (const Run* run : runs) {
        if (const core::MpiOperation* o = find(*run)) {
          const double time = wall ? o->time_s.mean : prices_.transfer_time(*o, *run);
          kernel.largest_share = std::max(kernel.largest_share, time / std::max(total(*run), 1e-300));
        }
      }
    }
    data_.kernels.push_back(std::move(kernel));
  }

  const core::Profile& profile_;
  const Groups groups_;
  std::map<const Run*, const std::vector<const Run*>*> repeats_of_;
  const CallPrices prices_;
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

std::vector<int> ApplicationData::scales() const {
  std::set<int> all;
  for (const ConfigurationPoint& point : configurations) all.insert(point.np);
  return {all.begin(), all.end()};
}

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
