#include "collector/replay/replay_session.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include "collector/launch/host/machine_store.h"
#include "collector/launch/program/executable_file.h"
#include "collector/launch/session/run_outcome.h"
#include "collector/replay/kernel_replay.h"
#include "collector/replay/message_log_file.h"
#include "collector/replay/opened_recording.h"
#include "collector/replay/partial_log.h"
#include "collector/replay/place/covered_folder.h"
#include "collector/replay/place/replayed_place.h"
#include "collector/replay/record_session.h"
#include "collector/replay/recorded_run.h"
#include "collector/replay/repeated_replay.h"
#include "collector/replay/replay_groups.h"
#include "collector/replay/set_variables.h"
#include "collector/replay/side_by_side.h"
#include "core/atomic_file.h"
#include "core/scratch_folder.h"
#include "core/text/join.h"

namespace scalediag::replay {
namespace {

namespace fs = std::filesystem;

// The ranks that were to be recorded, as LIST or "all": scalediag-rank was told.
std::string asked_ranks(const core::RunEntry& entry) {
  const auto option = std::find(entry.command.begin(), entry.command.end(), "--record");
  return option == entry.command.end() || option + 1 == entry.command.end() ? "" : *(option + 1);
}

Error not_recorded(const core::Experiment& experiment, const std::string& folder, const std::string& log, int rank,
                   const std::vector<int>& recorded) {
  const std::string asked = asked_ranks(experiment.runs[0]);
  const std::string number = std::to_string(rank);
  if (asked == "all" || ("," + asked + ",").find("," + number + ",") != asked.npos) {
    return {ErrorCode::kInput, "rank " + number + " was recorded, but its log is gone: " + log,
            "restore the file, or record again: " + record_again(experiment, folder), log};
  }
  return {ErrorCode::kUsage, "rank " + number + " was not recorded",
          "recorded ranks: " + core::join(recorded, ", ", [](int r) { return std::to_string(r); }), "--ranks"};
}

Result<MessageLog> checked_log(const OpenedRecording& recorded, int rank) {
  auto log = TRY(check_message_log(log_path(recorded.run_folder, rank)));
  if (static_cast<int>(log.identity.rank) != rank || static_cast<int>(log.identity.size) != recorded.np) {
    return Error{ErrorCode::kInput,
                 log_path(recorded.run_folder, rank) + " is the log of rank " + std::to_string(log.identity.rank) +
                     " of " + std::to_string(log.identity.size) + ", not of rank " + std::to_string(rank) + " of " +
                     std::to_string(recorded.np),
                 "restore the files of the recording, or record again"};
  }
  return log;
}

// Of a log that ends after the first iterations: the file gets the computation of the whole run as well.
Status complete_vector(const OpenedRecording& recorded, const std::string& file, std::vector<double>& computation_s,
                       ReplayedRank& replayed) {
  const auto rank = static_cast<uint32_t>(replayed.rank);
  const auto partial = TRY(read_partial_log(
      recorded.run_folder + "/" + message_log::rank_file(rank, message_log::kLoopEnding), replayed.rank));
  // The program may have ended before.
  if (!partial || computation_s.size() < partial->events()) return Done{};
  CompletedComputations completed = complete(*partial, computation_s);
  computation_s = std::move(completed.computation_s);
  for (const CutLoop& loop : partial->loops) {
    replayed.iterations += loop.iterations;
    replayed.recorded_iterations += loop.recorded;
  }
  replayed.loops = partial->loops.size();
  replayed.repeated_s = completed.repeated_s;
  replayed.traced_s = completed.traced_s;
  replayed.apart = completed.apart;
  replayed.most_apart = partial->most_apart;
  return write_vector(file, replayed.rank, computation_s);
}

// The rank once more, profiled.
Status replay_kernels(const OpenedRecording& recorded, int rank, const ReplayRequest& request,
                      const std::string& scratch, const std::string& node, launch::Notices& notices) {
  launch::ProfileRequest profile = recorded.request;
  profile.np_list = "1";
  profile.output = profile_folder_of(request, rank);
  profile.repeat = 1;
  profile.counters = request.counters;
  profile.machine = launch::kNoMachine;
  profile.timeout_s = request.timeout_s;
  profile.passes_output_on = false;
  std::map<std::string, std::string> environment = {{"SCALEDIAG_ALSO_PRELOAD", recorded.library},
                                                    {"SCALEDIAG_LOGS", recorded.run_folder},
                                                    {"SCALEDIAG_REPLAY", std::to_string(rank)},
                                                    {"SCALEDIAG_RESULTS", profile.output}};
  if (!node.empty()) environment["SCALEDIAG_NODE"] = node;
  if (!scratch.empty()) {
    environment["SCALEDIAG_COVER"] = scratch;
    environment["SCALEDIAG_KEEP"] = recorded.results;
  }
  return profile_replay(profile, environment, notices);
}

Result<ReplayedRank> replay_rank(const OpenedRecording& recorded, const MessageLog& log, const ReplayRequest& request,
                                 const std::string& scratch, const std::string& node) {
  const launch::InterruptionGuard interruption;
  const auto rank = static_cast<int>(log.identity.rank);
  const std::string name = "rank " + std::to_string(rank);
  const auto result = [&](const char* ending) {
    return recorded.results + "/" + message_log::rank_file(static_cast<uint32_t>(rank), ending);
  };
  std::error_code failed;
  const std::string vector_file = result(message_log::kVectorEnding);
  const std::string departure_file = result(message_log::kDepartureEnding);
  const std::string elapsed_file = result(message_log::kElapsedEnding);
  fs::remove(vector_file, failed);
  fs::remove(elapsed_file, failed);
  fs::remove(departure_file, failed);

  const launch::ProfilePreparation& preparation = recorded.preparation;
  std::vector<std::string> words = {
      preparation.installation.shim, "--library", recorded.library, "--directory", recorded.run_folder, "--replay",
      std::to_string(rank),          "--output",  recorded.results};
  if (!scratch.empty()) words.insert(words.end(), {"--cover", scratch, "--keep", recorded.results});
  if (!node.empty()) words.insert(words.end(), {"--node", node});
  words.emplace_back("--");
  const std::vector<std::string>& application = preparation.configurations[0].command;
  words.insert(words.end(), application.begin(), application.end());
  const auto command = launch::launch_command(preparation.launcher, 1, preparation.experiment.host.cores, words);
  const auto outcome = TRY(run_once(preparation, command, core::new_stamp("replay" + std::to_string(rank)),
                                    recorded.results, message_log::rank_file(static_cast<uint32_t>(rank), "."),
                                    request.timeout_s, request.passes_output_on, interruption));
  if (const auto departure = core::read_file(departure_file); departure) {
    const std::string& its_program = log.identity.executable;
    const std::string& ours =
        recorded.experiment.program.empty() ? recorded.experiment.executable : recorded.experiment.program;
    // Of a script that is interpreted the log knows the interpreter only.
    const bool is_interpreted = recorded.experiment.program.empty() && preparation.program_is_script;
    const bool is_foreign =
        !is_interpreted && fs::path(its_program).filename() != fs::weakly_canonical(ours, failed).filename();
    return Error{ErrorCode::kInput, name + " departs from its log: " + departure.value(),
                 is_foreign
                     ? "the log is of " + its_program + ", not of " + ours + ": restore the file, or record again"
                     : "the program has to do the same each time: no threads that call MPI, and no choices by "
                       "time or chance"};
  }
  if (outcome.end == launch::ProcessOutcome::End::kInterrupted) {
    ReplayedRank interrupted;
    interrupted.rank = rank;
    interrupted.interrupted_by = outcome.signal;
    return interrupted;
  }
  const auto judged = launch::judge_run(outcome, {0}, request.timeout_s.value_or(0), std::nullopt, "");
  if (judged.state != core::RunState::kComplete) {
    return Error{ErrorCode::kEnvironment, "the replay of " + name + " failed: " + judged.reason, judged.hint};
  }
  if (!fs::exists(vector_file, failed)) {
    return Error{ErrorCode::kInput,
                 name + " was not replayed: " + preparation.experiment.executable + " ended without calling MPI_Init",
                 "replay the recorded program " + recorded.experiment.executable + ", or another build of it"};
  }
  auto computation = TRY(read_vector(vector_file, rank));
  ReplayedRank replayed;
  replayed.rank = rank;
  TRY(complete_vector(recorded, vector_file, computation, replayed));
  replayed.computation_s = std::accumulate(computation.begin(), computation.end(), 0.0);
  replayed.calls = log.calls;
  replayed.log_bytes = log.file_bytes;
  replayed.elapsed_s = outcome.elapsed_s;
  const auto elapsed = TRY(core::read_file(elapsed_file));
  if (std::sscanf(elapsed.c_str(), "%lf %lf %lf", &replayed.program_s, &replayed.log_ahead_s,
                  &replayed.log_in_calls_s) != 3) {
    return Error{ErrorCode::kEnvironment, elapsed_file + " does not have the times of the replay", "replay it again",
                 elapsed_file};
  }
  return replayed;
}

Result<std::vector<MessageLog>> chosen_logs(const OpenedRecording& recorded, const ReplayRequest& request,
                                            launch::Notices& notices) {
  std::vector<int> ranks = logged_ranks(recorded.run_folder);
  if (!request.ranks.empty()) {
    auto chosen = TRY(parse_ranks(request.ranks, recorded.np));
    for (const int rank : chosen) {
      if (!std::binary_search(ranks.begin(), ranks.end(), rank)) {
        return not_recorded(recorded.experiment, request.folder, log_path(recorded.run_folder, rank), rank, ranks);
      }
    }
    ranks = std::move(chosen);
  }
  if (ranks.empty()) return no_recording(request.folder, "it has no message logs");
  std::vector<MessageLog> logs;
  for (const int rank : ranks) {
    auto log = TRY(checked_log(recorded, rank));
    if (log.refused.empty()) {
      logs.push_back(std::move(log));
      continue;
    }
    const Error refused = refusal_of(rank, log.refused);
    if (!request.ranks.empty()) return refused;
    notices.warn(refused.message, refused.hint);
  }
  if (logs.empty()) {
    return Error{ErrorCode::kInput, "no rank can be replayed",
                 "record again what can be: " + record_again(recorded.experiment, request.folder), request.folder};
  }
  return logs;
}

// Error (kInput): ranks that are not replayed now were replayed with another processor, build or other variables, and
// would then count as replayed here.
Status check_other_ranks(const OpenedRecording& recorded, const ReplayRequest& request,
                         const std::vector<MessageLog>& logs, const ReplayedPlace& here) {
  const auto has_other_vector = [&](int rank) {
    const auto is_its_log = [rank](const MessageLog& log) { return static_cast<int>(log.identity.rank) == rank; };
    const std::string file = message_log::rank_file(static_cast<uint32_t>(rank), message_log::kVectorEnding);
    std::error_code failed;
    return std::ranges::none_of(logs, is_its_log) && fs::exists(recorded.results + "/" + file, failed);
  };
  if (std::ranges::none_of(logged_ranks(recorded.run_folder), has_other_vector)) return Done{};
  const std::string& folder = request.results_in();
  const auto before = TRY(read_place(folder));
  if (!before) return Done{};
  std::string other;
  if (before->environment != here.environment) other = "with other variables";
  if (!before->build.empty() && before->build != here.build) other = "with another build of the program";
  if (before->host.cpu != here.host.cpu) other = "on another processor, " + before->host.cpu;
  if (other.empty()) return Done{};
  return Error{ErrorCode::kInput, folder + " has other ranks that were replayed " + other,
               "name another folder for what is replayed here (-o FOLDER), or replay all ranks", folder};
}

std::string absolute(const std::string& path) {
  std::error_code ignored;
  fs::path normal = fs::absolute(path, ignored).lexically_normal();
  return (normal.has_filename() || !normal.has_relative_path() ? normal : normal.parent_path()).string();
}

}  // namespace

std::string profile_folder_of(const ReplayRequest& request, int rank) {
  return absolute(request.results_in()) + kResultsFolder + "/" +
         message_log::rank_file(static_cast<uint32_t>(rank), ".scalediag");
}

Result<Replayed> replay(const ReplayRequest& asked, launch::Notices& notices) {
  ReplayRequest request = asked;
  for (std::string* path : {&request.folder, &request.program, &request.directory, &request.output}) {
    if (!path->empty()) *path = absolute(*path);
  }
  const KeptWorkingDirectory kept;
  const SetVariables set(TRY(parse_variables(request.environment)));
  const OpenedRecording recorded = TRY(open_recording(request));
  const auto logs = TRY(chosen_logs(recorded, request, notices));
  Replayed all;
  all.differences = TRY(check_place(recorded, request, logs.front().identity.mpi_library_version));
  // Ranks that send to one another cannot do without.
  request.together =
      request.together || std::ranges::any_of(logs, [](const MessageLog& log) { return log.identity.node > 0; });
  for (const std::string& text : all.differences) notices.note("not as recorded: " + text);
  const core::Experiment& here = recorded.preparation.experiment;
  const auto groups = TRY(replay_groups(logs, {request.together, request.share_cores}, here.host.cores));
  const ReplayedPlace place = {here.host, *here.environment, all.differences, launch::fingerprint_of(recorded.program),
                               recorded.uses_openmp};
  TRY(check_other_ranks(recorded, request, logs, place));
  const auto scratch_folder = [&] { return scratch_beside(here.working_directory); };
  // Every rank gets the files as they are now.
  const auto cover = [&] { return request.in_place ? core::ScratchFolder() : scratch_folder(); };
  if (!request.in_place) {
    if (const std::string reason = cannot_cover(recorded, cover()); !reason.empty()) {
      return Error{ErrorCode::kUsage,
                   "the program would write its output files again where it was recorded, and this cannot be kept from "
                   "them here: " +
                       reason,
                   "--in-place allows it; copy what is to be kept first", "--in-place"};
    }
  }
  ReplayRequest silent = request;
  silent.passes_output_on = false;
  const auto replay_fully = [&](const MessageLog& log, const std::string& scratch,
                                const std::string& node) -> Result<ReplayedRank> {
    auto replayed = replay_rank(recorded, log, request, scratch, node);
    if (!replayed || !request.kernels || replayed.value().interrupted_by != 0) return replayed;
    const core::ScratchFolder again = cover();
    TRY(replay_kernels(recorded, replayed.value().rank, request, again.path(), node, notices));
    return replayed;
  };
  const auto replay_group = [&](const std::vector<MessageLog>& group,
                                bool is_first) -> Result<std::vector<ReplayedRank>> {
    std::vector<core::ScratchFolder> scratch;
    for (size_t i = 0; i < group.size(); ++i) scratch.push_back(cover());
    std::map<uint32_t, core::ScratchFolder> meeting_places;  // by the first rank of a node
    const auto first_of_node = [](const MessageLog& log) {
      const message_log::Identity& rank = log.identity;
      return message_log::ranks_of_node(rank.rank, std::max(1U, rank.node), rank.size).first;
    };
    for (const MessageLog& log : group) {
      if (log.identity.node > 0 && meeting_places.count(first_of_node(log)) == 0)
        meeting_places.emplace(first_of_node(log), scratch_folder());
    }
    const auto replay_one = [&](size_t i) {
      const auto found = meeting_places.find(first_of_node(group[i]));
      const std::string node = found != meeting_places.end() ? found->second.path() : "";
      return is_first ? replay_fully(group[i], scratch[i].path(), node)
                      : replay_rank(recorded, group[i], silent, scratch[i].path(), node);
    };
    if (request.together) return side_by_side(group.size(), replay_one);
    auto one = TRY(replay_one(0));
    return std::vector{one};
  };
  std::vector<std::vector<ReplayedRank>> of_groups;
  for (const auto& group : groups) {
    of_groups.push_back(TRY(replay_group(group, true)));
    const auto& last = of_groups.back();
    if (std::ranges::any_of(last, [](const auto& rank) { return rank.interrupted_by != 0; })) break;
  }
  const auto repeated = repeat_replays(request.in_place && !request.repeats ? 1 : request.repeats, recorded.results,
                                       of_groups, [&](size_t g) { return replay_group(groups[g], false); });
  if (!repeated) return repeated.error();
  for (const auto& ranks : of_groups) all.ranks.insert(all.ranks.end(), ranks.begin(), ranks.end());
  const bool is_whole = std::ranges::all_of(all.ranks, [](const auto& rank) { return rank.interrupted_by == 0; });
  if (is_whole) TRY(write_place(recorded.results, place));
  return all;
}

}  // namespace scalediag::replay
