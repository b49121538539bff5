// scalediag merge DIR: makes profile.json again from the raw files
#include "cli/commands/merge_command.h"

#include <algorithm>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/machine_option.h"
#include "cli/terminal_text.h"
#include "collector/counters/resource_metrics.h"
#include "collector/launch/host/machine_store.h"
#include "collector/launch/session/pass_counts.h"
#include "collector/launch/store/folder_lock.h"
#include "collector/merge/merge.h"
#include "core/experiment/experiment.h"
#include "core/experiment/output_file.h"
#include "core/profile/profile_json.h"
#include "core/text/shell_words.h"

namespace scalediag::cli {
namespace {

// Without a machine counts still give instructions and CPI, but a file that was named has to be valid.
Status add_resources(const MergeCommandOptions& options, const core::ExperimentFolder& folder,
                     const core::Experiment& experiment, core::Profile& profile) {
  const bool none = options.machine == launch::kNoMachine;
  if (none || (!counters::has_counts(profile.runs) && options.machine.empty())) {
    counters::derive_resources(profile, nullptr);
    return Done{};
  }
  const auto machine = launch::machine_of(folder, experiment, options.machine, notices());
  if (!machine && machine.error().code != ErrorCode::kEnvironment) return machine.error();
  if (!machine) warn("counts are not turned into memory times: " + machine.error().message, machine.error().hint);
  counters::derive_resources(profile, machine ? &machine.value() : nullptr);
  return Done{};
}

// The reason why `made` must not replace the profile of the folder; empty where it may. Values that were measured and
// can no longer be made from raw files would be lost.
std::string loss(const core::ExperimentFolder& folder, const core::Profile& made) {
  const auto is_complete = [](const core::Run& run) { return run.complete; };
  const auto before = core::read_profile(folder.profile_file());
  const bool had_some = before && std::any_of(before.value().runs.begin(), before.value().runs.end(), is_complete);
  if (made.runs.empty() || (had_some && std::ranges::none_of(made.runs, is_complete))) {
    return "no run of " + folder.path() + " is complete" +
           (had_some ? ": " + folder.profile_file() + " is left as it was" : "");
  }
  if (!before) return "";  // there is none that can be used
  for (const core::Run& run : before.value().runs) {
    const auto is_it = [&run](const core::Run& other) { return other.id == run.id && other.complete; };
    if (!run.complete || std::ranges::any_of(made.runs, is_it)) continue;
    return folder.profile_file() + " is left as it was: it has " + run.id +
           ", which cannot be made from raw files any more";
  }
  return "";
}

}  // namespace

Result<int> merge_folder(const MergeCommandOptions& options) {
  const core::ExperimentFolder folder(options.folder);
  auto experiment = folder.load();
  if (!experiment) {
    Error error = experiment.error();
    if (error.hint.empty()) {
      error.hint =
          "without experiment.json raw files cannot be merged; put a copy of it back, or measure again: "
          "scalediag profile --fresh -o " +
          core::quote_shell_word(options.folder) + " -n LIST -- APP";
    }
    return error;
  }
  TRY(launch::FolderLock::acquire(options.folder));
  const std::vector<std::string> read = {folder.experiment_file(),
                                         options.machine == launch::kNoMachine ? "" : options.machine};
  TRY(core::check_own_file(options.folder, folder.profile_file(), read));
  if (!options.clock.empty()) experiment.value().clock = options.clock;

  auto profile = TRY(merge::merge_experiment(folder, experiment.value(), options.resolve_inlined));
  merge::SymbolCache symbols;
  launch::PassCounts(folder, symbols, options.resolve_inlined).attach(experiment.value(), profile.runs);
  TRY(add_resources(options, folder, experiment.value(), profile));
  int n_incomplete = 0;
  for (const core::Run& run : profile.runs) {
    if (run.complete) continue;
    ++n_incomplete;
    warn(run.id + " is not complete: " + run.reason, "run scalediag profile again: it repeats what is not complete");
  }
  if (const std::string lost = loss(folder, profile); !lost.empty()) {
    return Error{ErrorCode::kInput, lost, core::kMeasureAgain, options.folder};
  }
  TRY(core::write_profile(profile, folder.profile_file()));
  const auto n_complete = static_cast<int>(profile.runs.size()) - n_incomplete;
  say("merged " + std::to_string(n_complete) + " complete " + (n_complete == 1 ? "run" : "runs") + " into " +
      folder.profile_file() + "\nnext: scalediag show " + core::quote_shell_word(options.folder) + "\n");
  return n_incomplete == 0 ? core::kExitSuccess : core::kExitUsage;
}

void add_merge_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<MergeCommandOptions>();
  CLI::App* command = app.add_subcommand("merge", "Make profile.json again from the raw files of an experiment folder");
  command->footer(
      "Examples:\n"
      "  scalediag merge app.scalediag\n"
      "  scalediag merge app.scalediag --clock cpu");
  command->add_option("DIR", options->folder, "Experiment folder")->required();
  command->add_option("--clock", options->clock, "What a second is (default: as profile was told)")
      ->check(CLI::IsMember({"auto", "cpu", "wall"}));
  add_machine_option(*command, options->machine);
  command->add_flag("--inline", options->resolve_inlined, "Show inlined functions by themselves");
  command->callback([options, &invocation] { invocation.exit_status = merge_folder(*options); });
}

}  // namespace scalediag::cli
