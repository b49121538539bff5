// Extra-P's JSON-lines format: an object a line, described at https://github.com/extra-p/extrap, docs/file-formats.md.
//
//   {"params": {"p": 4, "n": 100}, "callpath": "main->solve", "metric": "time", "value": [1.00, 1.02]}
//
// callpath and metric may be missing; value is a number or a list of repeats. NaN and Infinity (which Python writes
// although JSON does not have them) and null stand for missing values.
#pragma once

#include <string>

#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::fit {

// `file` is the name in errors, which add the line. Errors (kInput): a line that is not such an object, parameters
// other than those of the first line, no measurement at all.
core::Result<MeasurementSet> parse_extrap_jsonl(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
