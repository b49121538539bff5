#include "collector/replay/opened_recording.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "collector/launch/process/stdin_source.h"
#include "collector/launch/program/executable_file.h"
#include "collector/launch/program/launcher.h"
#include "collector/launch/program/mpi_detection.h"
#include "collector/launch/store/experiment_store.h"
#include "collector/replay/place/program_build.h"
#include "collector/replay/place/recorded_inputs.h"
#include "collector/replay/recorded_run.h"
#include "core/atomic_file.h"
#include "core/experiment/started_program.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/shell_words.h"

namespace scalediag::replay {
namespace {

namespace fs = std::filesystem;

// The recorded program with its arguments.
launch::ProgramRequest program_request_of(const core::Experiment& experiment) {
  launch::ProgramRequest program;
  program.command = experiment.command;
  program.stored_words = experiment.words;
  for (const std::string& name : experiment.parameter_names) {
    const auto& parameters = experiment.runs[0].configuration.parameters;
    if (const auto value = parameters.find(name); value != parameters.end()) {
      program.parameters.push_back(name + "=" + core::to_text(value->second));
    }
  }
  return program;
}

// `scalediag replay DIR` as it was asked for, and more.
std::string replay_command(const ReplayRequest& request, const std::vector<std::string>& more,
                           const std::vector<std::string>& unset) {
  std::vector<std::string> words;
  if (!unset.empty()) words.emplace_back("env");
  for (const std::string& name : unset) words.insert(words.end(), {"-u", name});
  words.insert(words.end(), {"scalediag", "replay", request.folder});
  const auto add = [&](const char* option, const std::string& value) {
    const bool is_replaced = std::ranges::find(more, option) != more.end();
    if (!value.empty() && !is_replaced) words.insert(words.end(), {option, value});
  };
  add("--program", request.program);
  add("--directory", request.directory);
  for (const std::string& variable : request.environment) words.insert(words.end(), {"--env", variable});
  add("-o", request.output);
  words.insert(words.end(), more.begin(), more.end());
  add("--ranks", request.ranks);
  add("--repeat", request.repeats ? std::to_string(*request.repeats) : "");
  add("--timeout", request.timeout_s ? core::to_text(*request.timeout_s) : "");
  add("--counters", request.counters == "none" ? "" : request.counters);
  const auto flag = [&words](const char* option, bool is_set) {
    if (is_set) words.emplace_back(option);
  };
  flag("--together", request.together);
  flag("--share-cores", request.share_cores);
  flag("--in-place", request.in_place);
  // JSON has kernels, unless they are left out.
  flag("--kernels", request.kernels && !request.json);
  flag("--json", request.json);
  flag("--no-kernels", request.json && !request.kernels);
  return "`" + core::join_shell_words(words) + "`";
}

// The folder for what is replayed. One of --output is read as the recording is, so that it gets what that says of
// itself.
Status prepare_results(const core::Experiment& experiment, const ReplayRequest& request, const std::string& results) {
  std::error_code failed;
  if (!request.output.empty() && request.output != request.folder) {
    const core::ExperimentFolder output(request.output);
    const auto held = output.load();
    if (launch::is_foreign(output)) return launch::foreign_folder(request.output);
    if (!held && fs::exists(output.experiment_file(), failed)) return held.error();
    if (held && (held.value().runs.empty() || held.value().runs[0].stamp != experiment.runs[0].stamp)) {
      return Error{ErrorCode::kInput, request.output + " holds another experiment than the recording",
                   "choose another folder with -o; nothing in it was changed", request.output};
    }
    fs::create_directories(results, failed);
    if (failed) return core::write_error(results, failed.value());
    return output.save(experiment);
  }
  fs::create_directories(results, failed);
  if (!failed && access(results.c_str(), W_OK) == 0) return Done{};
  Error error = core::write_error(results, failed ? failed.value() : errno);
  error.hint = "name a folder of your own for what is replayed, with -o; or " + error.hint;
  return error;
}

// The folder where the program runs in place of `directory`: where it may write, and `directory` is among the inputs
// that the recording carries, it runs in a copy of these.
Result<std::string> folder_to_write(const ReplayRequest& request, const std::string& directory,
                                    const std::string& results) {
  if (!request.in_place) return directory;
  std::error_code failed;
  const fs::path inputs = fs::weakly_canonical(carried_path(request.folder, ""), failed);
  const fs::path below = fs::weakly_canonical(directory, failed).lexically_relative(inputs);
  if (below.empty() || *below.begin() == "..") return directory;
  const std::string copy = results + "/inputs";
  TRY(copy_carried_inputs(request.folder, copy));
  return (fs::path(copy) / below).lexically_normal().string();
}

// The folder where the program runs.
Result<std::string> folder_of_run(const core::Experiment& experiment, const ReplayRequest& request,
                                  const std::string& results) {
  std::error_code failed;
  const std::string& recorded = experiment.working_directory;
  if (!request.directory.empty()) return folder_to_write(request, request.directory, results);
  fs::current_path(recorded, failed);
  if (!failed) return recorded;
  const std::string carried = carried_path(request.folder, recorded);
  if (!fs::is_directory(carried, failed)) {
    return Error{ErrorCode::kInput, "the folder where it was recorded cannot be entered: " + recorded,
                 "name one that has the program's files: " + replay_command(request, {"--directory", "DIR"}, {}),
                 recorded};
  }
  return folder_to_write(request, carried, results);
}

// The recorded program here: at its path, or where its name in the recorded command leads.
Result<std::string> program_here(const core::Experiment& experiment, const ReplayRequest& request) {
  std::error_code failed;
  const bool is_named = !request.program.empty();
  const std::string path = is_named ? request.program : experiment.executable;
  if (fs::exists(path, failed)) return path;
  const std::string& called = experiment.command[0];
  if (!is_named && called.find('/') == called.npos) {
    if (const std::string found = launch::find_in_path(called); !found.empty()) return found;
  } else if (!is_named && !fs::path(called).is_absolute() && fs::exists(called, failed)) {
    return fs::absolute(called, failed).lexically_normal().string();
  }
  return Error{ErrorCode::kInput,
               is_named ? "--program: " + path + " is not there" : "the recorded program is gone: " + path,
               is_named ? "name the program, or another build of it"
                        : "name it, or another build of it: " + replay_command(request, {"--program", "FILE"}, {}),
               path};
}

// Where a recorded file is looked for when the program runs in `directory`. Files that an argument names by an absolute
// path are found there as well.
std::string path_here(const core::Experiment& experiment, const std::string& directory, const std::string& path) {
  if (directory == experiment.working_directory) return path;
  const std::string moved =
      (fs::path(directory) / fs::path(path).lexically_relative(experiment.working_directory)).lexically_normal();
  std::error_code failed;
  if (fs::exists(moved, failed) || !fs::exists(path, failed)) return moved;
  const auto names_it = [&path](const std::string& word) { return word == path || word.ends_with("=" + path); };
  return std::ranges::any_of(experiment.command, names_it) ? path : moved;
}

// The recorded command with the files' places here, where an argument names one by its absolute path that is not there.
std::vector<std::string> command_here(const core::Experiment& experiment, const std::string& directory) {
  std::vector<std::string> command = experiment.command;
  std::error_code failed;
  if (!experiment.input_files) return command;
  for (size_t i = 1; i < command.size(); ++i) {
    const size_t equals = command[i].starts_with("/") ? std::string::npos : command[i].find("=/");
    const std::string before = equals == std::string::npos ? "" : command[i].substr(0, equals + 1);
    const std::string path = fs::path(command[i].substr(before.size())).lexically_normal().string();
    if (!path.starts_with("/") || fs::exists(path, failed) || experiment.input_files->count(path) == 0) continue;
    command[i] = before + path_here(experiment, directory, path);
  }
  return command;
}

// Error: the program is of another family of MPI than the recorded one.
Status check_family(const core::Experiment& experiment, const launch::ExecutableFile& file,
                    const ReplayRequest& request) {
  if (file.is_script) return Done{};
  const auto mpi = launch::detect_mpi(file);
  if (mpi && !mpi.value().library.empty() && !mpi.value().is_standard_abi && experiment.mpi_flavour != "unknown" &&
      launch::name_of(mpi.value().flavour) != experiment.mpi_flavour) {
    const auto recorded = TRY(launch::parse_flavour(experiment.mpi_flavour));
    return Error{ErrorCode::kInput,
                 file.path + " uses " + launch::title_of(mpi.value().flavour) + ", and the recording is of " +
                     launch::title_of(recorded) + ", whose constants and handles are others",
                 std::string("name a build for ") + launch::title_of(recorded) + ": " +
                     replay_command(request, {"--program", "FILE"}, {}) + "; or record with " +
                     launch::title_of(mpi.value().flavour),
                 file.path};
  }
  return Done{};
}

// Standard input as it was recorded, from the byte where it began; none where its file is gone, which compare_places()
// names.
launch::StdinSource stdin_here(const core::Experiment& experiment, const std::string& directory) {
  launch::StdinSource source = launch::StdinSource::described(experiment.stdin_file);
  if (source.file.empty()) return source;
  source.file = path_here(experiment, directory, source.file);
  std::error_code failed;
  return fs::exists(source.file, failed) ? source : launch::StdinSource();
}

Status check_recording(const core::Experiment& experiment, const std::string& folder) {
  if (experiment.sampler != core::kMessages || experiment.runs.empty()) {
    return no_recording(folder, "`scalediag record` did not make it");
  }
  if (experiment.runs[0].state == core::RunState::kComplete) return Done{};
  const std::string& reason = experiment.runs[0].reason;
  return Error{ErrorCode::kInput,
               folder + " cannot be replayed: its run is not complete" + (reason.empty() ? "" : " (" + reason + ")"),
               "record it again: " + record_again(experiment, folder), folder};
}

}  // namespace

Error no_recording(const std::string& folder, const std::string& why) {
  return {ErrorCode::kInput, folder + " is no recording: " + why, "make one: scalediag record -n 4 -- ./app", folder};
}

std::string record_again(const core::Experiment& experiment, const std::string& folder) {
  std::error_code failed;
  const bool has_input = !experiment.stdin_file.empty() && fs::is_regular_file(experiment.stdin_file, failed);
  std::vector<std::string> words = {
      "scalediag", "record", "-n", std::to_string(experiment.runs[0].configuration.np), "-o", folder, "--fresh"};
  if (has_input) words.insert(words.end(), {"--stdin", experiment.stdin_file});
  const auto program = program_request_of(experiment);
  for (const std::string& text : program.parameters) words.insert(words.end(), {"--param", text});
  for (const auto& [name, table] : experiment.words) words.insert(words.end(), {"--words", name + "=" + table});
  words.emplace_back("--");
  words.insert(words.end(), experiment.command.begin(), experiment.command.end());
  return "`" + core::join_shell_words(words) + "` in " + experiment.working_directory;
}

Result<std::map<std::string, std::string>> parse_variables(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> variables;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == text.npos) {
      return Error{ErrorCode::kUsage, "--env: '" + text + "' is not NAME=VALUE", "as in --env OMP_NUM_THREADS=4",
                   "--env"};
    }
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

Result<OpenedRecording> open_recording(const ReplayRequest& request) {
  OpenedRecording opened;
  std::error_code failed;
  const core::ExperimentFolder folder(request.folder);
  auto loaded = folder.load();
  if (!loaded) return no_recording(request.folder, loaded.error().message);
  opened.experiment = std::move(loaded).value();
  const core::Experiment& experiment = opened.experiment;
  TRY(check_recording(experiment, request.folder));
  opened.np = experiment.runs[0].configuration.np;
  opened.folder = request.folder;
  opened.run_folder = recorded_run_folder(folder, experiment.runs[0].configuration);
  opened.results = request.results_in() + kResultsFolder;

  TRY(prepare_results(experiment, request, opened.results));
  const auto directory = TRY(folder_of_run(experiment, request, opened.results));
  fs::current_path(directory, failed);
  if (failed) return core::read_error(directory, failed.value());
  const std::string here = fs::current_path().string();
  const auto program = TRY(program_here(experiment, request));
  const auto file = TRY(launch::inspect_executable(program));
  TRY(check_family(experiment, file, request));
  launch::ProfileRequest wanted;
  static_cast<launch::ProgramRequest&>(wanted) = program_request_of(experiment);
  wanted.command = command_here(experiment, here);
  wanted.command[0] = program;
  wanted.np_list = std::to_string(opened.np);
  wanted.output = request.folder;
  wanted.mpi = experiment.mpi_flavour == "unknown" ? "" : experiment.mpi_flavour;
  const launch::StdinSource source = stdin_here(experiment, here);
  wanted.stdin_file = source.file;
  auto prepared = TRY(prepare_recorded(wanted, opened.np));
  prepared.stdin_source = source;
  const bool is_other_name = fs::path(program).filename() != fs::path(experiment.executable).filename();
  if (is_other_name && !experiment.program.empty() && !prepared.program_is_script) {
    return Error{ErrorCode::kUsage,
                 "--program: " + core::program_name(experiment) + " was started by " + experiment.executable +
                     ", whose arguments " + program + " does not take",
                 "name what starts it; or record the program by itself: --words gives it arguments by the number of "
                 "processes"};
  }
  opened.preparation = std::move(prepared);
  opened.program = experiment.program.empty() ? opened.preparation.experiment.executable
                                              : path_here(experiment, here, experiment.program);
  const auto calls_mpi = launch::inspect_executable(opened.program);
  opened.uses_openmp = calls_mpi && launch::uses_openmp(calls_mpi.value());
  opened.request = std::move(wanted);
  opened.library = TRY(replay_library(opened.preparation.installation));
  return opened;
}

Result<std::vector<std::string>> check_place(const OpenedRecording& recording, const ReplayRequest& request,
                                             const std::string& recorded_mpi) {
  const auto build = core::read_file(recording.folder + kBuildFile);
  const Place recorded = {recording.experiment, mpi_version_in(recorded_mpi), build ? build.value() : ""};
  Place here = {recording.preparation.experiment, mpi_version_in(launch::version_text(recording.preparation.launcher)),
                build_of(recording.program)};
  here.uses_openmp = recording.uses_openmp;
  here.names_program = !request.program.empty();
  for (const auto& [name, value] : TRY(parse_variables(request.environment))) here.set_variables.insert(name);
  here.path_here = [&](const std::string& path) {
    return path_here(recording.experiment, here.experiment.working_directory, path);
  };
  const std::string carried = carried_path(recording.folder, recording.experiment.working_directory);
  std::error_code failed;
  if (fs::is_directory(carried, failed) && here.experiment.working_directory != carried) {
    here.folder_with_inputs = carried;
  }
  const PlaceComparison found = compare_places(recorded, here);
  if (found.refused.empty()) return found.said;
  std::vector<std::string> reasons, options, unset, mends;
  for (const Refusal& refusal : found.refused) {
    reasons.push_back(refusal.reason);
    if (!refusal.unset.empty()) unset.push_back(refusal.unset);
    if (!refusal.mend.empty() && std::ranges::find(mends, refusal.mend) == mends.end()) mends.push_back(refusal.mend);
    // Started and starting program have one option.
    if (std::ranges::search(options, refusal.options).empty()) {
      options.insert(options.end(), refusal.options.begin(), refusal.options.end());
    }
  }
  if (!options.empty() || !unset.empty()) mends.insert(mends.begin(), replay_command(request, options, unset));
  return Error{ErrorCode::kInput, "what was recorded has changed: " + core::join(reasons, "; "),
               core::join(mends, "; ")};
}

}  // namespace scalediag::replay
