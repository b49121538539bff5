#include "collector/launch/session/measured_runs.h"

#include <algorithm>
#include <tuple>

#include "collector/counters/resource_metrics.h"
#include "collector/launch/host/machine_store.h"
#include "collector/merge/symbols/symbolizer.h"
#include "core/experiment/started_program.h"
#include "core/profile/profile_json.h"
#include "core/profile/repeats/ended_runs.h"

namespace scalediag::launch {
namespace {

auto order_of(const core::Run& run) { return std::tie(run.np, run.parameters, run.repeat); }

}  // namespace

MeasuredRuns::MeasuredRuns(const core::ExperimentFolder& folder, const core::Experiment& experiment,
                           bool resolve_inlined)
    : folder_(folder),
      experiment_(experiment),
      resolve_inlined_(resolve_inlined),
      symbols_(std::make_unique<merge::SymbolCache>()),
      pass_counts_(folder, *symbols_, resolve_inlined),
      clock_(merge::choose_clock(experiment, {})) {
  if (auto machine = core::read_machine(folder.machine_file()); machine) machine_ = std::move(machine).value();
}

MeasuredRuns::~MeasuredRuns() = default;

Result<core::Run> MeasuredRuns::merge(const core::RunEntry& entry) {
  merge::CoreUse use;
  merge::RunModules modules;
  pass_counts_.forget_times(core::run_id(entry.configuration, entry.repeat));
  auto run =
      merge::merge_run(folder_, entry, {clock_.clock, clock_.reason, resolve_inlined_}, *symbols_, &use, &modules);
  if (run) {
    core_use_[run.value().id] = use;
    modules_[run.value().id] = std::move(modules);
  }
  return run;
}

std::string MeasuredRuns::difference_of(core::Run& run) const {
  std::string told;
  for (const core::Run& other : runs_) {
    if (other.id == run.id) continue;
    const bool repeats = other.np == run.np && other.parameters == run.parameters;
    const auto builds = merge::compare_modules(modules_.at(run.id), modules_.at(other.id), other.id, repeats);
    if (!builds.refused.empty()) return builds.refused;
    if (told.empty()) told = builds.told;
  }
  if (!told.empty()) run.warnings.push_back(told);
  return "";
}

std::string MeasuredRuns::program() const {
  std::vector<const merge::RunModules*> modules;
  for (const core::Run& run : runs_) modules.push_back(&modules_.at(run.id));
  return core::program_behind(experiment_.executable, merge::common_program(modules));
}

std::string MeasuredRuns::rebuilt_file() const {
  for (const core::Run& run : runs_) {
    if (std::string path = merge::rebuilt_file(modules_.at(run.id)); !path.empty()) return path;
  }
  return "";
}

std::string MeasuredRuns::add(const core::RunEntry& entry) {
  is_other_build_ = false;
  auto merged = merge(entry);
  if (!merged) return merged.error().message;
  core::Run run = std::move(merged).value();
  if (!run.complete) return run.reason.empty() ? "its data are not complete" : run.reason;
  if (std::string difference = difference_of(run); !difference.empty()) {
    is_other_build_ = true;
    return difference;
  }
  const auto at = std::lower_bound(runs_.begin(), runs_.end(), run,
                                   [](const core::Run& a, const core::Run& b) { return order_of(a) < order_of(b); });
  if (at != runs_.end() && order_of(*at) == order_of(run)) {
    *at = std::move(run);
  } else {
    runs_.insert(at, std::move(run));
  }
  return "";
}

void MeasuredRuns::drop(const std::string& id) {
  std::erase_if(runs_, [&id](const core::Run& run) { return run.id == id; });
}

Status MeasuredRuns::settle_clock() {
  std::vector<merge::CoreUse> uses;
  for (const core::Run& run : runs_) uses.push_back(core_use_[run.id]);
  clock_ = merge::choose_clock(experiment_, uses);
  for (core::Run& run : runs_) {
    if (run.clock == clock_.clock) {
      run.clock_reason = clock_.reason;
      continue;
    }
    const auto entry = std::ranges::find_if(experiment_.runs, [&run](const core::RunEntry& e) {
      return core::run_id(e.configuration, e.repeat) == run.id;
    });
    if (entry == experiment_.runs.end()) continue;
    run = TRY(merge(*entry));
    [[maybe_unused]] const std::string belongs = difference_of(run);  // checked when the run was added
  }
  return Done{};
}

std::string MeasuredRuns::problem_of(const core::CountingPass& pass) {
  const auto counts = pass_counts_.of(pass);
  return counts ? "" : counts.error().message;
}

Status MeasuredRuns::save_profile() {
  core::Profile profile;
  profile.application = core::program_name(experiment_.executable, program());
  profile.command = experiment_.command;
  profile.parameter_names = experiment_.parameter_names;
  profile.scaling = experiment_.scaling;
  profile.runs = runs_;
  pass_counts_.attach(experiment_, profile.runs);
  counted_ = counters::has_counts(profile.runs);
  counters::derive_resources(profile, machine_ ? &*machine_ : nullptr);
  return core::write_profile(profile, folder_.profile_file());
}

std::vector<const core::Run*> MeasuredRuns::repeats_of(const core::Configuration& configuration) const {
  std::vector<const core::Run*> repeats;
  for (const core::Run& run : runs_) {
    if (run.np == configuration.np && run.parameters == configuration.parameters) repeats.push_back(&run);
  }
  core::leave_out_whole_runs(repeats);
  return repeats;
}

core::Stability MeasuredRuns::judge(const core::Configuration& configuration,
                                    const core::StabilityOptions& options) const {
  return core::judge_stability(repeats_of(configuration), options);
}

}  // namespace scalediag::launch
