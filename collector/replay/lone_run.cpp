#include "collector/replay/lone_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "collector/replay/record_session.h"
#include "collector/replay/replay_session.h"

namespace scalediag::replay {
namespace {

core::Status record_and_replay(const LoneRunRequest& request, launch::Notices& notices) {
  const auto begin = std::chrono::steady_clock::now();
  RecordRequest recorded;
  static_cast<launch::ProgramRequest&>(recorded) = request.program;
  recorded.np = request.np;
  recorded.ranks = request.ranks;
  recorded.output = request.folder;
  recorded.fresh = true;
  recorded.timeout_s = request.timeout_s;
  recorded.max_log_bytes = request.max_log_bytes;
  recorded.passes_output_on = false;
  const auto recording = record(recorded, notices);
  if (!recording) return recording.error();
  if (!recording.value().given_up.empty()) return recording.value().given_up.front();
  if (recording.value().exit_status != 0) {
    return core::Error{core::ErrorCode::kEnvironment, "the recorded run failed", "", request.folder};
  }
  ReplayRequest again;
  again.folder = request.folder;
  again.in_place = request.in_place;
  again.passes_output_on = false;
  if (request.timeout_s) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    again.timeout_s = std::max(1.0, *request.timeout_s - spent.count());
  }
  const auto ranks = replay(again, notices);
  if (!ranks) return ranks.error();
  return core::Done{};
}

}  // namespace

core::Status replay_alone(const LoneRunRequest& request, launch::Notices& notices) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(request.folder).parent_path(), failed);
  core::Status done = record_and_replay(request, notices);
  if (!done) std::filesystem::remove_all(request.folder, failed);
  return done;
}

}  // namespace scalediag::replay
