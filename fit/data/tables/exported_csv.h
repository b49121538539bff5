// The CSV that `scalediag export` writes: a line a value, whose last columns are kernel, metric, repeat and value.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::fit {

// By its first line. A spreadsheet may have put other separators, quotes and decimal commas into the file.
bool is_exported_csv(std::string_view text);

// The measurements that were exported; the columns in front of `kernel` are the parameters. Precondition:
// is_exported_csv(). Errors (kInput): those of a table's rows; other last columns; a
// parameter or a value that is text, with its line. One that is missing is left out, with a warning.
core::Result<MeasurementSet> read_exported_csv(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
