#include "fit/profile/profile_data.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "core/experiment/experiment.h"
#include "core/profile/repeats/ended_runs.h"
#include "core/profile/run_summary.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "fit/application/ended_error.h"
#include "fit/profile/call_costs.h"
#include "fit/profile/device_kernels.h"
#include "fit/profile/function_kernels.h"
#include "fit/profile/operation_kernels.h"
#include "fit/profile/program_instructions.h"
#include "fit/profile/run_series.h"
#include "fit/profile/run_terms.h"

namespace scalediag::fit {
namespace {

using core::Run;
using Groups = std::vector<std::vector<const Run*>>;

// "{{np}" is a literal.
bool has_np_as_value(const std::string& word) {
  const std::string np = "{np}", separators = "=,:x*+";
  const auto separates = [&](size_t at) { return separators.find(word[at]) != std::string::npos; };
  for (size_t begin = word.find(np); begin != std::string::npos; begin = word.find(np, begin + 1)) {
    const size_t end = begin + np.size();
    const bool short_option = begin == 2 && word[0] == '-' && word[1] != '-';
    if ((begin == 0 || short_option || separates(begin - 1)) && (end == word.size() || separates(end))) return true;
  }
  return false;
}

// "np=2, np=4".
std::string text_of_scales(const auto& scales) {
  return core::join(scales, ", ", [](int np) { return "np=" + std::to_string(np); });
}

void find_counters(const Groups& groups, ApplicationFacts& facts) {
  std::set<std::string> sources;
  for (const auto& runs : groups) {
    for (const Run* run : runs) sources.insert(run->counters);
  }
  if (sources.size() > 1) sources.erase("clock");
  for (const auto& runs : groups) {
    for (const Run* run : runs) {
      const bool shown = sources.count(run->counters) != 0 && !run->counters_reason.empty();
      if (shown) facts.counters_reason = run->counters_reason;
    }
  }
  facts.counters = core::join(sources);
}

void note_unknown_instructions(const Groups& groups, std::vector<std::string>& notes) {
  std::vector<int> scales;
  std::string why;
  for (const auto& runs : groups) {
    for (const Run* run : runs) {
      const std::string of_run = program_instructions(*run).why_not;
      if (of_run.empty()) continue;
      if (why.empty()) why = of_run;
      scales.push_back(run->np);
      break;
    }
  }
  if (why.empty()) return;
  notes.push_back("the program's instructions are not known at " + text_of_scales(scales) +
                  ", so that instruction and IPC scalability are not given where they are needed: " + why);
}

// By how much runs that were ended after some iterations are off, where whole ones tell it.
void add_ended_error(const core::Profile& profile, const RunSeries& runs, ApplicationData& data) {
  Series errors{runs.parameter_names(), kEndedError, "[all]", {}, true};
  for (size_t i = 0; i < runs.points().size(); ++i) {
    const auto times = core::ended_and_whole(profile.runs, *runs.by_configuration()[i].front());
    if (times) errors.observations.push_back({runs.points()[i], {times->apart()}});
  }
  if (errors.observations.empty()) return;
  data.totals[kEndedError] = std::move(errors);
  data.notes.push_back("runs that were ended after some iterations are " + core::spaced_percent(ended_error(data)) +
                       " off the whole run of their scale, which is left out");
}

// Of complete runs with one clock.
ApplicationData data_of_runs(const core::Profile& profile, const Groups& groups) {
  const RunSeries runs(profile, groups);
  ApplicationData data;
  data.parameter_names = runs.parameter_names();
  data.clock = runs.clock();
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::vector<double>& at = runs.points()[i];
    data.configurations.push_back({at, process_count(at), static_cast<int>(groups[i].size())});
  }
  find_counters(groups, data);
  data.said_scaling = profile.scaling;
  const auto argument = std::ranges::find_if(profile.command, has_np_as_value);
  if (argument != profile.command.end()) data.np_argument = *argument;
  const CallCosts costs(groups);
  RunTerms terms(runs, costs);
  data.kernels = function_kernels(runs, data.notes);
  std::vector<KernelData> operations = operation_kernels(runs, costs, terms);
  data.kernels.insert(data.kernels.end(), std::move_iterator(operations.begin()), std::move_iterator(operations.end()));
  for (const KernelData& kernel : data.kernels) terms.add_excess(kernel);
  data.totals = terms.totals();
  add_ended_error(profile, runs, data);
  std::vector<KernelData> devices = device_kernels(runs, data.notes);
  data.kernels.insert(data.kernels.end(), std::move_iterator(devices.begin()), std::move_iterator(devices.end()));
  note_unknown_instructions(groups, data.notes);
  std::ranges::stable_sort(data.kernels, [](const KernelData& a, const KernelData& b) {
    if (a.largest_share != b.largest_share) return a.largest_share > b.largest_share;
    return std::tie(a.name, a.module) < std::tie(b.name, b.module);
  });
  return data;
}

// Adds the runs' warnings, each once for all runs for which it is the same but for its numbers.
void add_warnings_of_runs(const core::Profile& profile, std::vector<std::string>& notes) {
  struct Said {
    std::string text;
    int np = 0;           // of the run that says it in these words
    bool differ = false;  // others have other figures
    std::set<int> scales;
  };
  std::vector<std::pair<std::string, Said>> all;
  for (const Run& run : profile.runs) {
    if (!run.complete) continue;
    for (const std::string& warning : run.warnings) {
      std::string kind = warning;
      std::erase_if(kind, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
      auto known = std::ranges::find_if(all, [&kind](const auto& said) { return said.first == kind; });
      if (known == all.end()) known = all.insert(all.end(), {kind, Said{warning, run.np, false, {}}});
      known->second.differ = known->second.differ || known->second.text != warning;
      known->second.scales.insert(run.np);
    }
  }
  for (const auto& [kind, said] : all) {
    const std::string whose = said.differ ? " (figures of np=" + std::to_string(said.np) + ")" : "";
    notes.push_back("of the runs at " + text_of_scales(said.scales) + ": " + said.text + whose);
  }
}

}  // namespace

Result<ApplicationData> application_data(const core::Profile& profile) {
  const Groups groups = core::group_by_configuration(profile, true);
  if (groups.empty()) {
    return Error{ErrorCode::kInput, "no run of the profile is complete", core::kMeasureAgain};
  }
  std::set<core::Clock> clocks;
  for (const auto& runs : groups) {
    for (const Run* run : runs) clocks.insert(run->clock);
  }
  if (clocks.size() > 1) {
    return Error{ErrorCode::kInput, "some runs were measured with the CPU clock and some with the wall clock",
                 "measure all of them with one: `scalediag profile --clock cpu` into a new folder"};
  }
  ApplicationData data = data_of_runs(profile, groups);
  const auto incomplete = std::ranges::count_if(profile.runs, [](const Run& r) { return !r.complete; });
  add_warnings_of_runs(profile, data.notes);
  if (incomplete > 0) data.notes.push_back(std::to_string(incomplete) + " incomplete runs are left out");
  return data;
}

}  // namespace scalediag::fit
