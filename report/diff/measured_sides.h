// Tables and profiles of other tools as sides of a comparison: their times only, since counts are the same or are not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/profile/profile.h"
#include "core/result.h"
#include "fit/data/measurement_set.h"

namespace scalediag::report {

struct MeasuredSide {
  std::string path;  // as given
  const fit::MeasurementSet& set;
  std::string whole_program;  // the call path that stands for it; empty: none does
  bool in_seconds = false;    // false: nothing says the unit of its times
};

struct MeasuredSides {
  core::Profile a, b;       // a run for each repeat, a function for each call path with a time
  std::string processes;    // the name of the number of processes: Run::np
  bool has_totals = false;  // false: total_s of a run is its largest time, so that shares can be told
  std::vector<std::string> notes;
};

// Errors (kInput): other parameters or units on the two sides; a number of processes that is not whole; no time.
core::Result<MeasuredSides> measured_sides(const MeasuredSide& a, const MeasuredSide& b);

}  // namespace scalediag::report
