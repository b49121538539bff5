// Files of measurements by other tools, told apart by content (measurement_formats.h has the formats).
#pragma once

#include <string>

#include "core/result.h"
#include "fit/data/measurement_formats.h"
#include "fit/data/measurement_set.h"

namespace scalediag::fit {

const char* name_of(FileKind kind);  // "profile.json", "Extra-P's text format", ...

// The kind by the file's content. Text that looks like no other format counts as the text format, whose reader then
// reports the errors in it.
FileKind kind_of(const std::string& text);

// Precondition: `kind` is not kProfile. A format of single runs gives the set of one run; the columns of a table are
// guessed (read_timing_table() takes a request, too). Errors (kInput): as in the readers of the formats.
core::Result<MeasurementSet> parse_measurements(const std::string& text, FileKind kind, const std::string& file);

}  // namespace scalediag::fit
