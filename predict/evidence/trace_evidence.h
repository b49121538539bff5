// The traces of an experiment folder as programs to simulate: those of measured scales as they were recorded, those of
// other scales from all of them, or from the smaller ones.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/simulator/program.h"
#include "predict/evidence/remarks.h"
#include "predict/evidence/traces.h"
#include "predict/sources/computation_interval.h"
#include "predict/sources/lone_ranks.h"
#include "predict/sources/simulated_communication.h"

namespace scalediag::predict {

struct TracedProgram {
  std::shared_ptr<const loggp::Program> program;
  double computation_s = 0;  // of a rank, mean over ranks
  double events = 0;         // of all ranks; a scaled trace's are taken to be as many a rank as at the largest scale
  // Of a scaled trace: how much of each operation is known, and the interval of its computation if it has one.
  std::optional<std::map<std::string, CertaintyShares>> certainty;
  std::optional<ScaledComputation> interval;
  std::map<std::string, OperationCounts> counts;

  SimulatedProgram to_simulate() const { return {*program, certainty, counts}; }
};

class TraceEvidence {
 public:
  virtual ~TraceEvidence() = default;

  virtual const std::vector<int>& scales() const = 0;  // of complete runs, rising
  // Events of all ranks of a run with `ranks`, as many a rank as at the largest scale.
  virtual double events_at(int ranks) const = 0;
  // The run of a measured scale. Errors: as of loggp::read_traces() and TraceProgram::of().
  virtual core::Result<TracedProgram> recorded(int ranks) const = 0;
  // From all scales below `ranks` and at most `up_to`. Errors (kInput): fewer than two scales; messages without a
  // partner; as of read_scaling_model() and ScaledProgram::of(), with a hint.
  virtual core::Result<TracedProgram> scaled(int ranks, int up_to) const = 0;
};

// With the computations of ranks alone, where `lone` tells; scaled within the limit. Null: the folder is no experiment
// with traces, or holds runs of several inputs.
std::shared_ptr<const TraceEvidence> traces_of(const std::string& folder, const LoneRanks& lone = {},
                                               const PairLimit& limit = {});

}  // namespace scalediag::predict
