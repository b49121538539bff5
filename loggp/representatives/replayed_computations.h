// Programs whose ranks compute what replayed ranks did: each rank of a group what the replayed one that is closest to
// it did.
#pragma once

#include <vector>

#include "core/result.h"
#include "loggp/phases/scaled/scaled_program.h"
#include "loggp/representatives/computation_vector.h"

namespace scalediag::loggp {

// Gives the traces of all ranks of a run the computations of `replayed` ones. Errors (kInput): as of model_of_run()
// and replayed_for(); a vector has not one computation for each event of a trace and one more, with its file's name.
core::Status set_replayed_computations(std::vector<RankTrace>& traces, const ReplayedRanks& replayed);

// The program of scaled traces with the computations of `replayed` ones. Errors (kInput): as of replayed_for(), of
// ScaledProgram::of(), and of vectors as above.
core::Result<ScaledProgram> replayed_program(ScaledTraces traces, const ReplayedRanks& replayed);

}  // namespace scalediag::loggp
