#include "collector/merge/clock_choice.h"

#include <algorithm>

#include "core/text/quantities.h"

namespace scalediag::merge {
namespace {

constexpr char kOnlyCpuTime[] = ", so only CPU time tells what work costs";

std::string text_of(const TooFewCpus& lacking) {
  const bool has_threads = lacking.threads > lacking.ranks;
  return core::counted(lacking.ranks, "rank") +
         (has_threads ? " with " + core::counted(lacking.threads, "busy thread") : "") +
         (lacking.ranks == 1 ? " was" : " were") + " bound to " + core::counted(lacking.cpus, "core") + kOnlyCpuTime;
}

}  // namespace

ClockChoice choose_clock(const std::string& asked, int cores, int largest_np, int largest_threads) {
  if (asked == "cpu") return {core::Clock::kCpu, "the CPU clock was asked for"};
  if (asked == "wall") return {core::Clock::kWall, "the wall clock was asked for"};
  const std::string busy = core::counted(largest_np, "rank") +
                           (largest_threads > 1 ? " of " + core::counted(largest_threads, "busy thread") : "");
  if (static_cast<long long>(largest_np) * largest_threads > cores) {
    return {core::Clock::kCpu, busy + " shared " + core::counted(cores, "core") + kOnlyCpuTime};
  }
  return {core::Clock::kWall,
          busy + " had " + core::counted(cores, "core") + ": a core each, if nothing else ran there"};
}

ClockChoice choose_clock(const core::Experiment& experiment, const std::vector<CoreUse>& runs) {
  if (!experiment.emulation.empty()) return {core::Clock::kWall, experiment.emulation};
  int cores = experiment.host.cores;
  int ranks = 0;
  int threads = 1;
  double busiest = 0;
  for (const CoreUse& run : runs) {
    // The number of cores that this process may use is known for this machine only.
    const bool is_here = run.host == experiment.host.name || run.online_cpus == 0;
    const int cores_there = std::max(1, is_here ? experiment.host.cores : static_cast<int>(run.online_cpus));
    const double busy = static_cast<double>(run.ranks_on_a_host) * run.busy_threads / cores_there;
    if (busy <= busiest) continue;
    busiest = busy;
    cores = cores_there;
    ranks = run.ranks_on_a_host;
    threads = run.busy_threads;
  }
  const ClockChoice choice = choose_clock(experiment.clock, cores, ranks, threads);
  if (choice.clock == core::Clock::kCpu || experiment.clock == "wall") return choice;
  const TooFewCpus* worst = nullptr;
  for (const CoreUse& run : runs) {
    const auto& lacking = run.too_few_cpus;
    const bool is_worse = lacking && (worst == nullptr || static_cast<double>(lacking->threads) * worst->cpus >
                                                              static_cast<double>(worst->threads) * lacking->cpus);
    if (is_worse) worst = &*lacking;
  }
  return worst == nullptr ? choice : ClockChoice{core::Clock::kCpu, text_of(*worst)};
}

}  // namespace scalediag::merge
