#include "cli/inputs/show_input.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "collector/launch/store/raw_files.h"
#include "core/atomic_file.h"
#include "core/experiment/experiment.h"
#include "core/profile/profile_json.h"
#include "core/text/shell_words.h"
#include "fit/data/measurement_file.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;
using core::RunState;

std::string reason_of(const core::RunEntry& run) {
  if (!run.reason.empty()) return run.reason;
  switch (run.state) {
    case RunState::kPlanned: return "it has not been started";
    case RunState::kRunning: return "it is running now, or was interrupted";
    case RunState::kFailed:
      return run.exit_status ? "exit status " + std::to_string(*run.exit_status) : "the application failed";
    case RunState::kComplete: return "its data are not in profile.json yet; run `scalediag merge`";
    case RunState::kIncomplete: break;
  }
  return "some of its data are missing";
}

std::vector<report::UnmeasuredRun> unmeasured_runs(const core::Profile& profile, const core::Experiment& experiment) {
  std::set<std::string> measured;
  for (const core::Run& run : profile.runs) measured.insert(run.id);
  std::vector<report::UnmeasuredRun> all;
  for (const core::RunEntry& run : experiment.runs) {
    const std::string id = core::run_id(run.configuration, run.repeat);
    if (measured.count(id) == 0) {
      all.push_back({id, run.configuration, run.repeat, core::name_of(run.state), reason_of(run)});
    }
  }
  return all;
}

void add_incomplete_runs(report::ShownProfile& input) {
  for (const core::Run& run : input.profile.runs) {
    if (run.complete) continue;
    input.unmeasured.push_back({run.id,
                                {run.np, run.parameters},
                                run.repeat,
                                core::name_of(RunState::kIncomplete),
                                run.reason.empty() ? "some of its data are missing" : run.reason});
  }
}

// The reason why there is nothing to show in a folder without profile.json.
Error no_profile(const core::ExperimentFolder& folder, const core::Experiment& experiment) {
  const std::string& path = folder.path();
  if (experiment.runs.empty()) {
    return {ErrorCode::kInput, "experiment " + path + " has no run yet", "run `scalediag profile` on it", path};
  }
  std::string first_reason;
  for (const core::RunEntry& run : experiment.runs) {
    const std::string id = core::run_id(run.configuration, run.repeat);
    if (run.state == RunState::kComplete && launch::has_raw_files(folder.run_folder(id))) {
      return {ErrorCode::kInput,
              "experiment " + path + " has been measured, but its runs are not in a profile.json yet",
              "`scalediag merge " + core::quote_shell_word(path) + "` makes it from the raw files", path};
    }
    if (first_reason.empty()) {
      first_reason = id + " is " + core::name_of(run.state) + ": " + reason_of(run);
      if (run.state == RunState::kComplete) first_reason = id + ": its raw files are gone";
    }
  }
  return {ErrorCode::kInput, "no run of experiment " + path + " is complete (" + first_reason + ")",
          core::kMeasureAgain, path};
}

Result<report::ShownProfile> load_folder(const std::string& path) {
  const core::ExperimentFolder folder(path);
  Result<core::Experiment> experiment = folder.load();
  std::error_code error;
  if (!experiment) {
    Error damaged = experiment.error();
    if (damaged.hint.empty() && fs::exists(folder.profile_file(), error)) {
      damaged.hint =
          "what was measured can still be seen: scalediag show " + core::quote_shell_word(folder.profile_file());
    }
    return damaged;
  }
  if (!fs::exists(folder.profile_file(), error)) return no_profile(folder, experiment.value());

  Result<core::Profile> profile = core::read_profile(folder.profile_file());
  if (!profile) {
    Error damaged = profile.error();
    if (damaged.hint.empty())
      damaged.hint = "`scalediag merge " + core::quote_shell_word(path) + "` makes it anew from the raw files";
    return damaged;
  }
  report::ShownProfile input{path, std::move(profile).value(), {}};
  input.unmeasured = unmeasured_runs(input.profile, experiment.value());
  if (input.profile.runs.empty()) return no_profile(folder, experiment.value());
  input.experiment = std::move(experiment).value();
  add_incomplete_runs(input);
  return input;
}

// The error for a valid file with measurements of another tool: it names the kind of file and the commands that take
// it.
std::optional<Error> measurements_instead(const std::string& text, const std::string& path) {
  const fit::FileKind kind = fit::kind_of(text);
  if (kind == fit::FileKind::kProfile) return std::nullopt;
  const auto set = fit::parse_measurements(text, kind, path);
  if (!set && kind == fit::FileKind::kTable) return set.error();
  if (!set) return std::nullopt;
  return Error{
      ErrorCode::kInput,
      path + " holds measurements in " + fit::name_of(kind) + ", and no runs that scalediag profiled",
      "`scalediag predict " + core::quote_shell_word(path) + "`, `scalediag models` and `scalediag report` take it",
      path};
}

}  // namespace

Result<report::ShownProfile> load_show_input(const std::string& path) {
  TRY(core::check_there(path, {ErrorCode::kInput, "there is no file or folder " + path,
                               "name an experiment folder that `scalediag profile` wrote, or a profile.json", path}));
  std::error_code error;
  if (fs::is_directory(path, error)) return load_folder(path);

  const std::string text = TRY(core::read_file(path));
  if (const auto instead = measurements_instead(text, path)) return *instead;
  core::Profile profile = TRY(core::parse_profile(text, path));
  report::ShownProfile input{path, std::move(profile), {}};
  if (input.profile.runs.empty()) {
    return Error{ErrorCode::kInput, path + " holds no run", "run `scalediag profile` on its experiment", path};
  }
  add_incomplete_runs(input);
  return input;
}

Status select_run(report::ShownProfile& input, const std::string& id) {
  const auto is_other = [&id](const core::Run& run) { return run.id != id; };
  if (!std::ranges::all_of(input.profile.runs, is_other)) {
    std::erase_if(input.profile.runs, is_other);
    std::erase_if(input.unmeasured, [&id](const report::UnmeasuredRun& run) { return run.id != id; });
    return Done{};
  }
  for (const report::UnmeasuredRun& run : input.unmeasured) {
    if (run.id != id) continue;
    return Error{ErrorCode::kUsage, "run " + id + " has no data: it is " + run.state + " (" + run.reason + ")",
                 core::kMeasureAgain};
  }
  constexpr size_t kNamed = 12;
  std::string known;
  for (size_t i = 0; i < std::min(kNamed, input.profile.runs.size()); ++i) {
    known += (i == 0 ? "" : ", ") + input.profile.runs[i].id;
  }
  if (input.profile.runs.size() > kNamed) {
    known += " and " + std::to_string(input.profile.runs.size() - kNamed) + " more";
  }
  return Error{ErrorCode::kUsage, "there is no run " + id + " in " + input.path, "its runs are " + known};
}

}  // namespace scalediag::cli
