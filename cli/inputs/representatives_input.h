// The ranks of a run that stand for others, for `scalediag groups` and for recording only these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/representatives/computation_vector.h"
#include "loggp/representatives/representatives.h"

namespace scalediag::cli {

struct RepresentativesSource {
  std::string path;         // an experiment folder, or one with traces
  int np = 0;               // number of ranks, recorded or larger than all recorded ones; 0: the only one
  std::string computation;  // "replay:DIR": computations are those of replayed ranks; empty: the recorded ones
  std::optional<double> similarity;
};

struct RepresentedRun {
  std::string program;
  bool is_scaled = false;  // the groups are those of smaller runs, scaled
  loggp::Representatives representatives;
};

// Errors: as of find_trace_folder(), loggp::model_of_run(), read_scaled_traces() and read_replayed(); (kInput) a
// similarity is asked for, and of no group the computations of all ranks are known in their order.
core::Result<RepresentedRun> read_representatives(const RepresentativesSource& source);

// For each of `np` ranks the replayed one whose computations it is given (loggp::replayed_for()), by the traces of
// `path`. Errors: as above but for similarity; a group of which no rank was replayed (kInput).
core::Result<std::vector<int>> read_stand_ins(const std::string& path, int np, const loggp::ReplayedRanks& replayed);

// The vectors in the DIR of "replay:DIR"; none where `computation` is empty. Errors: it is something else (kUsage); as
// of loggp::read_replayed_ranks().
core::Result<loggp::ReplayedRanks> read_replayed(const std::string& computation);
// Checks that the ranks replayed in it (nothing is checked where it is empty) are of the program and the arguments
// whose traces are in `folder`, as program_of_traces() takes them. Error (kInput): they are not. Warns of other doubts.
core::Status check_replayed_program(const std::string& name, const std::string& folder, int np,
                                    const std::string& computation);
// This DIR; empty where `computation` is something else.
std::string replayed_folder(const std::string& computation);

}  // namespace scalediag::cli
