#include "fit/application_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/mpi_operations.h"
#include "core/numbers.h"
#include "core/run_summary.h"
#include "fit/communication_cost.h"
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

// The slowest rank's time; the mean where chance alone explains the difference. The largest of P Poisson counts with
// mean n lies about sqrt(2 n ln P) above n.
double slowest_beyond_chance(const core::OverRanks& time, int np, double samples) {
  if (time.mean <= 0 || np < 2) return time.mean;
  if (samples <= 0) return time.max;
  const double chance = time.mean * std::sqrt(2 * std::log(np) / (samples / np));
  return time.max - time.mean > 1.5 * chance ? time.max : time.mean;
}

double critical_time(const core::Kernel& k, int np) {
  const core::OverRanks* time = find_metric(k.metrics, "time_s");
  return time == nullptr ? 0 : slowest_beyond_chance(*time, np, static_cast<double>(k.samples));
}

double slowest_computation(const Run& run) {
  double samples = 0;
  for (const core::Kernel& k : run.kernels) samples += static_cast<double>(k.samples);
  return slowest_beyond_chance(run.times.computation_s, run.np, samples);
}

// What a call costs, with the CPU clock: ranks shared cores, and how long even the shortest call of a run took depends
// on how many of them had to get a core first. So a call counts as much as the fastest of its operation and message
// size in any run; one of a collective as much per level of a binary tree, one of an all-to-all per other rank.
class CallPrices {
 public:
  explicit CallPrices(const Groups& groups) {
    for (const auto& runs : groups) {
      for (const Run* run : runs) {
        if (run->np < 2) continue;
        for (const core::MpiOperation& o : run->operations) {
          for (const core::MpiClass& c : o.classes) learn(o, c);
        }
      }
    }
  }

  // A rank's mean time.
  double transfer_time(const core::MpiOperation& o, int np) const {
    if (o.classes.empty()) return o.time_s.mean;
    double sum = 0;
    for (const core::MpiClass& c : o.classes) {
      const auto price = fastest_.find({o.operation, c.bytes_from});
      // A call of a single rank costs what it cost.
      sum += c.calls.mean * (np < 2 || price == fastest_.end() ? c.shortest_call_s : price->second * steps(o, c));
    }
    return sum;
  }

  // How many times the fastest of all runs a middling run's fastest calls took, at most over message sizes.
  double uncertainty(const std::string& operation) const {
    double factor = 1;
    for (const auto& [key, prices] : all_) {
      if (key.first != operation || !(fastest_.at(key) > 0)) continue;
      std::vector<double> sorted = prices;
      std::sort(sorted.begin(), sorted.end());
      factor = std::max(factor, sorted[sorted.size() / 2] / fastest_.at(key));
    }
    return factor;
  }

 private:
  // Messages that a rank sends or receives one after the other.
  static double steps(const core::MpiOperation& o, const core::MpiClass& c) {
    if (!is_collective(o.operation)) return 1;
    const double others = c.communicator_size - 1;
    return std::max(1.0, core::is_all_to_all(o.operation) ? others : std::log2(others + 1));
  }
  void learn(const core::MpiOperation& o, const core::MpiClass& c) {
    if (c.calls.sum <= 0) return;
    const double price = c.shortest_call_s / steps(o, c);
    const auto [known, is_new] = fastest_.try_emplace({o.operation, c.bytes_from}, price);
    if (!is_new) known->second = std::min(known->second, price);
    all_[{o.operation, c.bytes_from}].push_back(price);
  }
  std::map<std::pair<std::string, double>, double> fastest_;
  std::map<std::pair<std::string, double>, std::vector<double>> all_;
};

class Builder {
 public:
  Builder(const core::Profile& profile, Groups groups)
      : profile_(profile), groups_(std::move(groups)), prices_(groups_) {}

  ApplicationData build() {
    data_.parameter_names = {"np"};
    for (const std::string& name : profile_.parameter_names) data_.parameter_names.push_back(name);
    data_.clock = groups_.front().front()->clock;
    for (const auto& runs : groups_) add_configuration(runs);
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

  double communication(const Run& run) const {
    if (data_.clock == core::Clock::kWall) return run.times.communication_s.mean;
    double sum = 0;
    for (const core::MpiOperation& o : run.operations) sum += prices_.transfer_time(o, run.np);
    return sum;
  }
  double others(const Run& run) const { return std::max(0.0, run.times.others_s.mean + run.times.unattributed_s.mean); }
  double waiting(const Run& run) const {
    if (data_.clock == core::Clock::kWall) return 0;
    return slowest_computation(run) - run.times.computation_s.mean;
  }
  double total(const Run& run) const {
    return run.times.computation_s.mean + waiting(run) + communication(run) + others(run);
  }

  void add_total(const std::string& name, double (*value_of)(const Builder&, const Run&)) {
    data_.totals[name] =
        series("[all]", name, [&](const Run& run) { return std::optional<double>(value_of(*this, run)); });
  }

  void add_totals() {
    add_total("total_s", [](const Builder& b, const Run& run) { return b.total(run); });
    add_total("computation_s", [](const Builder&, const Run& run) { return run.times.computation_s.mean; });
    add_total("computation_max_s", [](const Builder&, const Run& run) { return slowest_computation(run); });
    add_total("communication_s", [](const Builder& b, const Run& run) { return b.communication(run); });
    add_total("others_s", [](const Builder& b, const Run& run) { return b.others(run); });
    if (data_.clock == core::Clock::kCpu) {
      add_total("waiting_s", [](const Builder& b, const Run& run) { return b.waiting(run); });
    }
    add_total("imbalance", [](const Builder&, const Run& run) {
      return run.times.computation_s.mean > 0 ? slowest_computation(run) / run.times.computation_s.mean : 1.0;
    });
    Series instructions =
        series("[all]", "instructions", [](const Run& run) { return program_instructions(run).per_rank; });
    note_unknown_instructions();
    if (!instructions.observations.empty()) data_.totals["instructions"] = std::move(instructions);
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
    std::vector<const Seen*> pooled;
    const std::map<KernelKey, Seen> all = seen_kernels();
    for (const auto& [key, seen] : all) {
      const double fewest = *std::min_element(seen.samples.begin(), seen.samples.end());
      const double most = *std::max_element(seen.samples.begin(), seen.samples.end());
      const bool followed =
          most > 0 ? fewest >= kFewestSamples || emerges(seen) : seen.largest_share >= kUnsampledShare;
      if (followed) {
        add_kernel(key, seen, most > 0 ? std::max(fewest, 1.0) : 0);
      } else {
        pooled.push_back(&seen);
      }
    }
    if (!pooled.empty()) add_pool(pooled);
  }

  void add_kernel(const KernelKey& key, const Seen& seen, double fewest_samples) {
    KernelData kernel;
    std::tie(kernel.name, kernel.module, kernel.file, kernel.line) = key;
    const bool is_system = seen.in_run.begin()->second->kind == core::KernelKind::kSystem;
    kernel.kind = is_system ? KernelKind::kSystem : KernelKind::kFunction;
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
    add("critical_s",
        [](const core::Kernel& k, const Run& run) -> std::optional<double> { return critical_time(k, run.np); });
    add("concentration", [](const core::Kernel& k, const Run& run) -> std::optional<double> {
      const double sum = time_of(k) * run.np;
      return sum <= 0 ? std::nullopt : std::optional<double>(critical_time(k, run.np) / sum);
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
    data_.kernels.push_back(std::move(kernel));
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
        return o == nullptr ? 0.0 : prices_.transfer_time(*o, run.np);
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
          const double time = wall ? o->time_s.mean : prices_.transfer_time(*o, run->np);
          kernel.largest_share = std::max(kernel.largest_share, time / std::max(total(*run), 1e-300));
        }
      }
    }
    data_.kernels.push_back(std::move(kernel));
  }

  const core::Profile& profile_;
  const Groups groups_;
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

ApplicationData without_scale(const ApplicationData& data, int np) {
  ApplicationData rest = data;
  const auto is_left_out = [np](const std::vector<double>& at) { return at.front() == np; };
  std::erase_if(rest.configurations, [&](const ConfigurationPoint& point) { return is_left_out(point.at); });
  const auto prune = [&](Series& series) {
    std::erase_if(series.observations, [&](const Observation& o) { return is_left_out(o.at); });
  };
  for (auto& [name, series] : rest.totals) prune(series);
  for (KernelData& kernel : rest.kernels) {
    for (auto& [name, series] : kernel.series) prune(series);
  }
  return rest;
}

}  // namespace scalediag::fit
