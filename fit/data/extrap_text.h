// Extra-P's text format: sections PARAMETER, POINTS, METRIC, REGION and DATA, one a line.
//
//   PARAMETER p n
//   POINTS (4 100) (8 100) (4 200) (8 200)     parentheses may be left out with a single parameter
//   REGION main->solve
//   METRIC time                                optional; holds until the next METRIC
//   DATA 1.00 1.02 1.01                        repeats; one DATA line a point, in the order of POINTS
//
// Lines that begin with '#' are comments. Described at https://github.com/extra-p/extrap, docs/file-formats.md.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::fit {

// The first line with content begins with one of the sections.
bool is_extrap_text(std::string_view text);

// `file` is the name in errors, which add the line. Errors (kInput): an unknown section, text where a number is
// expected, points that do not fit the parameters, DATA lines that do not fit the points, no data at all.
core::Result<MeasurementSet> parse_extrap_text(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
