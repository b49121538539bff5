// The experiment folder while `scalediag profile` works in it: it is opened or continued, with each run's state.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/store/folder_lock.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::launch {

// The hint for runs that do not belong to those of a folder.
constexpr char kBeginAgain[] = "choose another folder with -o, or begin again with --fresh";

// Adds files and nodes of new configurations. Records of older versions without any are completed from here on.
void extend_record(core::Experiment& experiment, const core::Experiment& wanted);

// The reasons why runs of `now` must not be beside those of `before`, each as "the launcher was A and is now B"; empty
// if they belong together. Process counts, parameter values, repeats and the clock may differ. Files and variables are
// compared only where both have them.
std::vector<std::string> differences(const core::Experiment& before, const core::Experiment& now);

// Removes what an experiment has written into its folder, and nothing else. experiment.json is removed last: as long as
// it exists the folder is known to be ours. Error (kEnvironment): a file cannot be removed.
Status remove_experiment(const core::ExperimentFolder& folder);

// The facts of a profile besides the data of its runs, where they can be had.
constexpr char kMachine[] = "machine", kNetwork[] = "network", kTraces[] = "traces", kReplays[] = "replays";

// True of a folder that has other things than an experiment, and no experiment; and the error (kInput) that says so.
bool is_foreign(const core::ExperimentFolder& folder);
Error foreign_folder(const std::string& path);

class ExperimentStore {
 public:
  // Creates the folder, or continues the existing one. With `fresh`, the files of an earlier `scalediag profile` are
  // removed first, and no others. Errors: the folder belongs to a different command line, holds other files, is damaged
  // or in use (kInput); it cannot be written (kEnvironment).
  static Result<ExperimentStore> open(const std::string& path, const core::Experiment& wanted, bool fresh);

  const core::ExperimentFolder& folder() const { return folder_; }
  core::Experiment& experiment() { return experiment_; }
  const core::Experiment& experiment() const { return experiment_; }
  bool continues() const { return continues_; }

  // The entry of this run, added if it is new. Invalidated by the next call.
  core::RunEntry& entry(const core::Configuration& configuration, int repeat);

  // The same for the pass of a configuration under valgrind.
  core::CountingPass& counting_pass(const core::Configuration& configuration);
  Status begin(core::CountingPass& pass);

  // Marks the run as running, on disk too, and gives it an empty folder.
  Status begin(core::RunEntry& entry);
  Status save() const;

  // The reason why one of them could not be had with the last runs, empty where there is none; and
  // records it, on disk too.
  std::string refusal(const std::string& what) const;
  Status note_refusal(const std::string& what, const std::string& reason);

  // Records Experiment::program as core::program_behind() gives it, with its fingerprint.
  void note_program(const std::string& program);
  // Records that the file changed during a run: it is not compared any more when the experiment is continued. True if
  // that is new.
  bool note_written(const std::string& path);

  // Whether the run has rank files.
  bool has_raw_files(const core::RunEntry& entry) const;

 private:
  Status begin(auto& attempt, const std::string& id);

  ExperimentStore(core::ExperimentFolder folder, FolderLock lock, core::Experiment experiment, bool continues)
      : folder_(std::move(folder)), lock_(std::move(lock)), experiment_(std::move(experiment)), continues_(continues) {}

  core::ExperimentFolder folder_;
  FolderLock lock_;
  core::Experiment experiment_;
  bool continues_ = false;
};

}  // namespace scalediag::launch
