// Caliper's JSON in the form "json-split", which Hatchet and Thicket read:
//   {"data": [[0.5, 0, null], [2.5, 0, 1]], "columns": ["time", "rank", "path"],
//    "column_metadata": [{"is_value": true, "attribute.unit": "sec"}, {"is_value": true}, {"is_value": false}],
//    "nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}],
//    "jobsize": "27"}
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

bool is_caliper_json(std::string_view text);

// Errors (kInput), with the place in the document: no JSON; a list is missing; a row of another length than the
// columns; a node that is not there or its own ancestor; run_of_caliper().
core::Result<MeasuredRun> read_caliper_json(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
