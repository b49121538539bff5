#include "core/profile/region_profile.h"

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "core/text/join.h"

namespace scalediag::core {
namespace {

// Times that are measured, not sampled, are as certain as those with this many samples.
constexpr uint64_t kTimed = 1'000'000;

std::string path_of(const Region& region) {
  return region.parent.empty() ? region.name : region.parent + "/" + region.name;
}

// The region with this path, or the only one with this name; null where there is none or several.
const Region* find_region(const Run& run, const std::string& name) {
  for (const Region& r : run.regions) {
    if (path_of(r) == name && !r.of_other_threads) return &r;
  }
  const Region* found = nullptr;
  for (const Region& r : run.regions) {
    if (r.name != name || r.of_other_threads) continue;
    if (found != nullptr) return nullptr;
    found = &r;
  }
  return found;
}

Error no_region(const Profile& profile, const std::string& name) {
  std::set<std::string> paths;
  bool ambiguous = false;
  for (const Run& run : profile.runs) {
    int of_name = 0;
    for (const Region& r : run.regions) {
      if (r.of_other_threads) continue;
      paths.insert(path_of(r));
      of_name += r.name == name ? 1 : 0;
    }
    ambiguous = ambiguous || of_name > 1;
  }
  if (ambiguous) {
    return {ErrorCode::kInput, "several regions are named " + name, "name one by its path: " + join(paths)};
  }
  return {ErrorCode::kInput, "no run has a region " + name,
          paths.empty()
              ? "the profile has no regions: `scalediag show` lists them, docs/regions.md says how they are named"
              : "the profile has: " + join(paths)};
}

// A run of the region's times alone.
Run run_of_region(const Run& run, const Region& region) {
  Run out;
  out.id = run.id;
  out.np = run.np;
  out.parameters = run.parameters;
  out.repeat = run.repeat;
  out.complete = run.complete;
  out.reason = run.reason;
  out.clock = run.clock;
  out.clock_reason = run.clock_reason;
  out.cut = run.cut;
  out.counters = "clock";
  out.sampler = run.sampler;
  out.sampling_rate_hz = run.sampling_rate_hz;
  out.mpi_library = run.mpi_library;
  out.hosts = run.hosts;
  out.threads_max = run.threads_max;
  const bool wall = run.clock == Clock::kWall;
  out.samples = wall ? 2 * kTimed : kTimed;
  Kernel kernel;
  kernel.name = wall ? region.name + ", outside of MPI" : region.name;
  kernel.samples = kTimed;
  kernel.metrics["time_s"] = wall ? region.computation_s : region.cpu_s;
  out.times.total_s = region.time_s(run.clock);
  out.times.computation_s = kernel.metrics.at("time_s");
  out.times.wall_s = region.elapsed_s;
  out.times.cpu_s = region.cpu_s;
  if (!wall) {
    // What a rank waits for the slowest one is in its CPU time already.
    for (OverRanks* time : {&kernel.metrics["time_s"], &out.times.total_s, &out.times.computation_s}) {
      time->min = time->max = time->mean;
      time->quantiles.reset();
    }
  }
  out.kernels.push_back(std::move(kernel));
  if (wall) {
    MpiOperation mpi;
    mpi.operation = kRegionMpi;
    mpi.time_s = mpi.wall_s = region.communication_s;
    mpi.samples = kTimed;
    out.times.communication_s = region.communication_s;
    out.operations.push_back(std::move(mpi));
  } else {
    out.warnings.push_back(
        "the region's CPU time holds what ranks burn in MPI while they wait, which is not told apart with the CPU "
        "clock");
  }
  if (run.times.gpu_s.sum > 0) {
    out.warnings.push_back(
        wall ? "the region's time outside MPI holds calls of GPUs and waiting for them, which regions "
               "do not tell from computation"
             : "the region's CPU time lacks waiting for GPUs in which ranks sleep, and holds that in "
               "which they spin");
  }
  return out;
}

}  // namespace

const Region* main_loop_of(const Run& run) {
  return !run.regions.empty() && run.regions.front().name == kMainLoop ? &run.regions.front() : nullptr;
}

bool can_be_one_loop(const std::vector<const Region*>& loops) {
  constexpr double kAlike = 2;
  std::set<std::string> operations;
  std::set<double> iterations;
  for (const Region* loop : loops) {
    if (loop == nullptr) return false;
    operations.insert(loop->rounds_of);
    iterations.insert(loop->count.mean);
  }
  return iterations.size() < 2 || (operations.size() == 1 && *iterations.rbegin() <= kAlike * *iterations.begin());
}

Result<Profile> profile_of_region(const Profile& profile, const std::string& name) {
  Profile of_region;
  of_region.application = profile.application + ", region " + name;
  of_region.command = profile.command;
  of_region.parameter_names = profile.parameter_names;
  of_region.scaling = profile.scaling;
  std::vector<std::string> without;
  for (const Run& run : profile.runs) {
    const Region* region = find_region(run, name);
    if (region != nullptr) {
      of_region.runs.push_back(run_of_region(run, *region));
      if (run.complete && !(of_region.runs.back().times.total_s.mean > 0)) {
        return Error{ErrorCode::kInput, "the region " + name + " took no time in the run " + run.id,
                     "model another region, or measure the scale anew"};
      }
    } else if (run.complete) {
      without.push_back(run.id);
    }
  }
  if (of_region.runs.empty()) return no_region(profile, name);
  if (!without.empty()) {
    return Error{ErrorCode::kInput, "some runs have no region " + name + ": " + join(without),
                 "model another region, or leave these scales out when you measure"};
  }
  if (name == kMainLoop) {
    std::vector<const Region*> loops;
    std::vector<std::string> texts;
    std::set<std::pair<int, std::string>> told;  // of repeats that agree only the first
    for (const Run& run : profile.runs) {
      const Region* const loop = run.complete ? main_loop_of(run) : nullptr;
      if (loop == nullptr) continue;
      loops.push_back(loop);
      std::string rounds = std::to_string(std::llround(loop->count.mean));
      if (!loop->rounds_of.empty()) rounds += " rounds of a call of " + loop->rounds_of;
      if (told.emplace(run.np, rounds).second) texts.push_back(rounds + " in " + run.id);
    }
    if (!can_be_one_loop(loops)) {
      return Error{ErrorCode::kInput,
                   "the main loops of the runs are not one loop: their iterations are " + join(texts),
                   "mark the loop as a region (docs/regions.md), or leave out the scales at which it is another one"};
    }
  }
  return of_region;
}

}  // namespace scalediag::core
