// Profiles in Cube's format (.cubex), which Score-P and Scalasca write: a tar archive with anchor.xml, which may be
// compressed, and two members a metric. N.index has the rows that there are, N.data their values, a row a call path and
// in it one value a location. Described by Cube's developers in "Cube 4: CubeLib developer guide"; the members' layout
// as pycubexr reads it.
//
// Values of a rank, from its threads: times (unit sec) are the mean of the threads that were there, counts are summed,
// minima and maxima are those of all. Values of the run are means over ranks; minima and maxima again those of all.
// Inclusive metrics lose what is in their callees.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

// True for a tar archive that has a member anchor.xml.
bool is_cube(std::string_view bytes);

// Notes name metrics that are left out: those that Cube computes from others, and of types that are not numbers.
// Errors (kInput), with the member: the archive or a member is damaged; anchor.xml as in parse_cube_anchor(); rows
// beyond the call tree; a number of values that does not fit; more than 2^26 values of a metric and rank.
core::Result<MeasuredRun> read_cube(const std::string& bytes, const std::string& file);

}  // namespace scalediag::fit
