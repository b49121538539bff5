// merge_raw FOLDER NP REPEATS: FOLDER/profile.json from the raw files of runs that no `scalediag profile` started.
#include <cstdio>
#include <cstdlib>

#include "collector/merge/merge.h"
#include "core/profile/profile_json.h"

int main(int argc, char** argv) {
  using namespace scalediag;
  if (argc != 4) return 2;
  const core::ExperimentFolder folder(argv[1]);
  core::Experiment experiment;
  experiment.executable = "known";
  for (int repeat = 0; repeat < std::atoi(argv[3]); ++repeat) {
    core::RunEntry entry;
    entry.configuration.np = std::atoi(argv[2]);
    entry.repeat = repeat;
    entry.state = core::RunState::kComplete;
    experiment.runs.push_back(entry);
  }
  const auto profile = merge::merge_experiment(folder, experiment, false);
  if (!profile) {
    std::fprintf(stderr, "error: %s\n", profile.error().message.c_str());
    return 1;
  }
  const core::Status written = core::write_profile(profile.value(), folder.profile_file());
  if (!written) std::fprintf(stderr, "error: %s\n", written.error().message.c_str());
  return written ? 0 : 1;
}
