#include "collector/replay/counted_replay.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "collector/launch/session/run_outcome.h"
#include "collector/replay/opened_recording.h"
#include "collector/replay/place/covered_folder.h"
#include "collector/replay/recorded_run.h"
#include "collector/replay/set_variables.h"
#include "collector/replay/side_by_side.h"
#include "core/atomic_file.h"
#include "core/raw/message_log.h"

namespace scalediag::replay {
namespace {

namespace fs = std::filesystem;

std::string file_of(int rank, const std::string& ending) {
  return message_log::rank_file(static_cast<uint32_t>(rank), ending.c_str());
}

// What a replay leaves, below the folder of results, which is not covered.
std::string folder_of(const OpenedRecording& recorded, int rank) {
  return recorded.results + "/counted" + std::to_string(rank);
}

Result<ReplayedRank> count_rank(const OpenedRecording& recorded, const CountedReplayRequest& request,
                                const CountedRank& counted) {
  const std::string folder = folder_of(recorded, counted.rank);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return core::write_error(folder, failed.value());
  const launch::ProfilePreparation& preparation = recorded.preparation;
  const core::ScratchFolder scratch = scratch_beside(preparation.experiment.working_directory);
  // It is started as the only rank, and by the launcher's number.
  std::vector<std::string> words = {preparation.installation.shim,
                                    "--library",
                                    preparation.installation.library,
                                    "--simulate",
                                    "0",
                                    "--output",
                                    folder,
                                    "--cover",
                                    scratch.path(),
                                    "--keep",
                                    recorded.results,
                                    "--valgrind",
                                    request.valgrind};
  for (const std::string& option : request.valgrind_options) words.insert(words.end(), {"--valgrind-option", option});
  words.emplace_back("--");
  const std::vector<std::string>& application = preparation.configurations[0].command;
  words.insert(words.end(), application.begin(), application.end());
  const SetVariables set({{"SCALEDIAG_ALSO_PRELOAD", recorded.library},
                          {"SCALEDIAG_LOGS", recorded.run_folder},
                          {"SCALEDIAG_REPLAY", std::to_string(counted.rank)},
                          {"SCALEDIAG_RESULTS", folder},
                          {"SCALEDIAG_COUNTED_PARTS", counted.steps}});
  const auto command = launch::launch_command(preparation.launcher, 1, preparation.experiment.host.cores, words);
  const launch::InterruptionGuard interruption;
  const auto outcome = TRY(run_once(preparation, command, core::new_stamp("counted" + std::to_string(counted.rank)),
                                    folder, "", request.timeout_s, false, interruption));
  ReplayedRank replayed;
  replayed.rank = counted.rank;
  if (outcome.end == launch::ProcessOutcome::End::kInterrupted) {
    replayed.interrupted_by = outcome.signal;
    return replayed;
  }
  const std::string name = "rank " + std::to_string(counted.rank);
  if (const auto departure = core::read_file(folder + "/" + file_of(counted.rank, message_log::kDepartureEnding))) {
    return Error{ErrorCode::kInput, name + " departs from its log: " + departure.value()};
  }
  if (outcome.end == launch::ProcessOutcome::End::kTimedOut) {
    return Error{ErrorCode::kEnvironment, "the replay of " + name + " under valgrind took longer than it may"};
  }
  const auto judged = launch::judge_run(outcome, {0}, request.timeout_s.value_or(0), std::nullopt, "");
  if (judged.state == core::RunState::kComplete) return replayed;
  return Error{ErrorCode::kEnvironment, "the replay of " + name + " under valgrind failed: " + judged.reason,
               judged.hint};
}

// Files of a replay are named after the rank that the launcher started.
Status keep_files(const OpenedRecording& recorded, int rank, const std::string& output) {
  const std::string launched = file_of(0, "."), own = file_of(rank, ".");
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator it(folder_of(recorded, rank), failed), end; !failed && it != end; it.increment(failed)) {
    files.push_back(it->path());
  }
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    const bool is_valgrinds =
        name.starts_with(launched) && (name.find(".callgrind") != name.npos || name.ends_with(".log"));
    if (!is_valgrinds) continue;
    fs::rename(file, output + "/" + own + name.substr(launched.size()), failed);
    if (failed) return core::write_error(output, failed.value());
  }
  return Done{};
}

}  // namespace

Result<int> count_replays(const CountedReplayRequest& request) {
  const KeptWorkingDirectory kept;
  ReplayRequest recording;
  recording.folder = request.folder;
  const OpenedRecording recorded = TRY(open_recording(recording));
  const core::Host& host = recorded.preparation.experiment.host;
  const core::ScratchFolder tried = scratch_beside(recorded.preparation.experiment.working_directory);
  if (const std::string reason = cannot_cover(recorded, tried); !reason.empty()) {
    return Error{ErrorCode::kUsage, "what the program writes cannot be kept from its folder: " + reason};
  }
  const auto at_once = static_cast<size_t>(std::max(1, host.cores));
  for (size_t begin = 0; begin < request.ranks.size(); begin += at_once) {
    const size_t n = std::min(at_once, request.ranks.size() - begin);
    const auto replayed =
        TRY(side_by_side(n, [&](size_t i) { return count_rank(recorded, request, request.ranks[begin + i]); }));
    for (const ReplayedRank& rank : replayed) {
      if (rank.interrupted_by != 0) return rank.interrupted_by;
      TRY(keep_files(recorded, rank.rank, request.output));
    }
  }
  return 0;
}

}  // namespace scalediag::replay
