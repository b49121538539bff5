#include "collector/emulate/emulated_profile.h"

#include <utility>

#include "collector/launch/session/measured_runs.h"

namespace scalediag::emulate {

using core::Error;
using core::ErrorCode;
using core::RunState;
using core::Status;

EmulatedProfile::EmulatedProfile(launch::ExperimentStore store, core::Configuration configuration, int repeat)
    : store_(std::move(store)),
      configuration_(std::move(configuration)),
      repeat_(repeat),
      id_(core::run_id(configuration_, repeat)) {}

core::Result<EmulatedProfile> EmulatedProfile::begin(const launch::ProfilePreparation& preparation) {
  auto store = launch::ExperimentStore::open(preparation.folder, preparation.experiment, false);
  if (!store) return store.error();
  const core::Configuration& configuration = preparation.configurations[0].configuration;
  int repeat = 0;
  for (const core::RunEntry& run : store.value().experiment().runs) {
    if (run.configuration == configuration && run.repeat == repeat && run.state == RunState::kComplete) ++repeat;
  }
  EmulatedProfile profile(std::move(store).value(), configuration, repeat);
  core::RunEntry& entry = profile.entry();
  entry.stamp = core::new_stamp(profile.id_);
  if (auto begun = profile.store_.begin(entry); !begun) return begun.error();
  return profile;
}

Status EmulatedProfile::fail(const std::string& reason, int exit_status) {
  core::RunEntry& run = entry();
  run.state = RunState::kFailed;
  run.reason = reason;
  run.exit_status = exit_status;
  return store_.save();
}

Status EmulatedProfile::finish(const core::EmulatedTimes& times, double elapsed_s) {
  if (auto written = core::write_emulated_times(times, run_folder()); !written) return written;
  core::RunEntry& run = entry();
  run.elapsed_s = elapsed_s;
  run.exit_status = 0;
  run.state = RunState::kComplete;  // to be checked by the merge
  launch::MeasuredRuns measured(store_.folder(), store_.experiment(), false);
  std::string missing;
  for (const core::RunEntry& each : store_.experiment().runs) {
    if (each.state != RunState::kComplete) continue;
    const std::string wrong = measured.add(each);
    if (core::run_id(each.configuration, each.repeat) == id_) missing = wrong;
  }
  if (!missing.empty()) {
    run.state = RunState::kIncomplete;
    run.reason = missing;
  }
  store_.note_program(measured.program());
  if (auto saved = store_.save(); !saved) return saved;
  if (!measured.runs().empty()) {
    if (auto settled = measured.settle_clock(); !settled) return settled;
    if (auto saved = measured.save_profile(); !saved) return saved;
  }
  if (missing.empty()) return core::Done{};
  return Error{ErrorCode::kEnvironment, "no profile was made of the run: " + missing, "", store_.folder().path()};
}

}  // namespace scalediag::emulate
