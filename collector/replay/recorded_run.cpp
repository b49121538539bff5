#include "collector/replay/recorded_run.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "core/raw/message_log.h"

namespace scalediag::replay {

Result<launch::ProfilePreparation> prepare_recorded(launch::ProfileRequest request, int np) {
  request.sampler = "none";
  request.counters = "none";
  auto prepared = launch::prepare_run(std::move(request), np);
  if (prepared) prepared.value().experiment.sampler = core::kMessages;
  return prepared;
}

Result<std::string> replay_library(const launch::Installation& installation) {
  const std::string path = std::filesystem::path(installation.library).parent_path() / "libscalediag-replay.so";
  if (access(path.c_str(), R_OK) == 0) return path;
  return Error{ErrorCode::kEnvironment, path + " is not there", "install scalediag again", path};
}

std::string recorded_run_folder(const core::ExperimentFolder& folder, const core::Configuration& configuration) {
  return folder.run_folder(core::run_id(configuration, 0));
}

std::string log_path(const std::string& run_folder, int rank) {
  return run_folder + "/" + message_log::rank_file(static_cast<uint32_t>(rank), message_log::kLogEnding);
}

Error refusal_of(int rank, const std::string& reason) {
  return {ErrorCode::kInput, "rank " + std::to_string(rank) + " cannot be replayed: " + reason,
          reason.starts_with(message_log::kReachedLimit) ? "record it with a larger --max-log"
                                                         : "docs/replay.md has what can be replayed"};
}

Result<launch::ProcessOutcome> run_once(const launch::ProfilePreparation& preparation,
                                        const std::vector<std::string>& command, const std::string& stamp,
                                        const std::string& folder, const std::string& prefix,
                                        std::optional<double> timeout_s, bool passes_output_on,
                                        const launch::InterruptionGuard& interruption) {
  const auto stdin_fd = TRY(preparation.stdin_source.open());
  launch::ProcessRequest process;
  process.program = preparation.launcher.words[0];
  process.command = command;
  process.stamp = stamp;
  process.stdin_fd = stdin_fd;
  process.stdout_log = folder + "/" + prefix + "stdout.log";
  process.stderr_log = folder + "/" + prefix + "stderr.log";
  process.timeout_s = timeout_s;
  process.passes_output_on = passes_output_on;
  auto outcome = launch::run_process(process, interruption);
  if (stdin_fd >= 0) close(stdin_fd);
  return outcome;
}

}  // namespace scalediag::replay
