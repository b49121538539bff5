// Measurements in formats that other programs read.
#pragma once

#include <cstddef>
#include <string>

#include "core/profile/profile.h"
#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::report {

// All of a profile: each metric of each kernel (mean over ranks), and of each MPI operation its time (mean over ranks),
// calls and bytes (sums over ranks); complete runs only, one value a repeat. Times and counts that a run measured of other
// functions or operations are 0 for those that it did not see. Parameters: np, then the declared ones.
// Kernels that share a name are told apart by module, file and line.
fit::MeasurementSet measurements_of(const core::Profile& profile);

// The number of series that lack some of the configurations: Extra-P refuses JSON lines and texts that have any, and opens a
// saved experiment.
size_t incomplete_series(const fit::MeasurementSet& set);

// Extra-P's JSON-lines format. "->" in a kernel's name, which would separate the frames of a call path there, is kept
// for call paths and written as "-»" in C++ operators.
std::string extrap_jsonl(const fit::MeasurementSet& set);

// Extra-P's text format, with the points in rising order and an empty line of DATA where a series has no value.
std::string extrap_text(const fit::MeasurementSet& set);

// One line a value: the parameters, kernel, metric, repeat, value. Texts in quotes where they need them (RFC 4180),
// with an apostrophe before those that a spreadsheet would take for a formula, and U+FFFD for characters that may not
// be shown. Repeats are numbered from 0 among the values that a metric has at a point: where a run lacks it, equal
// numbers of two metrics are not the same run.
std::string csv(const fit::MeasurementSet& set);

}  // namespace scalediag::report
