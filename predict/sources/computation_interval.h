// The interval of the computation that a scaled trace has (loggp/phases/scaled/scaled_trace.h), which is a power of the
// number of ranks, event by event.
//
// What ranks computed at the measured scales is an application whose functions are the phases, and is predicted as one
// (fit/application/application.h): the interval of the sum of the phases and of the whole, from how such predictions
// missed the measured scales, what hypotheses disagree about, and how repeats differ.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/curves/model.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "predict/sources/point_computation.h"

namespace scalediag::predict {

struct MeasuredComputation {
  // Seconds of a rank, mean over ranks: by number of ranks of each complete run, the one that `phases` are of first.
  std::map<int, std::vector<double>> run_s;
  std::vector<loggp::PhaseComputation> phases;
};

// Seconds of computation of a rank, mean over ranks.
struct ScaledComputation {
  int ranks = 0;
  fit::Estimate mean_s;               // the value is that of the trace
  fit::Estimate predicted_s;          // as predicted from `scales`, of which the interval is
  bool is_outside = false;            // the trace's value lay outside of the interval, which was widened to hold it
  std::vector<int> scales;            // numbers of ranks that it is from
  std::optional<double> check_error;  // of the largest of them, predicted from the others; nothing: they are too few
  std::vector<std::string> points;    // runs of other inputs that phases are from
  std::vector<int> without_point;     // with `points`: phases with relevant instructions that are from none

  // Whether points say for all phases with relevant instructions whether data falls into a cache.
  bool knows_caches() const { return !points.empty() && without_point.empty(); }
};

// `trace_s`: of the scaled trace. `points`: where phases of it have the computation of measurable points. Error
// (kInput): as of fit::fit_application().
core::Result<ScaledComputation> scaled_computation(const MeasuredComputation& measured, int ranks, double trace_s,
                                                   const std::optional<PointComputation>& points = std::nullopt);

// "computation of a rank on 16: 12.3 ms in the mean, 90 % interval 10.1 - 15.2 ms, from 2, 4 and 8 ranks; ..."
std::string text_of(const ScaledComputation& computation);

}  // namespace scalediag::predict
