// Programs whose ranks compute what replayed ranks did: each rank of a group what the replayed one that is closest to
// it did.
#pragma once

#include <optional>
#include <vector>

#include "core/result.h"
#include "loggp/phases/scaled/scaled_program.h"
#include "loggp/representatives/representatives.h"

namespace scalediag::loggp {

// The part of a run's computation that is from replays, and its errors.
struct ReplayedShare {
  size_t ranks = 0, replayed = 0;
  size_t repeats = 1;           // of the rank that was replayed least often
  double error = 0;             // the largest of a rank: standard error of the median sum, relative
  std::optional<double> apart;  // of the rank that is farthest from the one it is given, beyond noise, relative to a
                                // rank of its group; nothing: that is not known of some

  // Half the width of an interval, relative; nothing: not known.
  std::optional<double> uncertainty() const;
};
ReplayedShare replayed_share(const ReplayedRanks& replayed, const std::vector<StandIn>& stand_ins);

// Gives the traces of all ranks of a run, of which this is known, the computations of `replayed` ones: those that stand
// for each rank. Errors (kInput): as of model_of_run() and replayed_for(); a vector has not one computation for each
// event of a trace and one more, with its file's name.
Result<std::vector<StandIn>> set_replayed_computations(std::vector<RankTrace>& traces, const ReplayedRanks& replayed,
                                                       const KnownComputations& known);

// The program of scaled traces with the computations of `replayed` ones. Errors (kInput): as of replayed_for(), of
// ScaledProgram::of(), and of vectors as above.
Result<ScaledProgram> replayed_program(ScaledTraces traces, const ReplayedRanks& replayed);

}  // namespace scalediag::loggp
