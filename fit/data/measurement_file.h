// Files of measurements by other tools: Extra-P's text, JSON and JSON-lines formats and tables of timings, told apart by
// content.
#pragma once

#include <string>

#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::fit {

// The kind of a file that was given as INPUT.
enum class FileKind { kProfile, kExtrapText, kExtrapJson, kExtrapJsonLines, kTable };
const char* name_of(FileKind kind);  // "profile.json", "Extra-P's text format", ...

// The kind by the first bytes and lines only. Text that looks like no other format counts as the text format, whose
// reader then reports the errors in it.
FileKind kind_of(const std::string& text);

// Precondition: `kind` is not kProfile. Of a table the columns are guessed (read_timing_table() takes a request, too). Errors (kInput) as in the readers of the formats.
core::Result<MeasurementSet> parse_measurements(const std::string& text, FileKind kind, const std::string& file);

}  // namespace scalediag::fit
