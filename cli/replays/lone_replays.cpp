#include "cli/replays/lone_replays.h"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>
#include <string>

#include "cli/diagnostics.h"
#include "cli/replays/silent_notices.h"
#include "collector/replay/lone_run.h"
#include "core/statistics.h"
#include "core/text/quantities.h"
#include "predict/sources/replayed_computation.h"

namespace scalediag::cli {
namespace {

constexpr int kFewest = 4, kMost = 16;              // ranks that are replayed
constexpr double kStart_s = 0.5, kRecording = 1.5;  // of a replayed rank; of a recorded run, times one without
// Replays of each rank. With one, a moment in which the host was busy made 4 ranks of LAMMPS 1.2 times as slow in the
// mean as the medians of three.
constexpr int kRepeats = 3;
constexpr uint64_t kMostLogBytes = 64 << 20;  // of a rank

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

struct LoneRun {
  replay::LoneRunRequest request;
  double cost_s = 0;  // about
};

// As many replays of each rank as `most_s` allows, at least one.
LoneRun lone_run_of(const launch::ProfileRequest& request, const launch::ExperimentStore& store, int np,
                    double most_s) {
  const core::Experiment& experiment = store.experiment();
  const int cores = experiment.host.cores;
  LoneRun run;
  run.request.program = request;
  run.request.np = np;
  run.request.groups = groups_of(np, cores);
  run.request.folder = store.folder().replays_of(np);
  run.request.max_log_bytes = kMostLogBytes;
  // With a core each, ranks take their share of the cores' time.
  const double elapsed_s = median_elapsed_s(experiment, np);
  const double replay_s = static_cast<double>(run.request.groups.size()) * (elapsed_s * cores / np + kStart_s);
  if (kRecording * elapsed_s + kRepeats * replay_s <= most_s) run.request.repeats = kRepeats;
  run.cost_s = kRecording * elapsed_s + run.request.repeats * replay_s;
  run.request.timeout_s = 4 * run.cost_s;
  return run;
}

}  // namespace

void keep_lone_replays(const launch::ProfileRequest& request, const launch::ProfileSession& session,
                       launch::ExperimentStore& store, bool made_runs) {
  const core::Experiment& experiment = store.experiment();
  std::set<int> shared;  // numbers of ranks that took turns
  for (const core::Run& run : session.measured().runs()) {
    if (run.complete && run.threads_max > 1) return;
    if (run.complete && run.clock == core::Clock::kCpu && run.np > experiment.host.cores) shared.insert(run.np);
  }
  if (shared.empty() || !experiment.parameter_names.empty()) return;
  if (!made_runs && !store.refusal(launch::kReplays).empty()) return;
  if (!predict::replays_tell_computation(session.measured().runs())) {
    note("no rank was replayed with a core to itself: replays of programs that use GPUs would not be taken");
    return;
  }
  double left_s = 0;
  for (const core::RunEntry& run : experiment.runs) left_s += run.elapsed_s;
  left_s = std::max(left_s, 10.0);
  std::string reason;
  // The largest first: predictions go on from there.
  for (const int np : std::set{*shared.rbegin(), *shared.begin()} | std::views::reverse) {
    LoneRun run = lone_run_of(request, store, np, left_s);
    std::error_code none;
    if (std::filesystem::is_directory(run.request.folder, none)) continue;
    const bool is_largest = np == *shared.rbegin();
    if (!is_largest && !made_runs) break;
    if (run.cost_s > left_s) {
      if (is_largest) reason = "it would take some " + core::time_text(run.cost_s);
      break;
    }
    left_s -= run.cost_s;
    SilentNotices silent;  // the one note below has the reason
    const auto done = replay::record_and_replay(run.request, silent);
    if (done) continue;
    if (is_largest) reason = done.error().message;
    break;
  }
  if (const auto noted = store.note_refusal(launch::kReplays, reason); !noted) {
    warn(noted.error().message, noted.error().hint);
  }
  if (reason.empty()) return;
  note("no rank was replayed with a core to itself, so that times are those of ranks that share cores: " + reason);
}

}  // namespace scalediag::cli
