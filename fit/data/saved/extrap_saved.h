// Extra-P's saved experiments (.extra-p): a zip archive with experiment.json,
//   {"Extra-P": "4.2.0", "parameters": ["p"], "measurements": {"main->solve": {"time": [
//     {"coordinate": [4], "median": 1.0, "mean": 1.1, "minimum": 0.9, "maximum": 1.5, "std": 0.2, "repetitions": 5},
//     ...]}}}
// The models that may be in it are not read, since scalediag makes its own.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::fit {

bool is_extrap_saved(std::string_view bytes);

// The least, the median and the largest of repeats are taken, which a note says; of equal ones the median. Errors
// (kInput), with the member and the place in it: no or a damaged experiment.json, one of more than 1 GiB; a field is
// missing or of another type; no measurement.
core::Result<MeasurementSet> read_extrap_saved(const std::string& bytes, const std::string& file);

// The set as such an archive. Extra-P makes models of it when it is asked to.
std::string extrap_saved(const MeasurementSet& set);

}  // namespace scalediag::fit
