// A program at a target, each part from one source. It is made whole (predictor.h), and nothing of it is replaced
// afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fit/curves/model_facts.h"
#include "predict/sources/point_computation.h"
#include "predict/sources/replayed_computation.h"
#include "predict/sources/simulated_communication.h"
#include "predict/target.h"

namespace scalediag::predict {

using fit::Estimate;

// Knowledge, by the kind of evidence that it comes from, and its name in outputs.
enum class Source {
  kMeasured,     // the runs of the target itself
  kCurves,       // models of measured times and counts (fit)
  kCosts,        // calls and bytes of each operation, with what they cost on a network or cost where they were measured
  kScaledTrace,  // computation of the traces of smaller runs, scaled to the target
  kSimulation,   // a trace, simulated on the network
  kSimulatedScales,  // measured scales by simulation of their traces, extrapolated
  kReplay,           // ranks of the target that were replayed alone
  kOtherReplays,     // ranks of other numbers of processes that were replayed alone
  kPoints,           // runs of other inputs whose ranks execute as many instructions
  kSynth,            // messages of the target that few processes executed
};
constexpr std::array kSourceNames = {"measured",         "curves", "costs",         "scaled trace", "simulation",
                                     "simulated scales", "replay", "other replays", "points",       "synth"};
static_assert(kSourceNames.size() == static_cast<size_t>(Source::kSynth) + 1);
constexpr const char* name_of(Source source) { return kSourceNames[static_cast<size_t>(source)]; }

// What sources answer for.
enum class Component { kComputation, kCommunication, kWaiting };
const char* name_of(Component component);  // "computation", ...

struct Part {
  Estimate estimate;  // seconds of a rank, mean over ranks
  Source source = Source::kCurves;
  std::string why;  // the reason for that source, without a full stop; empty: there is no other one
};

// What a source says of a component, whether or not it is taken.
struct SourceLine {
  Component component = Component::kComputation;
  Source source = Source::kCurves;
  std::optional<Estimate> estimate;  // empty: it has no answer
  // (predicted - known) / known at the largest measured scale, predicted from the smaller ones; empty: cannot be made.
  std::optional<double> backtest;
  bool taken = false;
  std::string why;                     // why it is taken, not taken, or has no answer
  std::optional<double> known_s = {};  // what `backtest` is held against, at the largest measured scale
  // As `backtest`, at the second largest measured scale, where there are five or more.
  std::optional<double> backtest_before = {};
  double usual_error = 0;  // of the source's kind at the next scale, as a logarithm; 0: that of curves
};

// The sources of a component that are taken, "curves and scaled trace"; empty: none.
std::string taken_sources(const std::vector<SourceLine>& lines, Component component);

// Time that ranks wait, by its cause.
struct CauseOfWaiting {
  std::string cause;  // "pipeline", "late sender", "late receiver", "lock held", "imbalance", "collective"
  Estimate estimate;
};

// The causes of `waiting` as parts of it, in the proportion of `causes` and `imbalance`; the largest first.
std::vector<CauseOfWaiting> causes_of(const loggp::WaitingCauses& causes, double imbalance, const Estimate& waiting);
// The same of what was simulated.
std::vector<CauseOfWaiting> causes_of(const SimulatedCommunication& s);

// Two sources of a component that differ by more than their intervals allow.
struct Disagreement {
  Component component = Component::kComputation;
  Source taken = Source::kCurves, other = Source::kCurves;
  double taken_s = 0, other_s = 0;
};

struct Prediction {
  Target at;
  Part total;  // the run with its start and end
  Part run;    // between the end of MPI_Init and the start of MPI_Finalize: the sum of the next six
  Part computation, openmp_waiting, gpu, communication, waiting, unattributed;
  Part others;                 // starting and ending
  Part slowest_computation;    // of the rank that computes longest
  double function_factor = 1;  // by which functions are multiplied, to add up to `computation`
  std::string function_note;  // how a function's value then relates to its model: "1.2 times ..."; empty: it is its own
  double operation_factor = 1;  // the same of MPI operations and `communication`
  // What `communication` and `waiting` are simulated with; empty: operations cost what their calls and bytes do.
  std::optional<SimulatedCommunication> simulated;
  std::optional<ReplayedComputation> replayed;  // where `computation` is from there
  std::optional<PointComputation> points;       // the same
  std::vector<CauseOfWaiting> waiting_causes;   // the largest first; empty: not known
  std::vector<SourceLine> sources;              // by component, those taken first
  std::optional<Disagreement> disagreement;     // of computation, the largest, else of waiting
};

}  // namespace scalediag::predict
