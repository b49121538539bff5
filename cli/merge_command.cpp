// scalediag merge DIR: profile.json once more from the raw files
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/folder_lock.h"
#include "cli/shell_words.h"
#include "collector/merge/merge.h"

namespace scalediag::cli {
namespace {

struct MergeCommandOptions {
  std::string folder;
  std::string clock;
  bool resolve_inlined = false;
};

int merge_folder(const MergeCommandOptions& options) {
  const core::ExperimentFolder folder(options.folder);
  auto experiment = folder.load();
  if (!experiment) return report(experiment.error());
  const auto lock = FolderLock::acquire(options.folder);
  if (!lock) return report(lock.error());
  if (!options.clock.empty()) experiment.value().clock = options.clock;

  const auto profile = merge::merge_experiment(folder, experiment.value(), options.resolve_inlined);
  if (!profile) return report(profile.error());
  if (auto written = core::write_profile(profile.value(), folder.profile_file()); !written) {
    return report(written.error());
  }
  int n_incomplete = 0;
  for (const core::Run& run : profile.value().runs) {
    if (run.complete) continue;
    ++n_incomplete;
    warn(run.id + " is not complete: " + run.reason, "run scalediag profile again: it repeats what is not complete");
  }
  const auto n_complete = static_cast<int>(profile.value().runs.size()) - n_incomplete;
  std::fprintf(stderr, "merged %d complete %s into %s\nnext: scalediag show %s\n", n_complete,
               n_complete == 1 ? "run" : "runs", folder.profile_file().c_str(),
               quote_shell_word(options.folder).c_str());
  return n_incomplete == 0 ? kExitSuccess : kExitUsage;
}

}  // namespace

void add_merge_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<MergeCommandOptions>();
  CLI::App* command = app.add_subcommand("merge", "Make profile.json again from the raw files of an experiment folder");
  command->add_option("DIR", options->folder, "Experiment folder")->required();
  command->add_option("--clock", options->clock, "What a second is (default: as profile was told)")
      ->check(CLI::IsMember({"auto", "cpu", "wall"}));
  command->add_flag("--inline", options->resolve_inlined, "Show inlined functions by themselves");
  command->callback([options, &invocation] { invocation.exit_status = merge_folder(*options); });
}

}  // namespace scalediag::cli
