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

constexpr int kFewest = 4, kMost = 16;              // ranks that are replayed
constexpr double kStart_s = 0.5, kRecording = 1.5;  // of a replayed rank; of a recorded run, times one without
// Replays of each rank. With one, a moment in which the host was busy made 4 ranks of LAMMPS 1.2 times as slow in the
// mean as the same ranks of a profile hours before.
constexpr int kRepeats = 3;
constexpr uint64_t kMostLogBytes = 64 << 20;  // of a rank

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

// Ranks spread evenly over all of them, the first and the last one among them, in groups of as many as there are cores:
// they compete for memory as ranks of a full node do.
std::vector<std::string> groups_of(int np, int cores) {
  const int count = std::min(np, std::clamp(cores, kFewest, kMost));
  std::vector<std::string> groups;
  for (int i = 0; i < count; ++i) {
    if (i % cores == 0) groups.emplace_back();
    groups.back() += (groups.back().empty() ? "" : ",") + std::to_string(i * (np - 1) / std::max(1, count - 1));
  }
  return groups;
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
  replay::LoneRunRequest replays;
  replays.program = request;
  replays.np = np;
  replays.groups = groups_of(np, experiment.host.cores);
  replays.folder = store.folder().replays_of(np);
  replays.max_log_bytes = kMostLogBytes;
  std::error_code none;
  if (std::filesystem::is_directory(replays.folder, none)) return;
  // With a core each, ranks take their share of the cores' time.
  const double of_group = static_cast<double>(experiment.host.cores) / np;
  const double n = static_cast<double>(replays.groups.size());
  const double elapsed_s = median_elapsed_s(experiment, np);
  const double replay_s = n * (of_group * elapsed_s + kStart_s);  // of all groups, once
  const double cost_s = kRecording * elapsed_s + replay_s;
  const double most_s = std::max(runs_s, 10.0);
  if (cost_s + (kRepeats - 1) * replay_s <= most_s) replays.repeats = kRepeats;
  replays.timeout_s = 4 * (cost_s + (replays.repeats - 1) * replay_s);
  std::string reason;
  if (cost_s > most_s) {
    reason = "it would take some " + core::time_text(cost_s);
  } else {
    Silence silence;
    if (const auto done = replay::record_and_replay(replays, silence); !done) reason = done.error().message;
  }
  if (const auto noted = store.note_refusal(launch::kReplays, reason); !noted) {
    warn(noted.error().message, noted.error().hint);
  }
  if (reason.empty()) return;
  note("no rank was replayed with a core to itself, so that times are those of ranks that share cores: " + reason);
}

}  // namespace scalediag::cli
