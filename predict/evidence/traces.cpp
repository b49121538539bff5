#include "predict/evidence/traces.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "core/experiment/experiment.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "core/text/value_list.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/traces/counted_traces.h"
#include "loggp/traces/median_traces.h"

namespace scalediag::predict {
namespace {

namespace fs = std::filesystem;

bool has_traces(const std::string& folder) {
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().extension() == ".trace") return true;
  }
  return false;
}

}  // namespace

std::set<int> traced_scales(const std::string& path, const core::Experiment& experiment) {
  const core::ExperimentFolder folder(path);
  std::set<int> scales;
  for (const core::RunEntry& entry : experiment.runs) {
    if (entry.state != core::RunState::kComplete || scales.count(entry.configuration.np) > 0) continue;
    if (has_traces(folder.run_folder(core::run_id(entry.configuration, entry.repeat)))) {
      scales.insert(entry.configuration.np);
    }
  }
  return scales;
}

core::Result<std::string> find_trace_folder(const std::string& path, int np, const std::string& run) {
  if (has_traces(path)) return path;
  const core::ExperimentFolder folder(path);
  const auto experiment = folder.load();
  if (!experiment) return experiment.error();
  const core::RunEntry* found = nullptr;
  std::string others;
  for (const core::RunEntry& entry : experiment.value().runs) {
    const std::string id = core::run_id(entry.configuration, entry.repeat);
    if (!has_traces(folder.run_folder(id)) || (!run.empty() && id != run)) continue;
    if (run.empty() && (entry.state != core::RunState::kComplete || (np != 0 && entry.configuration.np != np))) {
      continue;
    }
    if (found == nullptr) {
      found = &entry;
    } else if (!(entry.configuration == found->configuration)) {
      others += ", " + id;
    }
  }
  if (found == nullptr) {
    const std::string which = !run.empty() ? " of the run " + run
                              : np != 0    ? " of a complete run with " + std::to_string(np) + " ranks"
                                           : " of a complete run";
    // Runs that exist are not recorded any more, and --fresh would remove them.
    const std::string into = experiment.value().traced ? core::quote_shell_word(path) : "ANOTHER_FOLDER";
    const std::string ranks = np != 0 ? std::to_string(np) : "LIST";
    return core::Error{core::ErrorCode::kInput, path + " holds no trace" + which,
                       "record one with `scalediag profile --trace -o " + into + " -n " + ranks + " -- APP`", path};
  }
  const std::string id = core::run_id(found->configuration, found->repeat);
  if (!others.empty()) {
    return core::Error{core::ErrorCode::kUsage, path + " holds traces of several runs: " + id + others,
                       "choose one with --np or --run", path};
  }
  return folder.run_folder(id);
}

std::vector<std::vector<loggp::RankTrace>> read_other_repeats(const std::string& run) {
  std::vector<std::vector<loggp::RankTrace>> repeats;
  const auto own = core::run_of_folder(run);
  if (!own) return repeats;
  for (const core::RunEntry& entry : own->experiment.runs) {
    if (entry.state != core::RunState::kComplete || entry.repeat == own->run().repeat ||
        !(entry.configuration == own->run().configuration)) {
      continue;
    }
    auto repeat = loggp::read_traces(own->folder.run_folder(core::run_id(entry.configuration, entry.repeat)));
    if (repeat) repeats.push_back(std::move(repeat.value()));
  }
  return repeats;
}

int take_medians_of_repeats(const std::string& run, std::vector<loggp::RankTrace>& traces) {
  return loggp::take_medians(traces, read_other_repeats(run));
}

core::Result<std::vector<loggp::RankTrace>> read_recorded_traces(const std::string& path, Remarks& remarks) {
  auto traces = loggp::read_traces(path);
  const auto own = traces ? core::run_of_folder(path) : std::nullopt;
  if (!own) return traces;
  for (const core::CountingPass& pass : own->experiment.counting_passes) {
    if (!(pass.configuration == own->run().configuration) || pass.state != core::RunState::kComplete) continue;
    const auto without =
        loggp::take_instructions(traces.value(), own->folder.run_folder(core::counting_pass_id(pass.configuration)),
                                 pass.ranks, pass.stands_for);
    if (!without) return without.error();
    for (const std::string& line : without.value()) remarks.push_back({true, line, ""});
  }
  return traces;
}

core::Result<std::map<int, std::vector<double>>> computation_of_runs(const std::string& path,
                                                                     const std::vector<int>& scales,
                                                                     const LoneRanks& lone) {
  const core::ExperimentFolder folder(path);
  const auto experiment = folder.load();
  if (!experiment) return experiment.error();
  std::map<int, std::vector<double>> run_s;
  for (const core::RunEntry& entry : experiment.value().runs) {
    const int np = entry.configuration.np;
    if (entry.state != core::RunState::kComplete || std::count(scales.begin(), scales.end(), np) == 0) continue;
    const auto traces = loggp::read_traces(folder.run_folder(core::run_id(entry.configuration, entry.repeat)));
    const auto is_cut = [](const loggp::RankTrace& trace) { return !trace.incomplete.empty(); };
    if (!traces || std::any_of(traces.value().begin(), traces.value().end(), is_cut)) continue;
    run_s[np].push_back(lone.factor_at(np) * loggp::mean_computation_s(traces.value()));
  }
  return run_s;
}

core::Result<std::vector<std::vector<loggp::RankTrace>>> read_scales(const std::string& path,
                                                                     const std::vector<int>& leave_out,
                                                                     Remarks& remarks, const LoneRanks& lone) {
  const auto experiment = core::ExperimentFolder(path).load();
  if (!experiment) return experiment.error();
  const auto is_left_out = [&](int np) { return std::count(leave_out.begin(), leave_out.end(), np) > 0; };
  const std::set<int> traced = traced_scales(path, experiment.value());
  std::set<int> recorded, scales;
  std::map<std::map<std::string, double>, std::string> inputs;  // a run of each
  for (const core::RunEntry& entry : experiment.value().runs) {
    if (entry.state != core::RunState::kComplete) continue;
    recorded.insert(entry.configuration.np);
    // Scales without traces are left out, where others have some.
    if (!traced.empty() && traced.count(entry.configuration.np) == 0) continue;
    if (is_left_out(entry.configuration.np)) continue;
    scales.insert(entry.configuration.np);
    inputs.emplace(entry.configuration.parameters, core::run_id(entry.configuration, entry.repeat));
  }
  for (const int np : leave_out) {
    if (recorded.count(np) > 0) continue;
    return core::Error{core::ErrorCode::kInput,
                       "--leave-out " + std::to_string(np) + ": " + path + " has no complete run with that many ranks",
                       "it has runs with " + core::list_of(recorded), path};
  }
  if (inputs.size() > 1) {
    return core::Error{
        core::ErrorCode::kInput,
        path + " holds runs of different inputs: " + inputs.begin()->second + " and " + inputs.rbegin()->second,
        "record several numbers of ranks of one input in a folder of its own", path};
  }
  std::vector<std::vector<loggp::RankTrace>> traces;
  for (const int np : scales) {
    const auto folder = find_trace_folder(path, np, "");
    if (!folder) {
      core::Error error = folder.error();
      // One number of ranks says nothing about others.
      if (!experiment.value().traced) {
        error.hint = "record all of them with `scalediag profile --trace -o ANOTHER_FOLDER -n " +
                     core::list_of(recorded.size() > 1 ? recorded : std::set<int>{2, 4, 8, 16}) + " -- APP`";
      }
      return error;
    }
    auto read = read_recorded_traces(folder.value(), remarks);
    if (!read) return read.error();
    take_medians_of_repeats(folder.value(), read.value());
    loggp::stretch_computations(read.value(), lone.factor_at(np));
    traces.push_back(std::move(read.value()));
  }
  return traces;
}

core::Result<loggp::ScalingModel> read_scaling_model(const std::string& path, const std::vector<int>& leave_out,
                                                     int target, Remarks& remarks, const LoneRanks& lone,
                                                     const PairLimit& limit) {
  const auto traces = read_scales(path, leave_out, remarks, lone);
  if (!traces) return traces.error();
  if (const double pairs = loggp::pairs_to_compare(traces.value()); pairs > limit.most) {
    return core::Error{core::ErrorCode::kInput,
                       path + ": the traces have " + core::fixed(std::ceil(pairs / 1e6), 0) +
                           " million pairs of events to compare, which would take minutes: " + limit.way_out,
                       "", path};
  }
  auto model = loggp::model_of(traces.value(), target, loggp::unmatched_at_target);
  if (model) return model;
  core::Error error = model.error();
  error.message = path + ": " + error.message;
  error.where = path;
  return error;
}

bool has_only_other_scales(const std::string& folder, int np) {
  const auto experiment = core::ExperimentFolder(folder).load();
  if (!experiment) return false;
  const std::set<int> traced = traced_scales(folder, experiment.value());
  return traced.empty() ? experiment.value().traced : traced.count(np) == 0;
}

std::string text_of(const loggp::Unmatched& messages) {
  return std::to_string(messages.messages) + " messages of the scaled trace have no partner" +
         (messages.most.empty() ? "" : ", most of them of " + messages.most) + ", such as the one " + messages.example;
}

std::string next_scale_hint(const loggp::ScalingModel& model, int np, const std::string& folder) {
  if (2 * model.regular_events < model.events) {
    return core::spaced_percent(1 - model.share(model.regular_events), 0) +
           " of the events obey no equation, which more numbers of ranks do not change: `scalediag emulate -n " +
           std::to_string(np) + " --network NET -- APP` needs none";
  }
  const int next = loggp::next_scale(model.scales, np);
  std::set<int> scales(model.scales.begin(), model.scales.end());
  scales.insert(next);
  const std::string command = "`scalediag profile -n " + core::list_of(scales) + " --trace -o " + folder + " -- APP`";
  return next == np ? "record " + std::to_string(np) + " ranks themselves with " + command
                    : "record " + std::to_string(next) + " ranks, too, with " + command + " and try again";
}

std::optional<core::Error> unmatched_error(const loggp::ScaledTraces& traces, const std::string& folder) {
  if (traces.unmatched().messages == 0) return std::nullopt;
  return core::Error{core::ErrorCode::kInput, text_of(traces.unmatched()) + ": it cannot run to its end",
                     next_scale_hint(traces.model(), traces.ranks(), folder), folder};
}

}  // namespace scalediag::predict
