// INPUT of `scalediag show`: an experiment folder or a profile.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiment.h"
#include "core/profile.h"
#include "core/result.h"

namespace scalediag::cli {

// A requested run of which the profile has no complete data.
struct UnmeasuredRun {
  std::string id;
  core::Configuration configuration;
  int repeat = 0;
  std::string state;   // name_of(RunState), or "incomplete" for a run whose raw files turned out to be
  std::string reason;  // never empty
};

struct ShowInput {
  std::string path;  // as given
  core::Profile profile;
  std::vector<UnmeasuredRun> unmeasured;  // in the experiment's order
  // The experiment; empty: `path` is a file.
  std::optional<core::Experiment> experiment = {};

  // The standard input of the runs; empty: none, or not known.
  std::string stdin_file() const { return experiment ? experiment->stdin_file : ""; }
};

// Errors (kInput): `path` does not exist, is neither, is damaged; the experiment has no run, no complete run, or is not
// merged yet.
core::Result<ShowInput> load_show_input(const std::string& path);

// Keeps only the run `id`. Errors (kUsage): no such run (the hint names those that exist); it was not measured.
core::Status select_run(ShowInput& input, const std::string& id);

}  // namespace scalediag::cli
