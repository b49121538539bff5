// Flat profiles of gprof (`gprof ./app gmon.out`), as its manual describes them.
//
// "cpu_time" of functions in seconds, without their callees, and their "calls"; the sum of the times is
// "total_cpu_time". gprof samples the CPU time of the program's own code, so that libraries, MPI among them, and
// waiting are not in it, which a note says. A graph of calls behind the profile is not read.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

bool is_gprof(std::string_view text);

// Errors (kInput), with the line: times that are not in seconds, a row that is none, no function.
core::Result<MeasuredRun> read_gprof(const std::string& text, const std::string& file);

}  // namespace scalediag::fit
