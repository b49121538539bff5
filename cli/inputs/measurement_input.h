// INPUT of `predict`, `models`, `report`, `check` and `export`: an experiment folder, a profile.json or a file in one
// of Extra-P's formats.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::cli {

struct MeasurementInput {
  std::string path;                                 // as given
  std::optional<core::Profile> profile;             // of an experiment folder or a profile.json
  std::optional<fit::MeasurementSet> measurements;  // of other files
  std::optional<core::Experiment> experiment = {};  // of an experiment folder
};

// Errors (kInput): `path` does not exist, is damaged, is none of the formats. Warnings tell which parts of a file were
// left out.
core::Result<MeasurementInput> load_measurement_input(const std::string& path);

}  // namespace scalediag::cli
