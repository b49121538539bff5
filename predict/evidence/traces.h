// The traces of an experiment folder: recorded ones, and what they lead to at numbers of ranks that nobody ran.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/result.h"
#include "loggp/phases/scaled/scaled_trace.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/traces/trace_file.h"
#include "predict/evidence/remarks.h"
#include "predict/sources/lone_ranks.h"

namespace scalediag::predict {

// `path` itself if it holds traces; else the folder of the run of the experiment folder `path` that has `np` ranks (0:
// any) and the id `run` (empty: any), the first of its repeats. Errors: there is none (kInput); there are several that
// differ in their configuration (kUsage).
core::Result<std::string> find_trace_folder(const std::string& path, int np, const std::string& run);

// The traces of a folder, with the instructions that were counted for this run of an experiment. Remarks on ranks whose
// instructions belong to other events. Errors: as of loggp::read_traces() and loggp::take_instructions().
core::Result<std::vector<loggp::RankTrace>> read_recorded_traces(const std::string& path, Remarks& remarks);

// The traces of the other complete repeats of the run in the folder `run`, where they can be read; none where it is no
// run of an experiment.
std::vector<std::vector<loggp::RankTrace>> read_other_repeats(const std::string& run);

// Gives the computations in the `traces` of the folder `run`, which is a run of an experiment, the medians over all of
// its complete repeats that are traced (loggp/traces/median_traces.h). The number of ranks that have them.
int take_medians_of_repeats(const std::string& run, std::vector<loggp::RankTrace>& traces);

// The traces of each number of ranks of the experiment folder, rising, with the medians over its repeats; `leave_out`
// are numbers of ranks that are not used. Errors: runs of different inputs, and as find_trace_folder().
core::Result<std::vector<std::vector<loggp::RankTrace>>> read_scales(const std::string& path,
                                                                     const std::vector<int>& leave_out,
                                                                     Remarks& remarks, const LoneRanks& lone = {});

// A limit of the pairs that loggp::model_of() compares (loggp::pairs_to_compare()).
struct PairLimit {
  double most = std::numeric_limits<double>::infinity();
  std::string way_out{};  // ends the error: the command or option that has no limit
};
// For an answer within a minute, which extends traces several times, from other scales each time.
constexpr double kFewPairs = 25e6;

// The model of the experiment folder's traced runs, with the medians over the repeats of a number of ranks; `leave_out`
// are numbers of ranks that are not used, `target` the one that is asked for (0: loggp::default_target()). Errors: runs
// of different inputs; more pairs than the limit; and as find_trace_folder() and
// loggp::model_of().
core::Result<loggp::ScalingModel> read_scaling_model(const std::string& path, const std::vector<int>& leave_out,
                                                     int target, Remarks& remarks, const LoneRanks& lone = {},
                                                     const PairLimit& limit = {});

// The numbers of ranks of the experiment's complete runs that have traces, in its folder `path`.
std::set<int> traced_scales(const std::string& path, const core::Experiment& experiment);

// Whether the folder is an experiment that has traces, but none of a complete run with `np` ranks.
bool has_only_other_scales(const std::string& folder, int np);

// What a rank computes in the mean in every complete run with these numbers of ranks, the repeats of a number in their
// order, in seconds. A repeat whose trace cannot be used is left out. Errors: as of ExperimentFolder::load().
core::Result<std::map<int, std::vector<double>>> computation_of_runs(const std::string& path,
                                                                     const std::vector<int>& scales,
                                                                     const LoneRanks& lone = {});

std::string text_of(const loggp::Unmatched& messages);
// The command that records the number of ranks that says most. More of them mend what the measured ones leave open, and
// not a program most of whose events obey no equation.
std::string next_scale_hint(const loggp::ScalingModel& model, int np, const std::string& folder);
// The error that messages without a partner are where the traces are to be simulated; nothing: there are none but those
// that were left out.
std::optional<core::Error> unmatched_error(const loggp::ScaledTraces& traces, const std::string& folder);

}  // namespace scalediag::predict
