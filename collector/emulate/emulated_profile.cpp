#include "collector/emulate/emulated_profile.h"

#include <utility>

#include "collector/launch/session/measured_runs.h"

namespace scalediag::emulate {

using core::RunState;

EmulatedProfile::EmulatedProfile(launch::ExperimentStore store, core::Configuration configuration, int repeat)
    : store_(std::move(store)),
      configuration_(std::move(configuration)),
      repeat_(repeat),
      id_(core::run_id(configuration_, repeat)) {}

Result<EmulatedProfile> EmulatedProfile::begin(const launch::ProfilePreparation& preparation) {
  auto store = TRY(launch::ExperimentStore::open(preparation.folder, preparation.experiment, false));
  const core::Configuration& configuration = preparation.configurations[0].configuration;
  int repeat = 0;
  for (const core::RunEntry& run : store.experiment().runs) {
    if (run.configuration == configuration && run.repeat == repeat && run.state == RunState::kComplete) ++repeat;
  }
  EmulatedProfile profile(std::move(store), configuration, repeat);
  core::RunEntry& entry = profile.entry();
  entry.stamp = core::new_stamp(profile.id_);
  TRY(profile.store_.begin(entry));
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
  TRY(core::write_emulated_times(times, run_folder()));
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
  TRY(store_.save());
  if (!measured.runs().empty()) {
    TRY(measured.settle_clock());
    TRY(measured.save_profile());
  }
  if (missing.empty()) return Done{};
  return Error{ErrorCode::kEnvironment, "no profile was made of the run: " + missing, "", store_.folder().path()};
}

}  // namespace scalediag::emulate
