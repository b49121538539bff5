// INPUT of `predict`, `models`, `report`, `check` and `export`: an experiment folder, a profile.json, a file in one of
// Extra-P's formats, a table of timings, or profiles of other tools (run_files.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "core/result.h"
#include "fit/application/application_data.h"
#include "fit/data/measurement_set.h"
#include "predict/sources/lone_ranks.h"
#include "report/rules/rule_value.h"

namespace scalediag::cli {

struct MeasurementInput {
  std::string path;                                 // as given
  std::optional<core::Profile> profile;             // of an experiment folder or a profile.json
  std::optional<fit::MeasurementSet> measurements;  // of other files
  std::optional<core::Experiment> experiment = {};  // of an experiment folder
  // Set by choose_region(), which puts a region's times into `profile`: its name, and the whole program's profile.
  std::string region = {};
  std::optional<core::Profile> program = {};
  std::optional<report::TableNames> table = {};  // of a table of timings: what rules have to know of it
  bool by_call_path = false;                     // the profile's call paths are modelled
  predict::LoneRanks lone = {};
};

// Errors (kInput): `path` does not exist, is damaged, is none of the formats; kUsage: `columns`, the values of
// --columns, are given for anything but a table, or do not fit it. Warnings say which parts of a file were left out.
// `aloud` echoes a table on stderr with the meaning that each column was given. `more` are further files of the same
// experiment.
Result<MeasurementInput> load_measurement_input(const std::string& path, const std::vector<std::string>& more = {},
                                                const std::vector<std::string>& columns = {}, bool aloud = true);

// Whether `path` is a file or folder of measurements by other tools, and not of scalediag.
bool holds_measurements(const std::string& path);

// The same for tables of what was read: runs that no parameter tells apart are numbered.
Result<MeasurementInput> load_shown_measurements(const std::string& path, const std::vector<std::string>& more);

// The data that models are made of, the same for a profile and for a file; of a whole program with the times that its
// ranks take alone. Errors (kInput): as application_data();
// nothing that could be modelled.
Result<fit::ApplicationData> data_of(const MeasurementInput& input);

// Puts the times of a region in place of the program's. An empty `region` changes nothing. Errors (kInput): no profile,
// which alone has regions; those of core::profile_of_region().
Status choose_region(MeasurementInput& input, const std::string& region);

// Puts each call site of MPI operations in place of the operation. Error (kInput): no profile, or one of a version that
// did not tell sites.
Status choose_call_sites(MeasurementInput& input);

// Models call paths in place of the program. Error (kInput): no profile, or one without call paths.
Status choose_call_paths(MeasurementInput& input);

// Every series that was measured, for lists of them. Warnings tell what a profile does not give.
fit::MeasurementSet series_of(const MeasurementInput& input);

}  // namespace scalediag::cli
