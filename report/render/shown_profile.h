// A profile with the runs that it lacks, as `scalediag show` presents it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"

namespace scalediag::report {

// A requested run of which the profile has no complete data.
struct UnmeasuredRun {
  std::string id;
  core::Configuration configuration;
  int repeat = 0;
  std::string state;   // name_of(RunState), or "incomplete" for a run whose raw files turned out to be
  std::string reason;  // never empty
};

struct ShownProfile {
  std::string path;  // as given
  core::Profile profile;
  std::vector<UnmeasuredRun> unmeasured;  // in the experiment's order
  // The experiment; empty: `path` is a file.
  std::optional<core::Experiment> experiment = {};

  // The standard input of the runs; empty: none, or not known.
  std::string stdin_file() const { return experiment ? experiment->stdin_file : ""; }
};

}  // namespace scalediag::report
