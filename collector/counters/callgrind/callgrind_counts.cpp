#include "collector/counters/callgrind/callgrind_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "collector/counters/callgrind/callgrind_file.h"
#include "collector/counters/callgrind/counted_parts.h"
#include "core/atomic_file.h"
#include "core/profile/kernel_id.h"
#include "core/profile/metric_names.h"
#include "core/profile/run_summary.h"
#include "core/raw/counted_steps.h"
#include "core/statistics.h"
#include "core/text/formatted.h"

namespace scalediag::counters {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kEvents = {"Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "ILmr", "DLmr", "DLmw"};
enum Event { kIr, kDr, kDw, kI1mr, kD1mr, kD1mw, kILmr, kDLmr, kDLmw };

struct Definition {
  const char* metric;
  const char* formula;
  std::array<int, kEvents.size()> weight;  // of each event
};
constexpr std::array<Definition, 7> kDefinitions = {{
    {"instructions", "Ir", {1, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"loads", "Dr", {0, 1, 0, 0, 0, 0, 0, 0, 0}},
    {"stores", "Dw", {0, 0, 1, 0, 0, 0, 0, 0, 0}},
    {"l1_hits", "Dr + Dw - D1mr - D1mw", {0, 1, 1, 0, -1, -1, 0, 0, 0}},
    {"llc_hits", "D1mr + D1mw - DLmr - DLmw", {0, 0, 0, 0, 1, 1, 0, -1, -1}},
    {"memory_accesses", "DLmr + DLmw", {0, 0, 0, 0, 0, 0, 0, 1, 1}},
    {"l1i_misses", "I1mr", {0, 0, 0, 1, 0, 0, 0, 0, 0}},
}};

using EventCounts = std::array<uint64_t, kEvents.size()>;

RankCounts metrics_of(const EventCounts& counts) {
  RankCounts metrics;
  for (const Definition& d : kDefinitions) {
    double value = 0;
    for (size_t e = 0; e < counts.size(); ++e) value += d.weight[e] * static_cast<double>(counts[e]);
    metrics[d.metric] = value;
  }
  return metrics;
}

std::string rank_prefix(int rank) { return core::formatted("rank%06d.", rank); }

std::vector<std::string> files_of_rank(const std::string& folder, int rank) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    const std::string name = it->path().filename().string();
    if (name.rfind(rank_prefix(rank), 0) == 0 && name.find(".callgrind") != name.npos)
      files.push_back(it->path().string());
  }
  std::ranges::sort(files);
  return files;
}

// Whether the file was written with the trigger. It is in the first lines; files of other processes of a rank need not
// be parsed, nor be whole.
bool has_trigger(const std::string& text, const std::string& trigger) {
  const std::string line = "desc: Trigger: Client Request: " + trigger + "\n";
  return std::string_view(text).substr(0, 8192).find(line) != std::string_view::npos;
}

Result<CallgrindFile> read_rank(const std::string& folder, int rank, const std::string& trigger) {
  for (const std::string& file : files_of_rank(folder, rank)) {
    const auto text = TRY(core::read_file(file));
    if (!has_trigger(text, trigger)) continue;
    auto parsed = TRY(parse_callgrind(text, file));
    const auto& events = parsed.events;
    if (!std::equal(events.begin(), events.end(), kEvents.begin(), kEvents.end())) {
      return Error{ErrorCode::kInput, file + " has other events than callgrind's cache simulation",
                   "profile again with --counters simulated", file};
    }
    return parsed;
  }
  return Error{ErrorCode::kInput, "rank " + std::to_string(rank) + " wrote no counts: it was ended before it could",
               "stderr.log beside it tells what the rank said", folder};
}

std::map<core::KernelId, EventCounts> add_up(const CallgrindFile& file, const NameCode& name_code) {
  std::map<core::KernelId, EventCounts> kernels;
  const CallgrindLine* last = nullptr;
  EventCounts* counts = nullptr;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const CallgrindLine& line = file.lines[i];
    const bool same = last != nullptr && last->object == line.object && last->function == line.function &&
                      last->address == line.address;
    if (!same) {
      const auto identity = name_code(file.objects[line.object], file.functions[line.function], line.address);
      counts = identity ? &kernels.try_emplace(*identity, EventCounts{}).first->second : nullptr;
      last = &line;
    }
    if (counts == nullptr) continue;
    for (size_t e = 0; e < counts->size(); ++e) (*counts)[e] += file.cost(i, e);
  }
  return kernels;
}

std::vector<double> values_of(const std::vector<RankCounts>& counts, const std::string& metric) {
  std::vector<double> values;
  for (const RankCounts& of_rank : counts) {
    const auto found = of_rank.find(metric);
    values.push_back(found == of_rank.end() ? 0 : found->second);
  }
  return values;
}

struct KernelOfRank {
  RankCounts counts;
  RankCounts spreads;  // of metrics that are estimates
};
using KernelsOfRank = std::map<core::KernelId, KernelOfRank>;

Result<KernelsOfRank> whole_rank(const std::string& folder, int rank, const NameCode& name_code) {
  const auto file = TRY(read_rank(folder, rank, counted_steps::kDumpTrigger));
  KernelsOfRank kernels;
  for (const auto& [identity, events] : add_up(file, name_code)) kernels[identity].counts = metrics_of(events);
  return kernels;
}

Result<KernelsOfRank> rank_of_parts(const std::string& folder, int rank, const CountedParts& parts,
                                    const NameCode& name_code) {
  std::map<core::KernelId, std::vector<RankCounts>> of_parts;
  for (size_t i = 0; i < parts.parts.size(); ++i) {
    const auto file = TRY(read_rank(folder, rank, parts.parts[i].trigger));
    for (const auto& [identity, events] : add_up(file, name_code)) {
      std::vector<RankCounts>& of_kernel = of_parts[identity];
      of_kernel.resize(parts.parts.size());
      of_kernel[i] = metrics_of(events);
    }
  }
  KernelsOfRank kernels;
  for (const auto& [identity, by_part] : of_parts) {
    KernelOfRank& kernel = kernels[identity];
    for (const Definition& d : kDefinitions) {
      const CountOfParts count = count_of(parts, values_of(by_part, d.metric));
      kernel.counts[d.metric] = count.whole;
      if (count.spread) kernel.spreads[d.metric] = *count.spread;
    }
  }
  return kernels;
}

// The values of the counted ranks, each standing for as many ranks as the choice says.
core::OverRanks over_ranks(const std::vector<double>& values, const RankChoice& choice) {
  core::OverRanks v;
  for (size_t i = 0; i < choice.ranks.size(); ++i) {
    const double value = values[i];
    v.sum += value * choice.stands_for[i];
    if (i == 0 || value < v.min) {
      v.min = value;
      v.rank_of_min = choice.ranks[i];
    }
    if (i == 0 || value > v.max) {
      v.max = value;
      v.rank_of_max = choice.ranks[i];
    }
  }
  int np = 0;
  for (const int n : choice.stands_for) np += n;
  v.mean = np > 0 ? v.sum / np : 0;
  return v;
}

void set_metrics(core::Kernel& kernel, const std::vector<RankCounts>& counts, const RankChoice& choice) {
  for (const Definition& d : kDefinitions) kernel.metrics[d.metric] = over_ranks(values_of(counts, d.metric), choice);
}

// The counts extended by time. Of the other ranks it is only known that the smallest is no more and the largest no less
// than the mean.
core::OverRanks extended(const std::vector<double>& values, const RankChoice& choice, double by_time) {
  core::OverRanks v = over_ranks(values, choice);
  v.sum = by_time * std::accumulate(values.begin(), values.end(), 0.0);
  v.mean = v.sum / std::accumulate(choice.stands_for.begin(), choice.stands_for.end(), 0);
  v.min = std::min(v.min, v.mean);
  v.max = std::max(v.max, v.mean);
  return v;
}

// The evidence of all repeats for each kernel; empty where the counted ranks' time is unknown, or all ranks were
// counted.
std::map<core::KernelId, RankEvidence> evidence_of(const CountedConfiguration& c) {
  std::map<core::KernelId, RankEvidence> evidence;
  const RankChoice& choice = c.counts->ranks;
  const std::vector<RankTime> nothing(choice.ranks.size());
  for (size_t r = 0; r < c.times.size(); ++r) {
    for (const core::Kernel& k : c.runs[r]->kernels) {
      if (k.kind != core::KernelKind::kFunction) continue;
      const auto times = c.times[r]->find(core::id_of(k));
      evidence[core::id_of(k)].add(k, times == c.times[r]->end() ? nothing : times->second, choice);
    }
  }
  return evidence;
}

core::Kernel unsampled(const core::KernelId& identity, core::KernelKind kind) {
  core::Kernel k;
  k.name = identity.name;
  k.module = identity.module;
  k.file = identity.file;
  k.line = identity.line;
  k.kind = kind;
  for (const char* metric : {"time_s", "cpu_s", "system_s"}) k.metrics[metric] = {};
  return k;
}

double instructions_of(const std::vector<RankCounts>& counts) {
  double sum = 0;
  for (const RankCounts& c : counts) sum += c.at(metric::kInstructions);
  return sum;
}

// The kernels that are listed by themselves in every run.
std::set<core::KernelId> noteworthy(const std::vector<CountedConfiguration>& configurations) {
  std::set<core::KernelId> kept;
  for (const CountedConfiguration& c : configurations) {
    for (const core::Run* run : c.runs) {
      for (const core::Kernel& k : run->kernels) {
        if (k.kind == core::KernelKind::kFunction) kept.insert(core::id_of(k));
      }
    }
    double all = 0;
    for (const auto& [identity, counts] : c.counts->kernels) all += instructions_of(counts);
    for (const auto& [identity, counts] : c.counts->kernels) {
      if (instructions_of(counts) >= kSmallShare * all) kept.insert(identity);
    }
  }
  return kept;
}

// Sums up, of the time in functions, the part with a certain property, and the function that has most of it.
class TimeInFunctions {
 public:
  explicit TimeInFunctions(const core::Run& run) {
    for (const core::Kernel& k : run.kernels) {
      if (k.kind == core::KernelKind::kFunction) all_s_ += k.metrics.at(metric::kTime).mean;
    }
  }
  void add(const core::Kernel& k) {
    const double time_s = k.metrics.at(metric::kTime).mean;
    samples_ += static_cast<double>(k.samples);
    sum_s_ += time_s;
    if (time_s <= largest_s_) return;
    largest_s_ = time_s;
    largest_ = k.name;
  }
  // Not by chance of a few samples: the part is as large although it is less by two standard errors.
  bool is_much() const {
    constexpr double kLargestLeftOut = 0.05;
    return !largest_.empty() && sum_s_ * (1 - 2 * core::sampling_error(samples_)) > kLargestLeftOut * all_s_;
  }
  std::string share() const { return core::formatted("%.0f %%", 100 * sum_s_ / all_s_); }
  const std::string& largest() const { return largest_; }

 private:
  double all_s_ = 0, sum_s_ = 0, largest_s_ = 0, samples_ = 0;
  std::string largest_;
};

Extension extension_of(const std::map<core::KernelId, RankEvidence>& evidence, const core::KernelId& kernel) {
  const auto found = evidence.find(kernel);
  return found == evidence.end() ? Extension::kByRanks : found->second.extension();
}

void warn_of_uncounted_time(core::Run& run, const CallgrindCounts& counts,
                            const std::map<core::KernelId, RankEvidence>& evidence) {
  TimeInFunctions not_met(run), elsewhere(run);
  for (const core::Kernel& k : run.kernels) {
    if (k.kind != core::KernelKind::kFunction) continue;
    if (extension_of(evidence, core::id_of(k)) != Extension::kByRanks) {
      elsewhere.add(k);
    } else if (counts.kernels.count(core::id_of(k)) == 0) {
      not_met.add(k);
    }
  }
  if (elsewhere.is_much()) {
    run.warnings.push_back("functions with " + elsewhere.share() +
                           " of the time in functions took other times on ranks that were not simulated than on those "
                           "that were, first " +
                           elsewhere.largest() +
                           ": their counts are extended by time or missing, and those of the program are not known; "
                           "scalediag profile --counters simulated --simulate-ranks all counts on all ranks");
  }
  if (not_met.is_much()) {
    run.warnings.push_back("functions with " + not_met.share() +
                           " of the time in functions were not met under valgrind, first " + not_met.largest() +
                           ": a library may choose other code there, where the processor has AVX2 at most, so that "
                           "their counts are missing");
  }
}

// `spreads`: nullptr where counts are exact. Ranks that were not counted differ from those that stand for them as these
// do from one another. Counts that are extended by time are estimates anyway.
void set_errors(core::Kernel& kernel, const std::vector<RankCounts>& by_rank, const std::vector<RankCounts>* spreads,
                const RankChoice& choice) {
  if (spreads == nullptr) return;
  const auto n = static_cast<double>(choice.ranks.size());
  const double uncounted = std::accumulate(choice.stands_for.begin(), choice.stands_for.end(), 0) - n;
  for (const Definition& d : kDefinitions) {
    if (kernel.metrics.count(d.metric) == 0) continue;
    kernel.count_errors[d.metric] = over_ranks(values_of(*spreads, d.metric), choice).sum +
                                    uncounted * core::standard_deviation(values_of(by_rank, d.metric)) / std::sqrt(n);
  }
}

// `evidence` may be null.
void set_counts(core::Kernel& kernel, const std::vector<RankCounts>& by_rank, const RankChoice& choice,
                const RankEvidence* evidence) {
  const Extension extension = evidence == nullptr ? Extension::kByRanks : evidence->extension();
  if (extension == Extension::kByRanks) return set_metrics(kernel, by_rank, choice);
  if (extension == Extension::kNone) return;
  for (const Definition& d : kDefinitions) {
    kernel.metrics[d.metric] = extended(values_of(by_rank, d.metric), choice, evidence->by_time());
  }
}

void attach(core::Run& run, const CallgrindCounts& counts, const std::map<core::KernelId, RankEvidence>& evidence,
            const std::set<core::KernelId>& kept) {
  std::map<core::KernelId, core::Kernel*> sampled;
  for (core::Kernel& k : run.kernels) {
    if (k.kind == core::KernelKind::kFunction) sampled[core::id_of(k)] = &k;
  }
  warn_of_uncounted_time(run, counts, evidence);
  for (const auto& [identity, kernel] : sampled) {
    if (extension_of(evidence, identity) == Extension::kByRanks) continue;
    kernel->metrics["counted_time_s"] = over_ranks(evidence.at(identity).counted_s(), counts.ranks);
  }
  std::vector<core::Kernel> added;
  std::vector<RankCounts> small(counts.ranks.ranks.size()), small_spreads(small.size());
  bool any_small = false;
  const auto add = [](const std::vector<RankCounts>& by_rank, std::vector<RankCounts>& sums) {
    for (size_t i = 0; i < by_rank.size(); ++i) {
      for (const auto& [metric, value] : by_rank[i]) sums[i][metric] += value;
    }
  };
  for (const auto& [identity, by_rank] : counts.kernels) {
    const auto seen = evidence.find(identity);  // of this run or a repeat
    const RankEvidence* time = seen == evidence.end() ? nullptr : &seen->second;
    const auto spread = counts.spreads.find(identity);
    const std::vector<RankCounts>* spreads = spread == counts.spreads.end() ? nullptr : &spread->second;
    if (const auto known = sampled.find(identity); known != sampled.end()) {
      set_counts(*known->second, by_rank, counts.ranks, time);
      set_errors(*known->second, by_rank, spreads, counts.ranks);
    } else if (kept.count(identity) != 0) {
      added.push_back(unsampled(identity, core::KernelKind::kFunction));
      set_counts(added.back(), by_rank, counts.ranks, time);
      set_errors(added.back(), by_rank, spreads, counts.ranks);
    } else {
      any_small = true;
      add(by_rank, small);
      if (spreads != nullptr) add(*spreads, small_spreads);
    }
  }
  if (any_small) {
    added.push_back(unsampled({kUnsampledFunctions, "", "", 0}, core::KernelKind::kSystem));
    set_metrics(added.back(), small, counts.ranks);
    if (!counts.spreads.empty()) set_errors(added.back(), small, &small_spreads, counts.ranks);
  }
  run.kernels.insert(run.kernels.end(), added.begin(), added.end());
  std::ranges::stable_sort(run.kernels, [](const core::Kernel& a, const core::Kernel& b) {
    const double time_a = a.metrics.at(metric::kTime).mean;
    const double time_b = b.metrics.at(metric::kTime).mean;
    if (time_a != time_b) return time_a > time_b;
    return std::tie(a.name, a.module, a.file, a.line) < std::tie(b.name, b.module, b.file, b.line);
  });
  run.counters = "simulated";
  run.counter_events = simulated_events();
  const bool all = counts.ranks.ranks.size() == static_cast<size_t>(run.np);
  run.counted_ranks = all ? std::vector<int>{} : counts.ranks.ranks;
}

}  // namespace

Result<CallgrindCounts> read_callgrind_counts(const std::string& folder, const RankChoice& ranks,
                                              const NameCode& name_code) {
  CallgrindCounts counts;
  counts.ranks = ranks;
  for (size_t i = 0; i < ranks.ranks.size(); ++i) {
    const int rank = ranks.ranks[i];
    const auto parts = TRY(read_counted_parts(folder + "/" + parts_file(rank)));
    const auto kernels =
        TRY(parts ? rank_of_parts(folder, rank, *parts, name_code) : whole_rank(folder, rank, name_code));
    if (parts) {
      counts.counted_rounds += parts->counted;
      counts.rounds += parts->rounds;
    }
    for (const auto& [identity, kernel] : kernels) {
      auto [entry, is_new] = counts.kernels.try_emplace(identity);
      if (is_new) entry->second.assign(ranks.ranks.size(), metrics_of(EventCounts{}));
      entry->second[i] = kernel.counts;
      if (kernel.spreads.empty()) continue;
      counts.spreads[identity].resize(ranks.ranks.size());
      counts.spreads[identity][i] = kernel.spreads;
    }
  }
  return counts;
}

std::vector<core::CounterEvent> simulated_events() {
  std::vector<core::CounterEvent> events;
  for (const Definition& d : kDefinitions) {
    const std::string formula = d.formula;
    const bool derived = formula.find(' ') != formula.npos;
    events.push_back(
        {formula, d.metric, derived, derived ? formula : "callgrind's cache simulation (valgrind manual, Cachegrind)"});
  }
  return events;
}

void attach_callgrind_counts(const std::vector<CountedConfiguration>& configurations) {
  const auto kept = noteworthy(configurations);
  for (const CountedConfiguration& c : configurations) {
    const auto evidence = evidence_of(c);
    for (core::Run* run : c.runs) attach(*run, *c.counts, evidence, kept);
  }
}

}  // namespace scalediag::counters
