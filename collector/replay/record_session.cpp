#include "collector/replay/record_session.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/plan/run_inputs.h"
#include "collector/launch/process/interruption.h"
#include "collector/launch/process/process_run.h"
#include "collector/launch/program/mpi_detection.h"
#include "collector/launch/session/run_outcome.h"
#include "collector/launch/store/experiment_store.h"
#include "collector/replay/message_log_file.h"
#include "collector/replay/place/program_build.h"
#include "collector/replay/place/recorded_inputs.h"
#include "collector/replay/recorded_run.h"
#include "core/atomic_file.h"
#include "core/exit_status.h"
#include "core/experiment/output_file.h"
#include "core/experiment/started_program.h"
#include "core/text/join.h"
#include "core/text/value_list.h"

namespace scalediag::replay {
namespace {

namespace fs = std::filesystem;

// The files and folders of a recording besides its experiment.
std::vector<std::string> additions(const std::string& folder) {
  return {folder + kResultsFolder, carried_path(folder, ""), folder + kBuildFile};
}

// Error (kUsage): one of the files and folders that are read is among the additions.
Status check_kept(const std::string& folder, const std::vector<std::string>& read) {
  std::error_code failed;
  for (const std::string& removed : additions(folder)) {
    const fs::path whole = fs::weakly_canonical(removed, failed);
    for (const std::string& path : read) {
      if (!fs::exists(path, failed)) continue;
      const fs::path below = fs::weakly_canonical(path, failed).lexically_relative(whole);
      if (below.empty() || *below.begin() == "..") continue;
      return Error{ErrorCode::kUsage, path + " is read, and would be removed from " + folder,
                   "copy it elsewhere first, and name the copy", path};
    }
  }
  return Done{};
}

// The files that travel with the recording.
Result<std::vector<std::string>> inputs_of(const RecordRequest& request,
                                           const launch::ProfilePreparation& preparation) {
  if (!request.with_inputs) return std::vector<std::string>();
  std::vector<std::string> paths = request.inputs;
  for (const auto& [path, fingerprint] : *preparation.experiment.input_files) paths.push_back(path);
  return files_below(paths, preparation.folder);
}

// Copies them as they are before the run.
Result<uint64_t> carry(const std::vector<std::string>& files, launch::ExperimentStore& store) {
  const core::Experiment& experiment = store.experiment();
  const auto bytes = TRY(carry_inputs(store.folder().path(), experiment.working_directory, files));
  auto& fingerprints = *store.experiment().input_files;
  for (const std::string& file : files) fingerprints.emplace(file, launch::fingerprint_of_input(file));
  return bytes;
}

Result<launch::ProfilePreparation> prepare(const RecordRequest& request) {
  if (request.command.empty()) {
    return Error{ErrorCode::kUsage, "no application is given",
                 "write it after --, as in scalediag record -n 4 -- ./app"};
  }
  launch::ProfileRequest profile;
  static_cast<launch::ProgramRequest&>(profile) = request;
  profile.output = recording_folder(request);
  profile.fresh = request.fresh;
  auto prepared = prepare_recorded(profile, request.np);
  if (prepared) prepared.value().experiment.ranks_per_node = request.node_ranks;
  return prepared;
}

// Every rank's log, whole; ranks that cannot be replayed are counted apart. Error: also where none can.
Result<Recording> check_logs(const std::string& folder, const std::vector<int>& ranks, const std::string& program) {
  Recording recording;
  for (const int rank : ranks) {
    const std::string path = log_path(folder, rank);
    std::error_code failed;
    if (!fs::exists(path, failed)) {
      const bool has_sessions = launch::has_sessions_only(program);
      return Error{ErrorCode::kEnvironment,
                   "rank " + std::to_string(rank) +
                       " was not recorded: " + (has_sessions ? launch::kSessionsOnly : "there is no " + path),
                   has_sessions ? launch::kSessionsHint : "look at what the program printed; MPI_Init has to be called",
                   path};
    }
    const auto log = TRY(check_message_log(path));
    if (!log.refused.empty()) {
      recording.given_up.push_back(refusal_of(rank, log.refused));
      continue;
    }
    recording.program = log.identity.executable;
    ++recording.n_ranks;
    recording.calls += log.calls;
    recording.events[rank] = log.events;
    recording.bytes += log.file_bytes;
    recording.recorder_s = std::max(recording.recorder_s, log.recorder_s);
  }
  return recording;
}

// The ranks that ended by themselves before MPI_Finalize, upon which launchers end the others: "ranks 1, 3".
std::string without_finalize(const std::string& folder, const std::vector<int>& ranks) {
  std::vector<std::string> names;
  for (const int rank : ranks) {
    const auto log = check_message_log(log_path(folder, rank));
    if (log && log.value().refused == message_log::kWithoutFinalize) names.push_back(std::to_string(rank));
  }
  return names.empty() ? "" : (names.size() == 1 ? "rank " : "ranks ") + core::join(names);
}

}  // namespace

std::string recording_folder(const RecordRequest& request) {
  if (!request.output.empty() || request.command.empty()) return request.output;
  return fs::path(request.command[0]).filename().string() + ".messages";
}

Result<std::vector<int>> parse_ranks(const std::string& list, int np) {
  std::vector<int> ranks;
  if (list.empty()) {
    for (int rank = 0; rank < np; ++rank) ranks.push_back(rank);
    return ranks;
  }
  const auto values = TRY(core::parse_value_list(list, "--ranks"));
  for (const core::ListValue& value : values) {
    if (!(value.value >= 0 && value.value < np) || value.value != std::floor(value.value)) {
      return Error{ErrorCode::kUsage, "there is no rank " + value.text + " among " + std::to_string(np),
                   "ranks are counted from 0", "--ranks"};
    }
    ranks.push_back(static_cast<int>(value.value));
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

Result<Recording> record(const RecordRequest& request, launch::Notices& notices) {
  const auto ranks = TRY(parse_ranks(request.ranks, request.np));
  const launch::ProfilePreparation preparation = TRY(prepare(request));
  for (const std::string& text : preparation.notes) notices.note(text);
  const auto library = TRY(replay_library(preparation.installation));
  const auto inputs = TRY(inputs_of(request, preparation));
  std::vector<std::string> read = preparation.argument_paths;
  read.insert(read.end(), {preparation.stdin_source.file, preparation.experiment.executable});
  read.insert(read.end(), request.inputs.begin(), request.inputs.end());
  TRY(check_kept(preparation.folder, read));
  TRY(core::check_experiment_folder(preparation.folder, request.fresh, read));
  auto store = TRY(launch::ExperimentStore::open(preparation.folder, preparation.experiment, request.fresh));
  if (store.continues() && !request.fresh) {
    return Error{ErrorCode::kInput, preparation.folder + " has a recording already",
                 "choose another folder with -o, or replace it with --fresh", preparation.folder};
  }
  std::error_code ignored;
  for (const std::string& path : additions(preparation.folder)) fs::remove_all(path, ignored);
  const uint64_t input_bytes = request.with_inputs ? TRY(carry(inputs, store)) : 0;

  core::RunEntry& entry = store.entry(preparation.configurations[0].configuration, 0);
  const std::string run_folder = recorded_run_folder(store.folder(), entry.configuration);
  entry.stamp = core::new_stamp(core::run_id(entry.configuration, 0));
  const std::string listed =
      request.ranks.empty() ? "all" : core::join(ranks, ",", [](int rank) { return std::to_string(rank); });
  std::vector<std::string> rank = {
      preparation.installation.shim, "--library", library, "--directory", run_folder, "--record", listed};
  if (request.max_log_bytes) rank.insert(rank.end(), {"--max-log", std::to_string(*request.max_log_bytes)});
  if (request.unrecorded_node > 0) rank.insert(rank.end(), {"--node", std::to_string(request.unrecorded_node)});
  if (request.logs_system) rank.insert(rank.end(), {"--log-system", "yes"});
  rank.push_back("--");
  const std::vector<std::string>& application = preparation.configurations[0].command;
  rank.insert(rank.end(), application.begin(), application.end());
  entry.command = launch::launch_command(preparation.launcher, request.np, preparation.experiment.host.cores, rank);
  TRY(store.begin(entry));
  for (const auto& [number, loop] : request.loops) {
    const std::string path =
        run_folder + "/" + message_log::rank_file(static_cast<uint32_t>(number), message_log::kLoopEnding);
    TRY(write_partial_log(path, number, loop));
  }

  std::vector<std::string> watched = preparation.argument_paths;
  watched.insert(watched.end(), inputs.begin(), inputs.end());
  launch::OutputWatch outputs(watched);
  const launch::InterruptionGuard interruption;
  const auto outcome = TRY(run_once(preparation, entry.command, entry.stamp, run_folder, "", request.timeout_s,
                                    request.passes_output_on, interruption));
  // A replay makes them again, so that they need not be there, nor be the same.
  const launch::OutputWatch::Changes written = outputs.look();
  for (const std::string& path : written.created) store.note_written(path);
  for (const std::string& path : written.changed) {
    store.note_written(path);
    notices.note(path + " changed while it was recorded; it is taken for a file that the application writes");
  }
  entry.exit_status = outcome.exit_status;
  entry.elapsed_s = outcome.elapsed_s;
  auto judged = launch::judge_run(outcome, {0}, request.timeout_s.value_or(0), std::nullopt, "");
  if (judged.state != core::RunState::kComplete && outcome.end == launch::ProcessOutcome::End::kExited) {
    if (const std::string left = without_finalize(run_folder, ranks); !left.empty()) {
      judged.reason += "; " + left + " ended without MPI_Finalize, upon which launchers end the run as failed";
      judged.hint = "let every rank call MPI_Finalize before it ends";
    }
  }
  auto recording = check_logs(run_folder, ranks, preparation.experiment.executable);
  const bool whole = judged.state == core::RunState::kComplete && recording;
  entry.state = whole                                       ? core::RunState::kComplete
                : judged.state != core::RunState::kComplete ? judged.state
                                                            : core::RunState::kIncomplete;
  entry.reason = !judged.reason.empty() ? judged.reason : whole ? "" : recording.error().message;
  if (recording && recording.value().n_ranks > 0) {
    store.note_program(core::program_behind(preparation.experiment.executable, recording.value().program));
    // Without it a replay of another build cannot say which options differ, and all else holds.
    (void)core::write_file_atomically(preparation.folder + kBuildFile, build_of(recording.value().program));
  }
  // On a full disk neither a log nor this can be written; the log is what was wanted.
  if (auto saved = store.save(); !saved && recording) return saved.error();
  if (judged.state != core::RunState::kComplete) {
    Recording failed;
    failed.exit_status = judged.exit_status;
    notices.warn("nothing can be replayed: " + judged.reason, judged.hint);
    return failed;
  }
  if (!recording) return recording.error();
  for (const Error& error : recording.value().given_up) notices.warn(error.message, error.hint);
  if (recording.value().n_ranks == 0) {
    return Error{ErrorCode::kInput, "no rank can be replayed", "docs/replay.md has what can be replayed"};
  }
  if (!recording.value().given_up.empty()) recording.value().exit_status = core::kExitUsage;
  recording.value().folder = preparation.folder;
  recording.value().inputs = inputs.size();
  recording.value().input_bytes = input_bytes;
  recording.value().elapsed_s = outcome.elapsed_s;
  return recording;
}

}  // namespace scalediag::replay
