#include "collector/merge/run_merger.h"

#include <algorithm>
#include <cstdio>

#include "collector/merge/rank_times.h"
#include "collector/merge/samples/rank_samples.h"
#include "collector/merge/samples/sample_attribution.h"
#include "collector/merge/sites/parallel_regions.h"
#include "collector/merge/symbols/kernel_of_function.h"
#include "core/profile/metric_names.h"
#include "core/profile/off_cpu.h"
#include "core/text/formatted.h"

namespace scalediag::merge {
namespace {

// The library's name from its long description: "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2
// ...".
std::string library_name(const std::string& version) {
  std::string name = version.substr(0, version.find_first_of(",\n"));
  std::replace(name.begin(), name.end(), '\t', ' ');
  return name;
}

}  // namespace

RunMerger::RunMerger(int n_ranks, const RunScan& scan, const MergeOptions& options, SymbolCache& symbols,
                     const RankRecord& first)
    : n_ranks_(n_ranks),
      options_(options),
      symbols_(symbols),
      counts_(first.identity->counters, !first.overflows.empty()),
      kernels_(counts_),
      operations_(options.clock, scan.shortest_call_s, counts_),
      blocks_(n_ranks),
      main_loop_(scan.main_loop) {}

void RunMerger::add(const RankRecord& record) {
  const int rank = static_cast<int>(record.rank);
  counts_.begin_rank(record);
  SampleAttributor attributor(record, options_.resolve_inlined, symbols_);
  RankSamples samples(options_.clock);
  samples.add(record, attributor, kernels_);
  attributor.add_problems(problems_);
  attributor.add_unnamed(unnamed_files_);

  SiteResolver sites(record, attributor, sites_);
  const GpuTime gpu = gpu_.add(record, options_.clock, sites, kernels_);
  const RankTimes times = divide_time(record, options_.clock, samples.time(), main_thread_operations_s(record), gpu);
  for (const auto& [index, totals] : samples.kernels()) kernels_.add(rank, index, totals);
  if (times.off_cpu_s > 0) {
    KernelTotals off;
    off.time_s = times.off_cpu_s;
    kernels_.add(rank, kernels_.index_of_system(core::kOffCpu), off);
  }
  if (!record.callers.empty()) RankPaths(record, attributor, options_.resolve_inlined, paths_).add(stack_times_);
  operations_.add(record, samples.operations(), sites);
  blocks_.add(record, times);
  memory_and_files_.add(record, sites);
  warnings_.add(record);
  main_loop_.add(record);
  regions_.add(record, names_of_parallel_regions(record, attributor));
  add_times(rank, times);
  hosts_.insert(record.identity->host);
  threads_max_ = std::max(threads_max_, record.losses.threads);
  if (record.rank < lowest_rank_) {
    lowest_rank_ = record.rank;
    identity_of_lowest_ = *record.identity;
  }
}

void RunMerger::add_times(int rank, const RankTimes& t) {
  times_.total_s.add(rank, t.total_s);
  times_.computation_s.add(rank, t.computation_s);
  times_.openmp_waiting_s.add(rank, t.openmp_waiting_s);
  times_.gpu_s.add(rank, t.gpu_s);
  times_.communication_s.add(rank, t.communication_s);
  times_.others_s.add(rank, t.others_s);
  times_.unattributed_s.add(rank, t.unattributed_s);
  times_.off_cpu_s.add(rank, t.off_cpu_s);
  times_.wall_s.add(rank, t.wall_s);
  times_.cpu_s.add(rank, t.cpu_s);
  times_.collector_s.add(rank, t.collector_s);
  times_.asleep_s.add(rank, t.asleep_s.value_or(0));
  times_.children_s.add(rank, t.children_s.value_or(0));
  waits_are_known_ = waits_are_known_ && t.asleep_s && t.children_s;
}

// A timer's samples stand for CPU time as it passes, so where much of it is missing the signal was blocked. Such a run
// does not describe the program.
void RunMerger::warn_of_unattributed(core::Run& run) const {
  constexpr double kTolerable = 0.05;
  constexpr double kUsable = 0.20;
  const double unattributed_s = run.times.unattributed_s.mean;
  const double share = unattributed_s / run.times.total_s.mean;
  if (share <= kTolerable || run.sampler == "none") return;
  run.warnings.push_back(
      core::formatted("%.0f %% of the time, %.3g s a rank, is unattributed: no sample stands for it, so functions and "
                      "operations took more than they show",
                      100 * share, unattributed_s));
  if (share <= kUsable || run.sampler != "timer" || !run.complete) return;
  run.reason = core::formatted(
      "the timer's signal stayed away for %.0f %% of the time: the program blocks it or handles it by system "
      "calls of its own",
      100 * share);
  run.complete = false;
}

void RunMerger::warn_of_times(core::Run& run) const {
  constexpr double kTolerableMeasuring = 0.02;
  const double total_s = run.times.total_s.mean;
  if (!(total_s > 0)) return;
  const double measuring = run.times.collector_s.mean / total_s;
  if (measuring > kTolerableMeasuring) {
    run.warnings.push_back(core::formatted(
        "measuring took another %.1f %% of the time because %s so often; it is left out, yet may have changed how the "
        "program ran",
        100 * measuring,
        identity_of_lowest_.counters.empty() ? "MPI is called or threads begin"
                                             : "MPI is called, threads begin or counters overflow"));
  }
  warn_of_unattributed(run);
  if (options_.clock == core::Clock::kCpu) warn_of_what_no_clock_sees(run);
  const double off_cpu_s = times_.off_cpu_s.finish(n_ranks_).mean;  // 0 with the CPU clock
  const double outside_s = total_s - run.times.communication_s.mean;
  if (off_cpu_s > core::kTolerableOffCpu * total_s && outside_s > 0) {
    run.warnings.push_back(core::formatted(
        "the main thread was off the CPU for %.0f %% of the time outside MPI: other programs shared the "
        "cores, or it waited for input and output; --clock cpu is steadier",
        100 * off_cpu_s / outside_s));
  }
}

// Names the package or the option that brings the symbols of modules in which much of the computation is.
void RunMerger::warn_of_missing_symbols(core::Run& run) const {
  constexpr double kTellable = 0.02;
  for (const core::Kernel& kernel : run.kernels) {
    const auto file = unnamed_files_.find(kernel.module);
    if (file == unnamed_files_.end() || kernel.name != without_symbols(kernel.module)) continue;
    const double share = kernel.metrics.at(metric::kTime).mean / run.times.total_s.mean;
    if (!(share > kTellable)) continue;
    const std::string& package = symbols_.debug_package(file->second);
    const std::string taken = core::formatted(", %.0f %% of the time, have no names (", 100 * share);
    run.warnings.push_back("the functions of " + kernel.module + taken +
                           (package.empty() ? "build it with -g and do not strip it)"
                                            : "install " + package + ", then `scalediag merge`)"));
  }
}

// Stacks without their outer functions are in the call tree, but nobody knows where in it they belong.
void RunMerger::warn_of_stacks(core::Run& run) const {
  constexpr double kTellable = 0.001;
  const auto tell = [&](double part_s, const char* what) {
    if (!(part_s > kTellable * stack_times_.all)) return;
    run.warnings.push_back(
        core::formatted("%.1f %% of the CPU time has no whole call path: %s", 100 * part_s / stack_times_.all, what));
  };
  tell(stack_times_.cut, "its stacks are longer than what was copied of them; --stack-bytes copies more");
  tell(stack_times_.no_table, "its code has no unwind table (.eh_frame)");
  tell(stack_times_.misled, "the unwind tables of its code do not lead to a caller");
  tell(stack_times_.uncopied,
       "its stacks were not copied: the thread ran on a stack of the program's own, or too many came at once");
}

// Warns of what ranks waited for and of what their children did, since CPU time holds neither.
void RunMerger::warn_of_what_no_clock_sees(core::Run& run) const {
  constexpr double kTolerable = 0.1;
  const double asleep_s = run.times.asleep_s ? run.times.asleep_s->mean : 0;
  const double children_s = run.times.children_s ? run.times.children_s->mean : 0;
  const double total_s = run.times.total_s.mean;
  if (asleep_s > kTolerable * (total_s + asleep_s)) {
    run.warnings.push_back(core::formatted(
        "ranks slept, or waited for files or other processes, for %.3g s outside MPI, beside %.3g s of CPU "
        "time: that is in none of these numbers; --clock wall holds it where each rank has a core",
        asleep_s, total_s));
  }
  if (children_s > kTolerable * (total_s + children_s)) {
    run.warnings.push_back(core::formatted(
        "processes that ranks started used %.3g s of CPU time a rank, beside %.3g s of their own: that is in "
        "none of these numbers",
        children_s, total_s));
  }
}

void RunMerger::finish(core::Run& run) const {
  constexpr uint32_t kMostThreads = 1 << 20;
  run.sampler = identity_of_lowest_.sampler;
  run.sampling_rate_hz = identity_of_lowest_.period_ns > 0 && identity_of_lowest_.sampler != "none"
                             ? 1e9 / static_cast<double>(identity_of_lowest_.period_ns)
                             : 0;
  run.mpi_library = library_name(identity_of_lowest_.mpi_library_version);
  run.hosts.assign(hosts_.begin(), hosts_.end());
  run.threads_max = static_cast<int>(std::min(threads_max_, kMostThreads));
  run.times.total_s = times_.total_s.finish(n_ranks_);
  run.times.computation_s = times_.computation_s.finish(n_ranks_);
  run.times.openmp_waiting_s = times_.openmp_waiting_s.finish(n_ranks_);
  run.times.gpu_s = times_.gpu_s.finish(n_ranks_);
  run.times.communication_s = times_.communication_s.finish(n_ranks_);
  run.times.others_s = times_.others_s.finish(n_ranks_);
  run.times.unattributed_s = times_.unattributed_s.finish(n_ranks_);
  run.times.wall_s = times_.wall_s.finish(n_ranks_);
  run.times.cpu_s = times_.cpu_s.finish(n_ranks_);
  run.times.collector_s = times_.collector_s.finish(n_ranks_);
  if (waits_are_known_) {
    run.times.asleep_s = times_.asleep_s.finish(n_ranks_);
    run.times.children_s = times_.children_s.finish(n_ranks_);
  }
  warn_of_times(run);
  run.samples = warnings_.samples();
  run.lost_samples = warnings_.lost_samples();
  run.kernels = kernels_.finish(n_ranks_);
  warn_of_missing_symbols(run);
  if (paths_.size() > 0) paths_.finish(n_ranks_, run);
  warn_of_stacks(run);
  run.operations = operations_.finish(n_ranks_);
  counts_.finish(n_ranks_, run);
  blocks_.finish(run);
  memory_and_files_.finish(n_ranks_, run);
  gpu_.finish(n_ranks_, run);
  run.regions = regions_.finish(n_ranks_);
  run.openmp = regions_.openmp(n_ranks_);
  if (auto loop = main_loop_.finish(n_ranks_)) run.regions.insert(run.regions.begin(), std::move(*loop));
  run.no_main_loop = main_loop_.why_not();
  const auto from_ranks = warnings_.finish();
  const auto of_regions = regions_.warnings();
  run.warnings.insert(run.warnings.end(), of_regions.begin(), of_regions.end());
  run.warnings.insert(run.warnings.end(), from_ranks.begin(), from_ranks.end());
  run.warnings.insert(run.warnings.end(), problems_.begin(), problems_.end());
}

}  // namespace scalediag::merge
