#include "report/comparison_sides.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/numbers.h"
#include "report/quantities.h"

namespace scalediag::report {
namespace {

using core::Error;
using core::ErrorCode;
using core::Run;

using Configuration = std::pair<int, std::map<std::string, double>>;

std::set<Configuration> configurations(const core::Profile& profile) {
  std::set<Configuration> all;
  for (const Run& run : profile.runs) {
    if (run.complete) all.insert({run.np, run.parameters});
  }
  return all;
}

std::string text_of_configuration(const Configuration& c) {
  std::string text = "np=" + std::to_string(c.first);
  for (const auto& [name, value] : c.second) text += " " + name + "=" + core::to_text(value);
  return text;
}

std::string joined(const std::set<std::string>& texts) {
  constexpr size_t kShown = 4;
  std::string all;
  size_t shown = 0;
  for (const std::string& text : texts) {
    if (shown++ == kShown) return all + " and " + std::to_string(texts.size() - kShown) + " more";
    all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

// What the complete runs say, each text once.
std::set<std::string> different(const core::Profile& profile,
                                const std::function<std::string(const Run&)>& text_of_run) {
  std::set<std::string> all;
  for (const Run& run : profile.runs) {
    if (!run.complete) continue;
    if (std::string text = text_of_run(run); !text.empty()) all.insert(std::move(text));
  }
  return all;
}

std::set<core::Clock> clocks(const core::Profile& profile) {
  std::set<core::Clock> all;
  for (const Run& run : profile.runs) {
    if (run.complete) all.insert(run.clock);
  }
  return all;
}

std::string machine_of(const core::Profile& profile) {
  std::set<std::string> hosts;
  for (const Run& run : profile.runs) hosts.insert(run.hosts.begin(), run.hosts.end());
  std::string text = joined(hosts);
  if (profile.machine && !profile.machine->cpu.empty()) text += " (" + profile.machine->cpu + ")";
  return text;
}

std::string sampling(const Run& run) {
  return run.sampler == "none" ? "none" : run.sampler + " at " + fixed(run.sampling_rate_hz, 0) + " Hz";
}

Error clocks_differ(const ComparisonOptions& options, core::Clock of_a, core::Clock of_b) {
  const bool a_is_wall = of_a == core::Clock::kWall;
  const std::string& wall = a_is_wall ? options.path_a : options.path_b;
  return {
      ErrorCode::kInput,
      options.path_a + " was measured with the " + (a_is_wall ? "wall" : "CPU") + " clock and " + options.path_b +
          " with the " + (of_b == core::Clock::kWall ? "wall" : "CPU") + " clock: their seconds cannot be compared",
      "`scalediag merge --clock cpu " + wall + "` makes its profile.json with the CPU clock, from the same raw files",
      ""};
}

}  // namespace

ComparedSide side_of(const core::Profile& profile, const std::string& path) {
  ComparedSide side;
  side.path = path;
  side.application = profile.application;
  side.command = profile.command;
  side.machine = machine_of(profile);
  side.mpi = joined(different(
      profile, [](const Run& run) { return run.mpi_library.substr(0, run.mpi_library.find_first_of(",\n")); }));
  side.counters = joined(different(profile, [](const Run& run) { return run.counters; }));
  return side;
}

core::Status check_sides(const core::Profile& a, const core::Profile& b, const ComparisonOptions& options) {
  for (const auto& [profile, path] : {std::pair(&a, &options.path_a), std::pair(&b, &options.path_b)}) {
    const std::set<core::Clock> of_side = clocks(*profile);
    if (of_side.empty()) {
      return Error{ErrorCode::kInput, "no run of " + *path + " is complete",
                   "run the same `scalediag profile` command again: it repeats what failed or is missing", *path};
    }
    if (of_side.size() > 1) {
      return Error{ErrorCode::kInput,
                   "some runs of " + *path + " were measured with the CPU clock and some with the wall clock",
                   "`scalediag merge --clock cpu " + *path + "` gives all of them one clock", *path};
    }
  }
  const core::Clock of_a = *clocks(a).begin(), of_b = *clocks(b).begin();
  if (of_a != of_b) return clocks_differ(options, of_a, of_b);
  const std::set<Configuration> in_a = configurations(a), in_b = configurations(b);
  const bool common = std::any_of(in_a.begin(), in_a.end(), [&](const Configuration& c) { return in_b.count(c) != 0; });
  if (common) return core::Done{};
  return Error{ErrorCode::kInput,
               "no configuration was measured in both: " + options.path_a + " has " + configurations_only_in(a, b) +
                   ", " + options.path_b + " has " + configurations_only_in(b, a),
               "measure one of them in the other's experiment: the same `scalediag profile` command with its -n LIST",
               ""};
}

std::vector<std::string> side_notes(const ComparedSide& a, const ComparedSide& b, const core::Profile& profile_a,
                                    const core::Profile& profile_b) {
  std::vector<std::string> notes;
  const auto differ = [&](const std::string& what, const std::string& of_a, const std::string& of_b,
                          const std::string& consequence) {
    if (of_a != of_b) notes.push_back(what + " differ: " + of_a + "; " + of_b + consequence);
  };
  differ("machines", a.machine, b.machine, ". Differences are of program and machine together");
  differ("MPI libraries", a.mpi, b.mpi, "");
  differ("sampling", joined(different(profile_a, sampling)), joined(different(profile_b, sampling)),
         ". What sampling costs differs too");
  differ("programs", a.application, b.application, "");
  return notes;
}

std::string configurations_only_in(const core::Profile& here, const core::Profile& there) {
  const std::set<Configuration> in_here = configurations(here), in_there = configurations(there);
  constexpr size_t kShown = 6;
  std::string all;
  size_t found = 0;
  for (const Configuration& c : in_here) {
    if (in_there.count(c) != 0 || found++ >= kShown) continue;
    all += (all.empty() ? "" : ", ") + text_of_configuration(c);
  }
  if (found > kShown) all += " and " + std::to_string(found - kShown) + " more";
  return all;
}

}  // namespace scalediag::report
