// Runs of one program at several scales, put together into the series of an experiment.
#pragma once

#include <vector>

#include "core/result.h"
#include "fit/data/measurement_set.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::fit {

// The parameters are, in this order: the number of processes that the files tell ("np"), but where a name has it; those
// in the names of folders or files (name_parameters.h) that vary; numbers of the metadata that vary with repeats or
// independently of the former. Runs with equal parameters are repeats of one another;
// observations are in rising order. The set's origin and notes name all of this.
// Errors (kInput): nothing tells the runs apart; names with other parameters than those before; a number of processes
// that only some files have; no values.
core::Result<MeasurementSet> set_of_runs(std::vector<MeasuredRun> runs);

// The same runs with their place in the list as the one parameter, "run", for tables of what was read.
MeasurementSet numbered_runs(const std::vector<MeasuredRun>& runs);

}  // namespace scalediag::fit
