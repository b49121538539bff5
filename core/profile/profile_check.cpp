#include "core/profile/profile_check.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/profile/call_paths.h"
#include "core/profile/metric_names.h"
#include "core/text/numbers.h"

namespace scalediag::core {
namespace {

// Far beyond any measurement, and far from values whose sums, squares and products overflow.
constexpr double kMostSeconds = 1e11;
constexpr double kMostCounted = 1e30;
// The relative rounding error of a quotient of two doubles, and of sums over up to 2^24 ranks in two orders.
constexpr double kRoundedQuotient = 1e-9;
constexpr double kRoundedSum = 1e-7;
// The rounding error of differences of clock readings that are actually equal.
constexpr double kRoundedClock_s = 1e-6;

// The place of a value; composed only for an error.
struct Place {
  const Place* parent = nullptr;
  std::string_view name;
  size_t index = 0;  // of an element, which has no name

  std::string text() const {
    const std::string before = parent != nullptr ? parent->text() : "";
    if (name.empty()) return parent != nullptr ? before + "[" + std::to_string(index) + "]" : "";
    return before + (before.empty() ? "" : ".") + std::string(name);
  }
};

enum class Kind {
  kSeconds,            // not negative
  kDifferenceSeconds,  // of clock readings: below zero by rounding at most
  kSignedSeconds,      // the remainder
  kCount,              // not negative: calls, bytes, events
};

class Checker {
 public:
  std::optional<std::string> first_failure() && { return std::move(failure_); }

  void check(const Profile& profile) {
    const Place root;
    if (profile.machine) check(*profile.machine, {&root, "machine"});
    const Place runs{&root, "runs"};
    std::set<std::string> ids;
    std::set<std::tuple<int, std::map<std::string, double>, int>> measured;
    for (size_t i = 0; i < profile.runs.size() && !failure_; ++i) {
      const Run& run = profile.runs[i];
      const Place here{&runs, "", i};
      if (!ids.insert(run.id).second) fail({&here, "id"}, "\"" + run.id + "\" stands there twice");
      if (!measured.emplace(run.np, run.parameters, run.repeat).second) {
        fail({&here, "repeat"}, "repeat " + std::to_string(run.repeat) + " of this configuration stands there twice");
      }
      check_parameters(profile.parameter_names, run, here);
      check(run, here);
    }
  }

 private:
  void fail(const Place& at, const std::string& what) {
    if (!failure_) failure_ = at.text() + ": " + what;
  }

  void number(double value, Kind kind, const Place& at) {
    const double most = kind == Kind::kCount ? kMostCounted : kMostSeconds;
    const double least = kind == Kind::kSignedSeconds ? -most : kind == Kind::kDifferenceSeconds ? -kRoundedClock_s : 0;
    if (value < least) return fail(at, to_text(value) + " is negative");
    if (!(value <= most)) fail(at, to_text(value) + " is more than anything measured can be");
  }

  void number(double value, Kind kind, const char* name, const Place& parent) { number(value, kind, {&parent, name}); }

  // Whether `a` and `b` are equal but for the rounding of the values that they were computed from, which are as large
  // as `size`.
  static bool same(double a, double b, double size, double rounding) { return std::abs(a - b) <= rounding * size; }

  // `extended`: the value is extrapolated to all ranks from some, of which min and max are.
  void check(const OverRanks& v, Kind kind, const char* name, const Place& parent, int np, bool extended = false) {
    if (failure_) return;
    const Place here{&parent, name};
    number(v.min, kind, "min", here);
    number(v.max, kind, "max", here);
    number(v.mean, kind, "mean", here);
    if (v.rank_of_min >= np) fail({&here, "rank_of_min"}, no_such_rank(v.rank_of_min, np));
    if (v.rank_of_max >= np) fail({&here, "rank_of_max"}, no_such_rank(v.rank_of_max, np));
    if (v.min > v.max) fail({&here, "min"}, to_text(v.min) + " is above max, " + to_text(v.max));
    if (v.quantiles) check_quantiles(*v.quantiles, v, here);
    const double largest = std::max(std::abs(v.min), std::abs(v.max));
    if (!same(v.mean * np, v.sum, std::max(std::abs(v.sum), largest * 1e-6), kRoundedQuotient)) {
      fail({&here, "mean"}, to_text(v.mean) + " is not sum / np = " + to_text(v.sum) + " / " + std::to_string(np));
    }
    const double slack = kRoundedSum * largest;
    if (extended) return;
    if (v.mean < v.min - slack || v.mean > v.max + slack) {
      fail({&here, "mean"},
           to_text(v.mean) + " is not between min, " + to_text(v.min) + ", and max, " + to_text(v.max));
    }
  }

  // Quantiles rise from min to max.
  void check_quantiles(const RankQuantiles& quantiles, const OverRanks& v, const Place& of) {
    double before = v.min;
    for (const double q : quantiles) {
      if (!(q >= before && q <= v.max)) {
        return fail({&of, "quantiles"}, to_text(q) + " is below the value before it, or not between min and max");
      }
      before = q;
    }
  }

  static std::string no_such_rank(int rank, int np) {
    return "there is no rank " + std::to_string(rank) + " of " + std::to_string(np);
  }

  void check_parameters(const std::vector<std::string>& names, const Run& run, const Place& at) {
    const Place here{&at, "parameters"};
    for (const std::string& name : names) {
      if (run.parameters.count(name) == 0) fail({&here, name}, "is missing, although parameter_names has it");
    }
    for (const auto& [name, value] : run.parameters) {
      if (std::find(names.begin(), names.end(), name) == names.end()) fail({&here, name}, "is not in parameter_names");
      if (!std::isfinite(value)) fail({&here, name}, "is not a finite number");
    }
  }

  void check(const Run& run, const Place& at) {
    check_times(run, at);
    check_kernels(run, at);
    check_operations(run, at);
    check_regions(run, at);
    check_call_paths(run, at);
    check_samples(run, at);
    check_blocks(run, at);
    check_memory_and_files(run, at);
    check_gpu(run, at);
    number(run.sampling_rate_hz, Kind::kCount, "sampling_rate_hz", at);
    number(run.measured_llc_bytes, Kind::kCount, "measured_llc_bytes", at);
    if (run.emulated && !(run.emulated->cpu_factor > 0)) {
      const Place emulated{&at, "emulated"};
      fail({&emulated, "cpu_factor"}, to_text(run.emulated->cpu_factor) + " is not above 0");
    }
    const Place counted{&at, "counted_ranks"};
    for (size_t i = 0; i < run.counted_ranks.size(); ++i) {
      const Place here{&counted, "", i};
      if (run.counted_ranks[i] >= run.np) fail(here, no_such_rank(run.counted_ranks[i], run.np));
      if (i > 0 && run.counted_ranks[i] <= run.counted_ranks[i - 1]) fail(here, "ranks have to ascend");
    }
  }

  // `calls` is an operation or a site of one.
  void check_calls(const auto& calls, const Place& at, int np) {
    check(calls.calls, Kind::kCount, "calls", at, np);
    check(calls.bytes, Kind::kCount, "bytes", at, np);
    check(calls.time_s, Kind::kSeconds, "time_s", at, np);
  }

  void check_sites(const std::vector<FileSite>& all, const Place& at, int np) {
    const Place sites{&at, "sites"};
    for (size_t i = 0; i < all.size(); ++i) check_calls(all[i], {&sites, "", i}, np);
  }

  void check_memory_and_files(const Run& run, const Place& at) {
    if (run.memory_peak_bytes) check(*run.memory_peak_bytes, Kind::kCount, "memory_peak_bytes", at, run.np);
    if (run.memory_peak_node_bytes) number(*run.memory_peak_node_bytes, Kind::kCount, "memory_peak_node_bytes", at);
    const Place files{&at, "files"};
    for (size_t i = 0; i < run.files.size(); ++i) {
      const Place here{&files, "", i};
      check_calls(run.files[i], here, run.np);
      check_sites(run.files[i].sites, here, run.np);
    }
  }

  void check_gpu(const Run& run, const Place& at) {
    if (run.gpu_busy) {
      const Place busy{&at, "gpu_busy"};
      check(run.gpu_busy->kernels_s, Kind::kSeconds, "kernels_s", busy, run.np);
      check(run.gpu_busy->transfers_s, Kind::kSeconds, "transfers_s", busy, run.np);
      check(run.gpu_busy->busy_s, Kind::kSeconds, "busy_s", busy, run.np);
      const auto& communication_s = run.gpu_busy->communication_s;
      if (communication_s) check(*communication_s, Kind::kSeconds, "communication_s", busy, run.np);
    }
    const Place gpu{&at, "gpu"};
    for (size_t i = 0; i < run.gpu.size(); ++i) {
      const Place here{&gpu, "", i};
      const GpuOperation& g = run.gpu[i];
      check_calls(g, here, run.np);
      check(g.device_s, Kind::kSeconds, "device_s", here, run.np);
      check(g.timed_calls, Kind::kCount, "timed_calls", here, run.np);
      check_sites(g.sites, here, run.np);
    }
  }

  void check_times(const Run& run, const Place& at) {
    const Place time{&at, "time"};
    const RunTimes& t = run.times;
    check(t.total_s, Kind::kDifferenceSeconds, "total_s", time, run.np);
    check(t.computation_s, Kind::kSeconds, "computation_s", time, run.np);
    check(t.openmp_waiting_s, Kind::kSeconds, "openmp_waiting_s", time, run.np);
    check(t.gpu_s, Kind::kSeconds, "gpu_s", time, run.np);
    check(t.communication_s, Kind::kSeconds, "communication_s", time, run.np);
    check(t.others_s, Kind::kDifferenceSeconds, "others_s", time, run.np);
    check(t.unattributed_s, Kind::kSignedSeconds, "unattributed_s", time, run.np);
    check(t.wall_s, Kind::kSeconds, "wall_s", time, run.np);
    check(t.cpu_s, Kind::kSeconds, "cpu_s", time, run.np);
    check(t.collector_s, Kind::kSeconds, "collector_s", time, run.np);
    if (t.asleep_s) check(*t.asleep_s, Kind::kSeconds, "asleep_s", time, run.np);
    if (t.children_s) check(*t.children_s, Kind::kSeconds, "children_s", time, run.np);
    const double parts = t.computation_s.sum + t.openmp_waiting_s.sum + t.gpu_s.sum + t.communication_s.sum +
                         t.others_s.sum + t.unattributed_s.sum;
    const double size = t.total_s.sum + t.computation_s.sum + t.communication_s.sum;
    if (!same(parts, t.total_s.sum, size, kRoundedSum)) {
      fail({&time, "total_s"},
           "computation, OpenMP waiting, GPU calls, communication, others and unattributed time add up to " +
               to_text(parts) + ", and not to its sum, " + to_text(t.total_s.sum));
    }
  }

  void check_metrics(const std::map<std::string, OverRanks>& metrics, const Place& at, const Run& run) {
    const Place here{&at, "metrics"};
    for (const auto& [name, value] : metrics) {
      const bool is_time = name.size() > 2 && name.compare(name.size() - 2, 2, "_s") == 0;
      const bool extended = !is_time && !run.counted_ranks.empty();
      check(value, is_time ? Kind::kSeconds : Kind::kCount, name.c_str(), here, run.np, extended);
    }
  }

  void check_kernels(const Run& run, const Place& at) {
    const Place kernels{&at, "kernels"};
    std::set<std::tuple<std::string_view, std::string_view, std::string_view, int>> seen;
    double sum = 0;
    double waiting = 0;
    double gpu = 0;
    for (size_t i = 0; i < run.kernels.size() && !failure_; ++i) {
      const Kernel& kernel = run.kernels[i];
      const Place here{&kernels, "", i};
      const bool is_new = seen.emplace(kernel.name, kernel.module, kernel.file, kernel.line).second;
      // Names that differ in bytes that are not UTF-8 are the same in a file.
      if (!is_new && kernel.name.find("\xEF\xBF\xBD") == std::string::npos) {
        fail({&here, "name"}, "\"" + kernel.name + "\" stands there twice");
      }
      check_metrics(kernel.metrics, here, run);
      const Place errors{&here, "count_errors"};
      for (const auto& [name, value] : kernel.count_errors) number(value, Kind::kCount, name.c_str(), errors);
      const Place resources{&here, "resources"};
      for (const auto& [name, value] : kernel.resources) number(value, Kind::kCount, name.c_str(), resources);
      const auto time = kernel.metrics.find(metric::kTime);
      if (time == kernel.metrics.end()) continue;
      double& of_kind = kernel.kind == KernelKind::kWaiting ? waiting : kernel.kind == KernelKind::kGpu ? gpu : sum;
      of_kind += time->second.sum;
    }
    adds_up(sum, run.times.computation_s.sum, run, kernels, "time.computation_s");
    adds_up(gpu, run.times.gpu_s.sum, run, kernels, "time.gpu_s");
    adds_up(waiting, run.times.openmp_waiting_s.sum, run, kernels, "time.openmp_waiting_s");
  }

  // Whether parts add up to the whole, apart from the rounding of sums in another order.
  void adds_up(double parts, double whole, const Run& run, const Place& at, const char* name) {
    if (failure_ || same(parts, whole, std::abs(run.times.total_s.sum) + whole, kRoundedSum)) return;
    fail(at, "their time_s add up to " + to_text(parts) + ", and not to the sum of " + name + ", " + to_text(whole));
  }

  void check_operations(const Run& run, const Place& at) {
    const Place operations{&at, "mpi"};
    std::set<std::string_view> seen;
    double sum = 0;
    for (size_t i = 0; i < run.operations.size() && !failure_; ++i) {
      const MpiOperation& o = run.operations[i];
      const Place here{&operations, "", i};
      if (!seen.insert(o.operation).second) fail({&here, "operation"}, "\"" + o.operation + "\" stands there twice");
      check_calls(o, here, run.np);
      check(o.wall_s, Kind::kSeconds, "wall_s", here, run.np);
      check(o.cpu_s, Kind::kSeconds, "cpu_s", here, run.np);
      check(o.blocked_s, Kind::kSeconds, "blocked_s", here, run.np);
      if (o.blocked_s.sum > o.wall_s.sum * (1 + kRoundedSum)) {
        fail({&here, "blocked_s"},
             "more time was blocked than passed: " + to_text(o.blocked_s.sum) + " of " + to_text(o.wall_s.sum));
      }
      check_metrics(o.metrics, here, run);
      check_classes(o, o.operation, here, run.np);
      check_sites(o, here, run.np);
      sum += o.time_s.sum;
    }
    adds_up(sum, run.times.communication_s.sum, run, operations, "time.communication_s");
  }

  void check_regions(const Run& run, const Place& at) {
    const Place regions{&at, "regions"};
    std::set<std::tuple<std::string_view, std::string_view, std::string_view, bool>> seen;
    for (size_t i = 0; i < run.regions.size() && !failure_; ++i) {
      const Region& region = run.regions[i];
      const Place here{&regions, "", i};
      if (!seen.emplace(region.name, region.parent, region.source, region.of_other_threads).second) {
        fail({&here, "name"}, "\"" + region.name + "\" stands there twice");
      }
      check(region.count, Kind::kCount, "count", here, run.np);
      check(region.elapsed_s, Kind::kSeconds, "elapsed_s", here, run.np);
      check(region.cpu_s, Kind::kSeconds, "cpu_s", here, run.np);
      check(region.computation_s, Kind::kSeconds, "computation_s", here, run.np);
      check(region.communication_s, Kind::kSeconds, "communication_s", here, run.np);
      if (region.parallel) {
        const Place threads{&here, "parallel"};
        check(region.parallel->busy_s, Kind::kSeconds, "busy_s", threads, run.np);
        check(region.parallel->idle_s, Kind::kSeconds, "idle_s", threads, run.np);
        check(region.parallel->slowest_s, Kind::kSeconds, "slowest_s", threads, run.np);
        check(region.parallel->busy_cpu_s, Kind::kSeconds, "busy_cpu_s", threads, run.np);
      }
      const Place parameters{&here, "parameters"};
      for (const auto& [name, p] : region.parameters) number(p.n, Kind::kCount, name.c_str(), parameters);
    }
    if (!run.openmp) return;
    const Place openmp{&at, "openmp"};
    check(run.openmp->inside_s, Kind::kSeconds, "inside_s", openmp, run.np);
    check(run.openmp->outside_s, Kind::kSeconds, "outside_s", openmp, run.np);
    check(run.openmp->outside_mpi_s, Kind::kSeconds, "outside_mpi_s", openmp, run.np);
  }

  void check_call_paths(const Run& run, const Place& at) {
    const Place paths{&at, "call_paths"};
    for (size_t i = 0; i < run.call_paths.size() && !failure_; ++i) {
      const Place here{&paths, "", i};
      check(run.call_paths[i].inclusive_s, Kind::kSeconds, "inclusive_s", here, run.np);
      check(run.call_paths[i].exclusive_s, Kind::kSeconds, "exclusive_s", here, run.np);
    }
    if (failure_) return;
    if (const auto wrong = find_wrong_path(run.call_paths)) fail({&paths, "", wrong->index}, wrong->what);
    if (!(run.call_paths_from >= 0 && run.call_paths_from <= 1)) fail({&at, "call_paths_from"}, "is no share");
  }

  // The sites, if known, add up to the operation.
  void check_sites(const MpiOperation& o, const Place& at, int np) {
    if (o.sites.empty()) return;
    const Place sites{&at, "sites"};
    std::set<CallSite> seen;
    double calls = 0;
    double bytes = 0;
    for (size_t i = 0; i < o.sites.size() && !failure_; ++i) {
      const MpiSite& s = o.sites[i];
      const Place here{&sites, "", i};
      if (!seen.insert(s).second) fail(here, "this site stands there twice");
      check_calls(s, here, np);
      check(s.wall_s, Kind::kSeconds, "wall_s", here, np);
      check(s.blocked_s, Kind::kSeconds, "blocked_s", here, np);
      check_classes(s, "the site", here, np);
      calls += s.calls.sum;
      bytes += s.bytes.sum;
    }
    if (!same(calls, o.calls.sum, calls + o.calls.sum, kRoundedSum) ||
        !same(bytes, o.bytes.sum, bytes + o.bytes.sum, kRoundedSum)) {
      fail(sites, "their calls and bytes add up to " + to_text(calls) + " and " + to_text(bytes) +
                      ", and not to those of " + o.operation + ", " + to_text(o.calls.sum) + " and " +
                      to_text(o.bytes.sum));
    }
  }

  // `o` is an operation or a site of one.
  void check_classes(const auto& o, const std::string& name, const Place& at, int np) {
    const Place classes{&at, "classes"};
    std::set<std::pair<int, double>> seen;
    double calls = 0;
    double bytes = 0;
    for (size_t i = 0; i < o.classes.size() && !failure_; ++i) {
      const MpiClass& c = o.classes[i];
      const Place here{&classes, "", i};
      if (!seen.emplace(c.communicator_size, c.bytes_from).second) fail(here, "this class stands there twice");
      number(c.bytes_from, Kind::kCount, "bytes_from", here);
      number(c.bytes_to, Kind::kCount, "bytes_to", here);
      if (c.bytes_from > c.bytes_to) fail({&here, "bytes_from"}, "it is above bytes_to");
      check(c.calls, Kind::kCount, "calls", here, np);
      check(c.bytes, Kind::kCount, "bytes", here, np);
      check(c.wall_s, Kind::kSeconds, "wall_s", here, np);
      check(c.blocked_s, Kind::kSeconds, "blocked_s", here, np);
      number(c.shortest_call_s, Kind::kSeconds, "shortest_call_s", here);
      number(c.longest_call_s, Kind::kSeconds, "longest_call_s", here);
      if (c.shortest_call_s > c.longest_call_s * (1 + kRoundedSum)) {
        fail({&here, "shortest_call_s"}, "it is above longest_call_s");
      }
      calls += c.calls.sum;
      bytes += c.bytes.sum;
    }
    if (o.classes.empty()) return;
    if (!same(calls, o.calls.sum, calls + o.calls.sum, kRoundedSum)) {
      fail(classes,
           "their calls add up to " + to_text(calls) + ", and not to those of " + name + ", " + to_text(o.calls.sum));
    }
    if (!same(bytes, o.bytes.sum, bytes + o.bytes.sum, kRoundedSum)) {
      fail(classes,
           "their bytes add up to " + to_text(bytes) + ", and not to those of " + name + ", " + to_text(o.bytes.sum));
    }
  }

  // Sums are compared by subtracting what is left, which cannot overflow.
  void check_samples(const Run& run, const Place& at) {
    uint64_t left = run.samples;
    const auto take = [&](uint64_t samples) {
      if (samples > left) return fail({&at, "samples"}, "kernels and operations have more than these");
      left -= samples;
    };
    for (const Kernel& kernel : run.kernels) take(kernel.samples);
    for (const MpiOperation& operation : run.operations) take(operation.samples);
  }

  void check_blocks(const Run& run, const Place& at) {
    const Place peers{&at, "peers"};
    const int blocks = (run.np - 1) / run.ranks_per_block + 1;
    const Place entries{&peers, "entries"};
    for (size_t i = 0; i < run.peers.size() && !failure_; ++i) {
      const PeerTraffic& peer = run.peers[i];
      const Place here{&entries, "", i};
      for (const int block : {peer.from, peer.to}) {
        if (block >= blocks) {
          fail(here, "there is no block of ranks " + std::to_string(block) + " of " + std::to_string(blocks));
        }
      }
      number(peer.messages, Kind::kCount, here);
      number(peer.bytes, Kind::kCount, here);
    }
    if (!run.complete) return;  // ranks without a file are in no list
    check_block_means(run.rank_computation_s, run.times.computation_s.mean, run, blocks, "computation_s", at);
    check_block_means(run.rank_communication_s, run.times.communication_s.mean, run, blocks, "communication_s", at);
    check_block_means(run.rank_total_s, run.times.total_s.mean, run, blocks, "total_s", at);
  }

  void check_block_means(const std::vector<double>& means, double mean_s, const Run& run, int blocks, const char* name,
                         const Place& at) {
    if (failure_) return;
    const Place ranks{&at, "ranks"};
    const Place here{&ranks, name};
    if (means.size() != static_cast<size_t>(blocks)) {
      return fail(here, std::to_string(means.size()) + " values for " + std::to_string(run.np) +
                            " ranks in blocks of " + std::to_string(run.ranks_per_block) + ", which are " +
                            std::to_string(blocks));
    }
    double sum = 0;
    for (int b = 0; b < blocks; ++b) {
      const double value = means[static_cast<size_t>(b)];
      number(value, Kind::kDifferenceSeconds, {&here, "", static_cast<size_t>(b)});
      sum += value * std::min(run.ranks_per_block, run.np - b * run.ranks_per_block);
    }
    if (!same(sum / run.np, mean_s, std::abs(mean_s) + std::abs(run.times.total_s.mean), kRoundedSum)) {
      fail(here, "their mean is " + to_text(sum / run.np) + ", and not that of time." + name + ", " + to_text(mean_s));
    }
  }

  void check(const MachineUsed& machine, const Place& at) {
    const std::pair<const char*, double> values[] = {{"frequency_hz", machine.frequency_hz},
                                                     {"line_bytes", machine.line_bytes},
                                                     {"smallest_cpi", machine.smallest_cpi},
                                                     {"bandwidth_bytes_per_s", machine.bandwidth_bytes_per_s}};
    for (const auto& [name, value] : values) number(value, Kind::kCount, name, at);
    const Place latencies{&at, "latency_s"};
    for (const auto& [name, value] : machine.latency_s) number(value, Kind::kSeconds, name.c_str(), latencies);
  }

  std::optional<std::string> failure_;
};

}  // namespace

std::optional<std::string> find_impossible(const Profile& profile) {
  Checker checker;
  checker.check(profile);
  return std::move(checker).first_failure();
}

}  // namespace scalediag::core
