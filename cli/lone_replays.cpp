#include "cli/lone_replays.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "cli/diagnostics.h"
#include "collector/replay/lone_run.h"
#include "core/statistics.h"
#include "core/text/quantities.h"

namespace scalediag::cli {
namespace {

constexpr int kReplayed = 4;                        // ranks
constexpr double kStart_s = 0.5, kRecording = 1.5;  // of a replayed rank; of a recorded run, times one without
constexpr uint64_t kMostLogBytes = 64 << 20;        // of a rank

// Complains to nobody: the one note that the caller makes has the reason.
class Silence : public launch::Notices {
 public:
  void note(const std::string& /*message*/) override {}
  void warn(const std::string& /*message*/, const std::string& /*hint*/) override {}
};

double median_elapsed_s(const core::Experiment& experiment, int np) {
  std::vector<double> elapsed;
  for (const core::RunEntry& run : experiment.runs) {
    if (run.state == core::RunState::kComplete && run.configuration.np == np) elapsed.push_back(run.elapsed_s);
  }
  return elapsed.empty() ? 0 : core::median(elapsed);
}

// Ranks spread evenly over all of them, the first and the last one among them, as a LIST.
std::string some_ranks(int np) {
  const int count = std::min(np, kReplayed);
  std::string list;
  for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + std::to_string(i * (np - 1) / std::max(1, count - 1));
  return list;
}

}  // namespace

void keep_lone_replays(const launch::ProfileRequest& request, const launch::ProfileSession& session,
                       launch::ExperimentStore& store, bool made_runs) {
  const core::Experiment& experiment = store.experiment();
  int np = 0;
  for (const core::Run& run : session.measured().runs()) {
    if (run.complete && run.threads_max > 1) return;
    if (run.complete && run.clock == core::Clock::kCpu) np = std::max(np, run.np);
  }
  if (np <= experiment.host.cores || !experiment.parameter_names.empty()) return;
  if (!made_runs && !store.refusal(launch::kReplays).empty()) return;
  double runs_s = 0;
  for (const core::RunEntry& run : experiment.runs) runs_s += run.elapsed_s;
  replay::LoneRunRequest alone;
  alone.program = request;
  alone.np = np;
  alone.ranks = some_ranks(np);
  alone.folder = store.folder().replays_of(np);
  alone.max_log_bytes = kMostLogBytes;
  std::error_code none;
  if (std::filesystem::is_directory(alone.folder, none)) return;
  // Alone, the ranks that are replayed take at most as long as the run.
  const double cost_s = (kRecording + 1) * median_elapsed_s(experiment, np) + kReplayed * kStart_s;
  alone.timeout_s = 4 * cost_s;
  std::string reason;
  if (cost_s > std::max(runs_s, 10.0)) {
    reason = "it would take some " + core::time_text(cost_s);
  } else {
    Silence silence;
    if (const auto done = replay::replay_alone(alone, silence); !done) reason = done.error().message;
  }
  if (const auto noted = store.note_refusal(launch::kReplays, reason); !noted) {
    warn(noted.error().message, noted.error().hint);
  }
  if (reason.empty()) return;
  note("no rank was replayed alone, so that times are those of ranks that share cores: " + reason);
}

}  // namespace scalediag::cli
