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
// is_exported_csv(). Errors (kInput): those of a table's rows; a parameter or a value that is no number, with its line.
core::Result<MeasurementSet> read_exported_csv(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
