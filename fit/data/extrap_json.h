// Extra-P's JSON formats, described at https://github.com/extra-p/extrap, docs/file-formats.md.
//
// The newer:
//   {"parameters": ["p", "n"],
//    "measurements": {"main->solve": {"time": [{"point": [4, 100], "values": [1.00, 1.02]}, ...]}}}
// The older, in which entries refer to one another by number, one value a measurement:
//   {"parameters": [{"id": 1, "name": "p"}], "metrics": [{"id": 1, "name": "time"}],
//    "callpaths": [{"id": 1, "name": "main"}],
//    "coordinates": [{"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 4}]}],
//    "measurements": [{"id": 1, "callpath_id": 1, "metric_id": 1, "coordinate_id": 1, "value": 1.0}]}
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::fit {

// True where a document looks like one of the two.
bool is_extrap_json(const nlohmann::json& document);

// `file` is the name in errors, which add the path inside the document. Errors (kInput): a field is missing or of
// another type, a point that does not fit the parameters, a reference to an entry that is missing, no measurement at
// all.
core::Result<MeasurementSet> read_extrap_json(const nlohmann::json& document, const std::string& file);

}  // namespace scalediag::fit
