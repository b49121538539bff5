// The time of the whole run over the number of processes, and the number up to which more processes pay off.
//
//   speed-up(P)     run at the base / run at P, each between MPI_Init and MPI_Finalize
//   efficiency(P)   strong scaling: speed-up(P) x base / P;  weak scaling: speed-up(P)
//
// The ends of their intervals are those of the run's, exchanged: the value at the base is taken as exact.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "predict/predictor.h"
#include "report/point.h"
#include "report/scaling/scaling.h"

namespace scalediag::report {

// The time of a run by its parts, in seconds of a rank, mean over ranks; they add up to the run.
struct RunParts {
  double computation_s = 0;
  double openmp_waiting_s = 0;  // threads of a rank wait for one another
  double gpu_s = 0;             // in calls of GPUs' libraries
  double communication_s = 0;   // with waiting_s where that is not told apart: wall clock, without simulation
  double waiting_s = 0;         // for other ranks
  double unattributed_s = 0;    // in no function
};

// The run at one number of processes.
struct ScaleSample {
  Point at;
  std::vector<double> measured_s, measured_run_s;  // total and run, one value a repeat; empty: not measured there
  std::optional<double> measured_speedup, measured_efficiency;  // of the run's mean over the repeats
  Estimate total_s, run_s;                                      // of the model, at measured scales as well
  Estimate speedup, efficiency;
  RunParts parts;          // of the mean of measured_run_s, else of run_s
  bool simulated = false;  // run_s, by the trace that was recorded there
};

// The largest number of processes up to which efficiency stays at or above a bound: of measured scales as measured,
// beyond them as predicted. Between predictions that are more than the model, only those are looked at, so that other
// targets beside them do not change the answer at any.
struct SweetSpot {
  double bound = 0;
  double examined = 0;      // the largest number of processes that was tried
  bool measured = false;    // efficiency falls below the bound between measured scales: `processes` is the last above
  bool on_network = false;  // `measured`, on the network of the target: simulated or calculated
  // Empty: efficiency is still above the bound at `examined`.
  std::optional<double> processes;
  // The next number that was looked at, where efficiency is below the bound; empty: `processes` is exact, or empty.
  std::optional<double> below_at;
  // The same by the lower and the upper end of efficiency's interval.
  std::optional<double> at_least, at_most;
};

struct ScalingCurve {
  std::vector<ScaleSample> samples;  // by rising processes, at curve_points()
  SweetSpot sweet_spot;
};

// The bound where none is given: half of the processes' time is used.
constexpr double kEfficiencyBound = 0.5;

// The time in seconds at the smallest measured scale, for the problem that `at` has: as measured, else as predicted.
double base_run_s(const predict::Predictor& predictor, double base_processes, std::span<const double> at);

// The speed-up of a run that takes `run_s` over one of `base_s` seconds. Where the run may take next to nothing, the
// ideal speed-up bounds the interval. Precondition: run_s.value > 0.
Estimate speedup_over(double base_s, const Estimate& run_s, double ideal);

// The points of a curve by rising processes, the problem being that of `target`: all measured scales (some 200 of
// more), whether or not they lie beyond the target, the target, those of `further` that have no more processes, and
// where `with_doublings` doublings of the largest measured scale up to the target. `processes` is the index of the
// number of processes in a point.
std::vector<std::vector<double>> curve_points(const std::vector<double>& measured_scales,
                                              const std::vector<double>& target, size_t processes,
                                              const std::vector<std::vector<double>>& further, bool with_doublings);

// `points` as curve_points() gave them.
ScalingCurve scaling_curve(const predict::Predictor& predictor, Scaling scaling, double base_processes,
                           const std::vector<std::vector<double>>& points, double bound = kEfficiencyBound);

}  // namespace scalediag::report
