#include "collector/replay/lone_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "collector/launch/process/interruption.h"
#include "collector/replay/record_session.h"
#include "collector/replay/replay_session.h"
#include "core/text/join.h"

namespace scalediag::replay {
namespace {

Status record_run(const LoneRunRequest& request, launch::Notices& notices) {
  RecordRequest recorded;
  static_cast<launch::ProgramRequest&>(recorded) = request.program;
  recorded.np = request.np;
  recorded.ranks = core::join(request.groups, ",");
  recorded.output = request.folder;
  recorded.fresh = true;
  recorded.timeout_s = request.timeout_s;
  recorded.max_log_bytes = request.max_log_bytes;
  recorded.passes_output_on = false;
  const auto recording = TRY(record(recorded, notices));
  if (!recording.given_up.empty()) return recording.given_up.front();
  if (recording.exit_status != 0) {
    return Error{ErrorCode::kEnvironment, "the recorded run failed", "", request.folder};
  }
  return Done{};
}

Status replay_groups(const LoneRunRequest& request, std::chrono::steady_clock::time_point begin,
                     launch::Notices& notices) {
  ReplayRequest again;
  again.folder = request.folder;
  again.in_place = request.in_place;
  again.passes_output_on = false;
  const std::vector<std::string> all = {""};
  for (const std::string& ranks : request.groups.empty() ? all : request.groups) {
    again.ranks = ranks;
    again.together = ranks.find(',') != std::string::npos;
    if (request.timeout_s) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      again.timeout_s = std::max(1.0, *request.timeout_s - spent.count());
    }
    again.repeats = request.repeats;
    TRY(replay(again, notices));
    if (launch::InterruptionGuard::latest_signal() != 0) {
      return Error{ErrorCode::kEnvironment, "it was interrupted", "", request.folder};
    }
  }
  return Done{};
}

}  // namespace

Status record_and_replay(const LoneRunRequest& request, launch::Notices& notices) {
  const auto begin = std::chrono::steady_clock::now();
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(request.folder).parent_path(), failed);
  Status done = record_run(request, notices);
  if (done) done = replay_groups(request, begin, notices);
  if (!done) std::filesystem::remove_all(request.folder, failed);
  return done;
}

}  // namespace scalediag::replay
