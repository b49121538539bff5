#include "core/profile/run_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "core/profile/kernel_id.h"
#include "core/profile/metric_names.h"
#include "core/profile/repeats/ended_runs.h"
#include "core/statistics.h"

namespace scalediag::core {
namespace {

// One kernel or operation over the repeats; element i belongs to repeat i.
struct Series {
  explicit Series(size_t repeats) : mean_s(repeats), max_s(repeats) {}
  KernelKind kind = KernelKind::kFunction;  // of a kernel
  std::vector<double> mean_s;
  std::vector<double> max_s;
  uint64_t samples = 0;
};

double ratio(double numerator, double denominator) { return denominator == 0 ? 0 : numerator / denominator; }

double mean_over(std::span<const Run* const> repeats, auto value) {
  std::vector<double> values;
  values.reserve(repeats.size());
  for (const Run* run : repeats) values.push_back(value(*run));
  return mean(values);
}

std::vector<KernelSummary> summarize_kernels(std::span<const Run* const> repeats, double total_s) {
  std::map<KernelId, Series> all;
  for (size_t i = 0; i < repeats.size(); ++i) {
    for (const Kernel& kernel : repeats[i]->kernels) {
      Series& series = all.try_emplace(id_of(kernel), repeats.size()).first->second;
      series.kind = kernel.kind;
      series.samples += kernel.samples;
      const auto time = kernel.metrics.find(metric::kTime);
      if (time == kernel.metrics.end()) continue;
      series.mean_s[i] += time->second.mean;
      series.max_s[i] += time->second.max;
    }
  }

  std::vector<KernelSummary> kernels;
  kernels.reserve(all.size());
  for (const auto& [id, series] : all) {
    KernelSummary& k = kernels.emplace_back();
    k.name = id.name;
    k.module = id.module;
    k.file = id.file;
    k.line = id.line;
    k.kind = series.kind;
    k.time_s = mean(series.mean_s);
    k.share = ratio(k.time_s, total_s);
    k.max_over_mean = ratio(mean(series.max_s), k.time_s);
    k.cv = coefficient_of_variation(series.mean_s);
    k.samples = series.samples;
    k.sampling_error = sampling_error(static_cast<double>(series.samples));
  }
  // The map's order breaks ties.
  std::ranges::stable_sort(kernels, [](const KernelSummary& a, const KernelSummary& b) { return a.time_s > b.time_s; });
  return kernels;
}

std::vector<SiteSummary> summarize_sites(std::span<const Run* const> repeats, const std::string& operation,
                                         double total_s) {
  std::map<CallSite, SiteSummary> all;
  std::map<CallSite, uint64_t> samples;
  const auto n = static_cast<double>(repeats.size());
  for (const Run* run : repeats) {
    for (const MpiOperation& o : run->operations) {
      if (o.operation != operation) continue;
      for (const MpiSite& site : o.sites) {
        SiteSummary& s = all[site];
        s.time_s += site.time_s.mean / n;
        s.calls += site.calls.sum / n;
        s.bytes += site.bytes.sum / n;
        s.wall_s += site.wall_s.mean / n;
        s.blocked_s += site.blocked_s.mean / n;
        samples[site] += site.samples;
      }
    }
  }
  const bool sampled = repeats.front()->clock == Clock::kCpu;
  std::vector<SiteSummary> sites;
  for (auto& [place, s] : all) {
    s.site = place;
    s.share = ratio(s.time_s, total_s);
    s.sampling_error = sampled ? sampling_error(static_cast<double>(samples[place])) : 0;
    sites.push_back(std::move(s));
  }
  std::ranges::stable_sort(sites, [](const SiteSummary& a, const SiteSummary& b) {
    return std::tie(a.time_s, a.wall_s, a.calls) > std::tie(b.time_s, b.wall_s, b.calls);
  });
  return sites;
}

std::vector<OperationSummary> summarize_operations(std::span<const Run* const> repeats, double total_s) {
  struct Operation {
    explicit Operation(size_t repeats_) : time(repeats_) {}
    Series time;
    double calls = 0, bytes = 0, wall_s = 0, blocked_s = 0;  // sums over repeats
  };
  std::map<std::string, Operation> all;
  for (size_t i = 0; i < repeats.size(); ++i) {
    for (const MpiOperation& operation : repeats[i]->operations) {
      Operation& o = all.try_emplace(operation.operation, repeats.size()).first->second;
      o.time.mean_s[i] += operation.time_s.mean;
      o.time.samples += operation.samples;
      o.calls += operation.calls.sum;
      o.bytes += operation.bytes.sum;
      o.wall_s += operation.wall_s.mean;
      o.blocked_s += operation.blocked_s.mean;
    }
  }

  const auto n = static_cast<double>(repeats.size());
  const bool sampled = repeats.front()->clock == Clock::kCpu;
  std::vector<OperationSummary> operations;
  operations.reserve(all.size());
  for (const auto& [name, o] : all) {
    OperationSummary& s = operations.emplace_back();
    s.operation = name;
    s.time_s = mean(o.time.mean_s);
    s.share = ratio(s.time_s, total_s);
    s.calls = o.calls / n;
    s.bytes = o.bytes / n;
    s.wall_s = o.wall_s / n;
    s.blocked_s = o.blocked_s / n;
    s.cv = coefficient_of_variation(o.time.mean_s);
    s.samples = o.time.samples;
    s.sampling_error = sampled ? sampling_error(static_cast<double>(o.time.samples)) : 0;
    s.sites = summarize_sites(repeats, name, total_s);
  }
  std::ranges::stable_sort(operations,
                           [](const OperationSummary& a, const OperationSummary& b) { return a.time_s > b.time_s; });
  return operations;
}

// A text with numbers that may vary from run to run: those before " %" and the one at the beginning. Other numbers are
// names.
class WarningPattern {
 public:
  explicit WarningPattern(const std::string& text) {
    size_t done = 0;
    for (size_t at = 0; at < text.size(); ++at) {
      if (!is_digit(text[at]) || (at > 0 && text[at - 1] != ' ')) continue;
      const size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
      const bool is_percentage = text.compare(end, 2, " %") == 0;
      const bool is_first_word = at == 0 && end < text.size() && text[end] == ' ';
      if (!is_percentage && !is_first_word) continue;
      between_.push_back(text.substr(done, at - done));
      numbers_.push_back({text.substr(at, end - at), text.substr(at, end - at)});
      done = at = end;
    }
    between_.push_back(text.substr(done));
  }

  bool fits(const WarningPattern& other) const { return between_ == other.between_; }

  // Precondition: it fits.
  void widen(const WarningPattern& other) {
    for (size_t i = 0; i < numbers_.size(); ++i) {
      const Range& o = other.numbers_[i];
      if (value(o.smallest) < value(numbers_[i].smallest)) numbers_[i].smallest = o.smallest;
      if (value(o.largest) > value(numbers_[i].largest)) numbers_[i].largest = o.largest;
    }
  }

  std::string text() const {
    std::string all;
    for (size_t i = 0; i < numbers_.size(); ++i) {
      const auto& [smallest, largest] = numbers_[i];
      all += between_[i] + smallest + (smallest == largest ? "" : " to " + largest);
    }
    return all + between_.back();
  }

 private:
  struct Range {
    std::string smallest;
    std::string largest;
  };
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static double value(const std::string& number) { return std::strtod(number.c_str(), nullptr); }

  std::vector<std::string> between_;
  std::vector<Range> numbers_;
};

}  // namespace

double sampling_error(double samples) { return samples > 0 ? 1 / std::sqrt(samples) : 0; }

ConfigurationSummary summarize(std::span<const Run* const> repeats) {
  ConfigurationSummary s;
  if (repeats.empty()) return s;
  s.np = repeats.front()->np;
  s.parameters = repeats.front()->parameters;
  s.runs.assign(repeats.begin(), repeats.end());
  s.clock = repeats.front()->clock;
  s.total_s = mean_over(repeats, [](const Run& r) { return r.times.total_s.mean; });
  s.computation_s = mean_over(repeats, [](const Run& r) { return r.times.computation_s.mean; });
  s.openmp_waiting_s = mean_over(repeats, [](const Run& r) { return r.times.openmp_waiting_s.mean; });
  s.gpu_s = mean_over(repeats, [](const Run& r) { return r.times.gpu_s.mean; });
  s.communication_s = mean_over(repeats, [](const Run& r) { return r.times.communication_s.mean; });
  s.others_s = mean_over(repeats, [](const Run& r) { return r.times.others_s.mean; });
  s.unattributed_s = mean_over(repeats, [](const Run& r) { return r.times.unattributed_s.mean; });
  s.wall_s = mean_over(repeats, [](const Run& r) { return r.times.wall_s.mean; });
  if (s.computation_s != 0) {
    s.imbalance = mean_over(repeats, [](const Run& r) { return r.times.computation_s.max; }) / s.computation_s - 1;
  }
  std::vector<double> totals, runs;
  for (const Run* run : repeats) {
    totals.push_back(run->times.total_s.mean);
    runs.push_back(run->times.total_s.mean - run->times.others_s.mean);
    s.samples += run->samples;
    s.lost_samples += run->lost_samples;
  }
  s.total_cv = coefficient_of_variation(totals);
  s.run_cv = coefficient_of_variation(runs);
  s.kernels = summarize_kernels(repeats, s.total_s);
  s.operations = summarize_operations(repeats, s.total_s);
  return s;
}

std::vector<std::vector<const Run*>> group_by_configuration(const Profile& profile, bool complete_only) {
  std::map<std::pair<int, std::map<std::string, double>>, std::vector<const Run*>> groups;
  for (const Run& run : profile.runs) {
    if (run.complete || !complete_only) groups[{run.np, run.parameters}].push_back(&run);
  }
  std::vector<std::vector<const Run*>> all;
  for (auto& [configuration, runs] : groups) {
    std::ranges::stable_sort(runs, [](const Run* a, const Run* b) { return a->repeat < b->repeat; });
    if (complete_only) leave_out_whole_runs(runs);
    all.push_back(std::move(runs));
  }
  return all;
}

std::vector<FileOperation> file_operations(const Run& run) {
  std::vector<FileOperation> all = run.files;
  for (const MpiOperation& o : run.operations) {
    if (!o.operation.starts_with("MPI_File_")) continue;
    FileOperation& added = all.emplace_back(FileOperation{o.operation, o.calls, o.bytes, o.wall_s, {}});
    for (const MpiSite& s : o.sites) added.sites.push_back({s, s.calls, s.bytes, s.wall_s});
  }
  std::ranges::sort(all, [](const FileOperation& a, const FileOperation& b) {
    return a.time_s.mean != b.time_s.mean ? a.time_s.mean > b.time_s.mean : a.operation < b.operation;
  });
  return all;
}

std::vector<RunWarning> group_warnings(std::span<const Run> runs) {
  struct Group {
    WarningPattern pattern;
    std::vector<std::string> runs;
  };
  std::vector<Group> groups;
  for (const Run& run : runs) {
    for (const std::string& text : run.warnings) {
      const WarningPattern pattern(text);
      const auto same = std::ranges::find_if(groups, [&](const Group& g) { return g.pattern.fits(pattern); });
      Group& group = same != groups.end() ? *same : groups.emplace_back(Group{pattern, {}});
      group.pattern.widen(pattern);
      if (group.runs.empty() || group.runs.back() != run.id) group.runs.push_back(run.id);
    }
  }
  std::vector<RunWarning> warnings;
  for (Group& group : groups) warnings.push_back({group.pattern.text(), std::move(group.runs)});
  return warnings;
}

Stability judge_stability(std::span<const Run* const> repeats, const StabilityOptions& options) {
  return judge_stability(summarize(repeats), options);
}

Stability judge_stability(const ConfigurationSummary& summary, const StabilityOptions& options) {
  Stability stability;
  stability.run_cv = summary.run_cv;
  stability.stable = summary.runs.size() >= 2 && summary.run_cv < options.target_cv;

  // `sampling_error_all` is the error of all repeats together; a single one of n repeats varies sqrt(n) times as much.
  const double root_n = std::sqrt(static_cast<double>(summary.runs.size()));
  const auto judge = [&](const std::string& name, double share, double cv, double sampling_error_all) {
    if (share < options.kernel_share || cv < options.target_cv) return;
    NoisyKernel noisy{name, share, cv, sampling_error_all * root_n, false};
    noisy.few_samples = cv <= 2 * noisy.sampling_cv;
    if (!noisy.few_samples) stability.stable = false;
    stability.noisy.push_back(noisy);
  };
  for (const KernelSummary& k : summary.kernels) judge(k.name, k.share, k.cv, k.sampling_error);
  for (const OperationSummary& o : summary.operations) judge(o.operation, o.share, o.cv, o.sampling_error);
  std::ranges::stable_sort(stability.noisy,
                           [](const NoisyKernel& a, const NoisyKernel& b) { return a.share > b.share; });
  return stability;
}

}  // namespace scalediag::core
