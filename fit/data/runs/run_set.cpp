#include "fit/data/runs/run_set.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "fit/curves/fit.h"
#include "fit/data/number_text.h"
#include "fit/data/runs/name_parameters.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

constexpr const char* kNameThem =
    "name a folder a run as PREFIX.p64.n2000.r1, with the parameters and the number of the repeat, and give all files";

struct Parameter {
  std::string name;
  std::vector<double> values;  // one a run
  std::string origin;          // "the names of folders and files"
};

bool varies(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [&values](double v) { return v != values.front(); });
}

// True where each value of one goes with one value of the other, so that they tell the same runs apart.
bool tell_the_same(const std::vector<double>& a, const std::vector<double>& b) {
  std::map<double, double> b_of, a_of;
  for (size_t i = 0; i < a.size(); ++i) {
    if (b_of.try_emplace(a[i], b[i]).first->second != b[i]) return false;
    if (a_of.try_emplace(b[i], a[i]).first->second != a[i]) return false;
  }
  return true;
}

// Metadata that tell when and how a run was made, or what came out of it.
bool is_no_parameter(std::string name) {
  name = lower(name);
  constexpr std::string_view kParts[] = {"time",   "date",     "day",      "version",    "uid",       "seed",
                                         "hash",   "merit",    "jobid",    "job_id",     "pid",       "channel",
                                         "result", "error",    "memory",   "node_order", "bandwidth", "flops",
                                         "energy", "residual", "compiler", "cali."};
  return name == "user" || name == "id" ||
         (name.find("timestep") == name.npos && name.find("time_step") == name.npos &&
          std::any_of(std::begin(kParts), std::end(kParts),
                      [&name](std::string_view part) { return name.find(part) != name.npos; }));
}

std::string list_of(const std::vector<std::string>& names) {
  return core::join(names, ", ", [](const std::string& name) { return shown(name); });
}

class Parameters {
 public:
  explicit Parameters(const std::vector<MeasuredRun>& runs) : runs_(runs) {}

  core::Status find() {
    if (const core::Status named = read_names(); !named) return named;
    if (const core::Status counted = read_processes(); !counted) return counted;
    read_metadata();
    return core::Done{};
  }

  std::vector<Parameter> found;
  std::vector<std::string> notes;

 private:
  core::Status read_names() {
    std::vector<NamedNumbers> named;
    for (const MeasuredRun& run : runs_) named.push_back(parameters_of_path(run.file));
    const auto some = std::find_if(named.begin(), named.end(), [](const NamedNumbers& n) { return !n.empty(); });
    if (some == named.end()) return core::Done{};
    // Names that nobody meant to hold parameters.
    if (std::any_of(named.begin(), named.end(), [](const NamedNumbers& n) { return n.empty(); })) {
      notes.push_back("only some names of folders or files have parameters (" + listed(*some) +
                      "), and they are not taken as such");
      return core::Done{};
    }
    const NamedNumbers first = named[0];
    for (size_t i = 1; i < named.size(); ++i) {
      std::sort(named[i].begin(), named[i].end(),
                [&first](const auto& a, const auto& b) { return place_of(first, a.first) < place_of(first, b.first); });
      const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
      if (std::equal(named[i].begin(), named[i].end(), named[0].begin(), named[0].end(), same)) continue;
      return Error{ErrorCode::kInput,
                   runs_[i].file + ": its name has the parameters " + listed(named[i]) + ", that of " + runs_[0].file +
                       " has " + listed(named[0]),
                   kNameThem, runs_[i].file};
    }
    std::set<std::string> seen;
    for (size_t p = 0; p < named[0].size(); ++p) {
      Parameter parameter{named[0][p].first, {}, "names of folders or files"};
      for (const NamedNumbers& numbers : named) parameter.values.push_back(numbers[p].second);
      if (!seen.insert(parameter.name).second) continue;
      if (runs_.size() == 1 || varies(parameter.values)) {
        found.push_back(std::move(parameter));
      } else {
        notes.push_back("parameter " + shown(parameter.name) + " is " + core::to_text(parameter.values[0]) +
                        " in all names and is left out");
      }
    }
    return core::Done{};
  }

  // The place of a parameter among those of the first name, so that their order does not matter.
  static size_t place_of(const NamedNumbers& first, const std::string& name) {
    size_t place = 0;
    while (place < first.size() && first[place].first != name) ++place;
    return place;
  }

  static std::string listed(const NamedNumbers& numbers) {
    return numbers.empty() ? "none" : core::join(numbers, ", ", [](const auto& named) { return shown(named.first); });
  }

  std::optional<size_t> named_processes_place() const {
    std::vector<std::string> names;
    for (const Parameter& parameter : found) names.push_back(parameter.name);
    return named_processes(names);
  }

  core::Status read_processes() {
    Parameter np{"np", {}, "the files, which name their ranks"};
    const MeasuredRun* without = nullptr;
    for (const MeasuredRun& run : runs_) {
      if (run.processes) {
        np.values.push_back(*run.processes);
      } else {
        without = &run;
      }
    }
    if (np.values.empty()) return core::Done{};
    if (without != nullptr) {
      if (named_processes_place()) return core::Done{};
      return Error{ErrorCode::kInput, without->file + " does not tell its number of processes, which other files do",
                   kNameThem, without->file};
    }
    const auto place = named_processes_place();
    if (!place) {
      // A name of another kind that holds the number of processes.
      std::erase_if(found, [&np](const Parameter& named) { return named.values == np.values; });
      found.insert(found.begin(), std::move(np));
      return core::Done{};
    }
    const Parameter& named = found[*place];
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (named.values[i] == np.values[i]) continue;
      notes.push_back(runs_[i].file + " was written by " + core::to_text(np.values[i]) + " ranks, and its name says " +
                      named.name + " = " + core::to_text(named.values[i]) + ": names count");
      break;
    }
    return core::Done{};
  }

  // Numbers that vary. One that goes with a parameter in step cannot be told apart from it, and one that differs in
  // every run would leave no repeats: such ones are named and left out.
  void read_metadata() {
    if (runs_.size() < 2) return;
    std::vector<std::string> in_step, single;
    for (const auto& [name, first] : runs_.front().metadata) {
      if (is_no_parameter(name)) continue;
      Parameter parameter{name, {}, "metadata"};
      for (const MeasuredRun& run : runs_) {
        const auto value = run.metadata.find(name);
        if (value != run.metadata.end() && value->second > 0) parameter.values.push_back(value->second);
      }
      if (parameter.values.size() != runs_.size() || !varies(parameter.values)) continue;
      const bool known = std::any_of(found.begin(), found.end(), [&parameter](const Parameter& other) {
        return other.name == parameter.name || tell_the_same(other.values, parameter.values);
      });
      const std::set<double> distinct(parameter.values.begin(), parameter.values.end());
      if (known) {
        in_step.push_back(name);
      } else if (distinct.size() == runs_.size() && !found.empty() && varies(found.front().values)) {
        single.push_back(name);
      } else {
        found.push_back(std::move(parameter));
      }
    }
    if (!in_step.empty()) {
      notes.push_back("metadata that change in step with a parameter are not told apart from it: " + list_of(in_step));
    }
    if (!single.empty()) notes.push_back("metadata with another value in every run are left out: " + list_of(single));
  }

  const std::vector<MeasuredRun>& runs_;
};

// The sum over the whole program, where paths have times of their own.
void add_totals(std::vector<MeasuredRun>& runs) {
  for (MeasuredRun& run : runs) {
    double sum = 0;
    size_t times = 0;
    bool has_total = false;  // of its own
    for (const RunValue& value : run.values()) {
      has_total = has_total || value.metric == kTotalTime;
      if (value.metric != kRunTime) continue;
      sum += value.value;
      ++times;
    }
    if (times > 1 && !has_total) run.add(kWholeRun, kTotalTime, sum);
  }
}

void add_values(const MeasuredRun& run, const std::vector<double>& at, SeriesBuilder& builder) {
  for (const RunValue& value : run.values()) {
    builder.add(value.call_path, value.metric, at, std::span(&value.value, 1),
                run.file + ": " + shown(value.call_path));
  }
}

void take_notes(const std::vector<MeasuredRun>& runs, std::vector<std::string>& notes) {
  std::map<std::string, size_t> times;
  for (const MeasuredRun& run : runs) {
    for (const std::string& note : run.notes) ++times[note];
  }
  for (const auto& [note, count] : times) {
    notes.push_back(count == 1 || count == runs.size()
                        ? note
                        : note + " (in " + std::to_string(count) + " of " + std::to_string(runs.size()) + " files)");
  }
}

}  // namespace

core::Result<MeasurementSet> set_of_runs(std::vector<MeasuredRun> runs) {
  if (runs.empty()) return Error{ErrorCode::kInput, "there is no run", kNameThem, ""};
  // The order of the files decides nothing.
  std::sort(runs.begin(), runs.end(), [](const MeasuredRun& a, const MeasuredRun& b) { return a.file < b.file; });
  Parameters parameters(runs);
  if (const core::Status found = parameters.find(); !found) return found.error();
  if (parameters.found.empty()) {
    return Error{ErrorCode::kInput,
                 runs.size() == 1 ? runs[0].file + " tells neither its number of processes nor another parameter"
                                  : runs[0].file + " and the files beside it have no parameter that varies",
                 kNameThem, runs[0].file};
  }
  add_totals(runs);

  std::vector<std::string> names;
  for (const Parameter& parameter : parameters.found) names.push_back(parameter.name);
  SeriesBuilder builder(names);
  std::set<std::vector<double>> points;
  for (size_t i = 0; i < runs.size(); ++i) {
    std::vector<double> at;
    for (const Parameter& parameter : parameters.found) at.push_back(parameter.values[i]);
    add_values(runs[i], at, builder);
    points.insert(at);
  }
  MeasurementSet set = std::move(builder).finish();
  for (Series& series : set.series) {
    std::sort(series.observations.begin(), series.observations.end(),
              [](const Observation& a, const Observation& b) { return a.at < b.at; });
  }
  if (set.series.empty()) {
    return Error{ErrorCode::kInput, runs[0].file + " has no value that could be modelled", "", runs[0].file};
  }
  set.origin = std::to_string(runs.size()) + (runs.size() == 1 ? " run, " : " runs at ") +
               std::to_string(points.size()) + (points.size() == 1 ? " configuration: " : " configurations: ") +
               core::join(parameters.found, "; ", [](const Parameter& p) { return p.name + " from " + p.origin; });
  set.notes.insert(set.notes.end(), parameters.notes.begin(), parameters.notes.end());
  take_notes(runs, set.notes);
  return set;
}

MeasurementSet numbered_runs(const std::vector<MeasuredRun>& runs) {
  SeriesBuilder builder({"run"});
  for (size_t i = 0; i < runs.size(); ++i) add_values(runs[i], {static_cast<double>(i + 1)}, builder);
  MeasurementSet set = std::move(builder).finish();
  take_notes(runs, set.notes);
  return set;
}

}  // namespace scalediag::fit
