// The complete runs of an experiment in memory, all with the same clock, and profile.json made of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/launch/session/pass_counts.h"
#include "collector/merge/merge.h"
#include "core/experiment/experiment.h"
#include "core/experiment/machine.h"
#include "core/profile/profile.h"
#include "core/profile/run_summary.h"
#include "core/result.h"

namespace scalediag::launch {

class MeasuredRuns {
 public:
  // `folder` and `experiment` outlive this object.
  MeasuredRuns(const core::ExperimentFolder& folder, const core::Experiment& experiment, bool resolve_inlined);
  ~MeasuredRuns();
  MeasuredRuns(const MeasuredRuns&) = delete;
  MeasuredRuns& operator=(const MeasuredRuns&) = delete;

  // Merges a run's raw files and keeps the run if it is complete and of the same builds as the others. Returns the
  // reason why it is not, empty if it is.
  std::string add(const core::RunEntry& entry);
  // Forgets a run that was added.
  void drop(const std::string& id);
  // Whether the last added run was refused because it ran another build than the others.
  bool is_other_build() const { return is_other_build_; }
  // Experiment::program, by these runs.
  std::string program() const;
  // A file of the runs kept that has been rebuilt since; empty if there is none.
  std::string rebuilt_file() const;

  // Chooses the clock that is right for all runs kept, and merges them again where it has changed: whether ranks share
  // cores is known only when their threads have been counted. Error (kInput): names the entries of runs that cannot be
  // merged any more.
  Status settle_clock();

  // Writes profile.json, with the counts of the passes under valgrind.
  Status save_profile();
  // Whether the last saved profile has counts.
  bool counted() const { return counted_; }
  // The machine by which counts are turned into time from now on; before, it is the folder's machine.json if it has
  // one.
  void use_machine(core::Machine machine) { machine_ = std::move(machine); }

  // The reason why the counts of a pass cannot be used, empty if they can.
  std::string problem_of(const core::CountingPass& pass);
  // Called when the pass is about to run again.
  void forget_counts(const core::CountingPass& pass) { pass_counts_.forget(pass); }
  core::Stability judge(const core::Configuration& configuration, const core::StabilityOptions& options) const;
  // Without whole runs beside ended ones (core/profile/repeats/ended_runs.h).
  std::vector<const core::Run*> repeats_of(const core::Configuration& configuration) const;

  const std::vector<core::Run>& runs() const { return runs_; }
  const merge::ClockChoice& clock() const { return clock_; }

 private:
  Result<core::Run> merge(const core::RunEntry& entry);
  // The reason why the run does not belong to those kept, empty if it does. Adds remarks to its warnings.
  std::string difference_of(core::Run& run) const;

  const core::ExperimentFolder& folder_;
  const core::Experiment& experiment_;
  bool resolve_inlined_;
  std::optional<core::Machine> machine_;
  bool counted_ = false;
  std::unique_ptr<merge::SymbolCache> symbols_;
  PassCounts pass_counts_;
  merge::ClockChoice clock_;
  std::map<std::string, merge::CoreUse> core_use_;    // of every run kept, by its id
  std::map<std::string, merge::RunModules> modules_;  // the same
  bool is_other_build_ = false;
  std::vector<core::Run> runs_;  // by np, parameters, repeat
};

}  // namespace scalediag::launch
