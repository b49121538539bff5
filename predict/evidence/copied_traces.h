// A number of ranks that was not run, of a program that equations do not explain: the largest recorded run that divides
// it, side by side. Every message has its partner in its own copy, so that a simulation runs to its end; collectives
// are of all ranks. Computation, bytes of messages and the main loop's iterations are series over the measured scales;
// messages and partners of a rank are those of the recorded run, which is too few where neighbours become more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/curves/model_facts.h"
#include "loggp/traces/trace_program.h"
#include "predict/evidence/remarks.h"
#include "predict/sources/computation_interval.h"
#include "predict/sources/lone_ranks.h"

namespace scalediag::predict {

struct CopiedTraces {
  loggp::TraceProgram program;
  int recorded = 0, copies = 1;
  core::Error why;  // that equations lead to; without a message: they were not tried
  ScaledComputation computation;
  double messages = 0;          // that a rank sends in the recorded run, in the mean
  fit::Estimate more_messages;  // that it would send by their series
  fit::Estimate bytes;          // of a rank's messages, by their series, which those of the program have
  // Of the main loop, by their series, or as they were stated; nothing: they are the same at all scales.
  std::optional<fit::Estimate> iterations;
  // The recorded run, and the same made of the smaller ones by copies, with as much computation: how far off copies
  // are. Nothing: no smaller run divides it.
  std::optional<loggp::TraceProgram> as_recorded, as_copied;
};

// `iterations`: of the main loop; 0: by their series. Errors (kInput): no recorded number of ranks divides `ranks`,
// `iterations` where no rank has such a loop; as of read_scales() and TraceProgram::of().
core::Result<CopiedTraces> copied_traces(const std::string& folder, int ranks, double iterations, Remarks& remarks,
                                         const LoneRanks& lone);

// The simulated total with the error of copies, of which the check (`as_recorded`) came out wrong by `missed`,
// relative. Precondition: there is a check.
fit::Estimate widened_by_copies(const fit::Estimate& total_s, const CopiedTraces& copied, double missed);

// Sentences: what the program is made of, and why; the one that matters most comes first.
std::vector<std::string> text_of(const CopiedTraces& copied);

}  // namespace scalediag::predict
