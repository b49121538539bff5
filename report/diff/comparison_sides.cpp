#include "report/diff/comparison_sides.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/experiment/experiment.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"

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

std::string text_of_configuration(const Configuration& c, const std::string& processes) {
  std::string text = (processes.empty() ? "np" : processes) + "=" + std::to_string(c.first);
  for (const auto& [name, value] : c.second) text += " " + name + "=" + core::to_text(value);
  return text;
}

using Texts = std::set<std::string>;

constexpr size_t kTextsShown = 4;

std::string joined(const Texts& texts) {
  std::string all;
  size_t shown = 0;
  for (const std::string& text : texts) {
    if (shown++ == kTextsShown) return all + " and " + std::to_string(texts.size() - kTextsShown) + " more";
    all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

// The texts that are not in `others`.
Texts own(const Texts& texts, const Texts& others) {
  Texts all;
  std::set_difference(texts.begin(), texts.end(), others.begin(), others.end(), std::inserter(all, all.end()));
  return all;
}

// The text of one of two sets that differ. Of long sets it names what the other one lacks, so that the difference is
// visible.
std::string apart(const Texts& texts, const Texts& others) {
  if (std::max(texts.size(), others.size()) <= kTextsShown) return joined(texts);
  const Texts mine = own(texts, others);
  const size_t common = texts.size() - mine.size();
  if (common == 0) return joined(texts);
  return (mine.empty() ? "" : joined(mine) + " and ") + std::to_string(common) + " that both have";
}

// The texts of the complete runs, each once.
Texts different(const core::Profile& profile, const std::function<std::string(const Run&)>& text_of_run) {
  Texts all;
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

Texts hosts_of(const core::Profile& profile) {
  Texts hosts;
  for (const Run& run : profile.runs) hosts.insert(run.hosts.begin(), run.hosts.end());
  return hosts;
}

std::string processor_text(const core::Profile& profile) {
  return profile.machine && !profile.machine->cpu.empty() ? " (" + profile.machine->cpu + ")" : "";
}

std::string mpi_library(const Run& run) { return run.mpi_library.substr(0, run.mpi_library.find_first_of(",\n")); }

std::string sampling(const Run& run) {
  return run.sampler == "none" ? "none" : run.sampler + " at " + core::fixed(run.sampling_rate_hz, 0) + " Hz";
}

std::string counters(const Run& run) { return core::counters_text(run.counters); }

int threads(const core::Profile& profile) {
  int most = 1;
  for (const Run& run : profile.runs) most = std::max(most, run.threads_max);
  return most;
}

std::string words(const std::vector<std::string>& command) {
  std::string all;
  for (const std::string& word : command) all += (all.empty() ? "" : " ") + word;
  return all;
}

class Differences {
 public:
  void compare(const std::string& what, const std::string& a, const std::string& b,
               const std::string& consequence = "") {
    if (a != b) tell(what, a, b, consequence);
  }
  // Compares all texts of both sides, of which only a part may be shown.
  void compare(const std::string& what, const Texts& a, const Texts& b, const std::string& consequence = "") {
    if (a != b) tell(what, apart(a, b), apart(b, a), consequence);
  }
  void tell(const std::string& what, const std::string& a, const std::string& b, const std::string& consequence) {
    found_.push_back({what, a.empty() ? "none" : a, b.empty() ? "none" : b, consequence});
  }
  std::vector<SideDifference> take() && { return std::move(found_); }

 private:
  std::vector<SideDifference> found_;
};

Texts paths(const std::map<std::string, std::string>& files) {
  Texts all;
  for (const auto& [path, fingerprint] : files) all.insert(path);
  return all;
}

void compare_files(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b,
                   Differences& found) {
  for (const auto& [path, fingerprint] : a) {
    const auto other = b.find(path);
    if (other == b.end() || other->second == fingerprint) continue;
    found.compare("contents of " + path, fingerprint, other->second);
  }
  const Texts in_a = paths(a), in_b = paths(b);
  if (in_a == in_b) return;
  const auto only_in = [](const char* side, const Texts& of_side) {
    return of_side.empty() ? std::string("none only in ") + side
                           : std::string("only in ") + side + " " + joined(of_side);
  };
  found.tell("input files", only_in("A", own(in_a, in_b)), only_in("B", own(in_b, in_a)), "");
}

void compare_environments(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b,
                          Differences& found) {
  std::set<std::string> names;
  for (const auto* variables : {&a, &b}) {
    for (const auto& [name, value] : *variables) names.insert(name);
  }
  const auto value_of = [](const std::map<std::string, std::string>& variables, const std::string& name) {
    const auto found_value = variables.find(name);
    return found_value == variables.end() ? std::string("not set") : "'" + found_value->second + "'";
  };
  for (const std::string& name : names) found.compare("values of " + name, value_of(a, name), value_of(b, name));
}

void compare_experiments(const core::Experiment& a, const core::Experiment& b, Differences& found) {
  found.compare("executables", a.executable, b.executable);
  found.compare("working folders", a.working_directory, b.working_directory);
  found.compare("launchers", a.launcher, b.launcher);
  found.compare("paths of the MPI library", a.mpi_library, b.mpi_library);
  found.compare("standard inputs", a.stdin_file, b.stdin_file);
  found.compare("processors", a.host.cpu, b.host.cpu);
  found.compare("numbers of cores", std::to_string(a.host.cores), std::to_string(b.host.cores));
  found.compare("sizes of memory", core::bytes_text(a.host.memory_bytes), core::bytes_text(b.host.memory_bytes));
  found.compare("operating systems", a.host.kernel, b.host.kernel);
  found.compare("clocks asked for", a.clock, b.clock);
  found.compare("recordings of events (--trace)", a.traced ? "on" : "off", b.traced ? "on" : "off");
  found.compare("recordings of computations (--series)", a.traced_series ? "on" : "off",
                b.traced_series ? "on" : "off");
  found.compare("versions of scalediag", a.scalediag_version, b.scalediag_version);
  if (a.input_files && b.input_files) compare_files(*a.input_files, *b.input_files, found);
  if (a.environment && b.environment) compare_environments(*a.environment, *b.environment, found);
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
  side.machine = joined(hosts_of(profile)) + processor_text(profile);
  side.mpi = joined(different(profile, mpi_library));
  side.counters = joined(different(profile, [](const Run& run) { return run.counters; }));
  return side;
}

core::Status check_sides(const core::Profile& a, const core::Profile& b, const ComparisonOptions& options) {
  for (const auto& [profile, path] : {std::pair(&a, &options.path_a), std::pair(&b, &options.path_b)}) {
    const std::set<core::Clock> of_side = clocks(*profile);
    if (of_side.empty()) {
      return Error{ErrorCode::kInput, "no run of " + *path + " is complete", core::kMeasureAgain, *path};
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
  return Error{
      ErrorCode::kInput,
      "no configuration was measured in both: " + options.path_a + " has " +
          configurations_only_in(a, b, options.processes) + ", " + options.path_b + " has " +
          configurations_only_in(b, a, options.processes),
      options.processes.empty()
          ? "measure one of them in the other's experiment: the same `scalediag profile` command with its -n LIST"
          : "measure both with the same parameters",
      ""};
}

std::vector<SideDifference> side_differences(const core::Profile& a, const core::Profile& b,
                                             const ComparisonOptions& options) {
  Differences found;
  found.compare(kPrograms, a.application, b.application,
                "Functions are matched by their names only, and may be different ones");
  found.compare("command lines", words(a.command), words(b.command),
                "They may not have been asked to do the same work");
  const Texts hosts_a = hosts_of(a), hosts_b = hosts_of(b);
  std::string processor_a = processor_text(a), processor_b = processor_text(b);
  // A machine that was not examined may be the same.
  if (processor_a.empty() || processor_b.empty()) processor_a = processor_b = "";
  if (hosts_a != hosts_b || processor_a != processor_b) {
    found.tell("machines", apart(hosts_a, hosts_b) + processor_a, apart(hosts_b, hosts_a) + processor_b,
               "Differences are of program and machine together");
  }
  found.compare("MPI libraries", different(a, mpi_library), different(b, mpi_library));
  found.compare("sampling", different(a, sampling), different(b, sampling), "What sampling costs differs too");
  found.compare("counters", different(a, counters), different(b, counters),
                "What counting costs, where the runs themselves are counted, differs too");
  found.compare("threads at once in a rank", std::to_string(threads(a)), std::to_string(threads(b)));
  if (options.experiment_a != nullptr && options.experiment_b != nullptr) {
    compare_experiments(*options.experiment_a, *options.experiment_b, found);
  }
  return std::move(found).take();
}

std::string text_of(const SideDifference& d) {
  return d.what + " differ: " + d.a + "; " + d.b + (d.consequence.empty() ? "" : ". " + d.consequence);
}

std::string configurations_only_in(const core::Profile& here, const core::Profile& there,
                                   const std::string& processes) {
  const std::set<Configuration> in_here = configurations(here), in_there = configurations(there);
  constexpr size_t kShown = 6;
  std::string all;
  size_t found = 0;
  for (const Configuration& c : in_here) {
    if (in_there.count(c) != 0 || found++ >= kShown) continue;
    all += (all.empty() ? "" : ", ") + text_of_configuration(c, processes);
  }
  if (found > kShown) all += " and " + std::to_string(found - kShown) + " more";
  return all;
}

}  // namespace scalediag::report
