// Statements about a program at scales that nobody ran, as pure data that every renderer reads. Times are in seconds,
// sizes in bytes; other metrics in the data's own unit.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/device_efficiencies.h"
#include "fit/application/kernel_model.h"
#include "predict/improve/improvement.h"
#include "predict/prediction.h"
#include "report/findings/cause.h"
#include "report/findings/evidence.h"
#include "report/findings/phase_findings.h"
#include "report/findings/places/call_tree.h"
#include "report/findings/places/region_findings.h"
#include "report/findings/provenance.h"
#include "report/findings/traffic.h"
#include "report/findings/trust.h"
#include "report/point.h"
#include "report/scaling/scaling.h"
#include "report/scaling/scaling_curve.h"
#include "report/scaling/scaling_kind.h"

namespace scalediag::report {

// A place that calls an MPI operation, at the largest measured number of processes.
struct CallSiteShare {
  std::string site;  // core::site_text()
  double share = 0;  // of the operation's elapsed time, which is that of all threads and ranks; 0 to 1
  double calls = 0;  // over all ranks
  double bytes = 0;
};

// One kernel and metric at one target.
struct KernelFinding {
  size_t id = 0;  // the same at every target
  std::string name;
  std::string module;
  std::string file;
  int line = 0;
  fit::KernelKind kind = fit::KernelKind::kFunction;
  int pooled = 0;      // the number of kernels with few samples whose sum it is; 0: it is one itself
  std::string metric;  // "time_s", of devices "device_s"; the data's own name for data in Extra-P's formats
  // 1: the largest of its metric by of_slowest(), at the target; empty where TargetFindings::is_unchecked.
  std::optional<int> rank;
  std::optional<int> rank_measured;        // the same at the largest measured scale; empty if it was not measured there
  std::optional<double> measured;          // at the largest measured scale, mean over ranks
  std::optional<double> measured_slowest;  // at the largest measured scale, of the slowest rank
  Estimate estimate;                       // per rank, mean over ranks
  double share = 0;  // of_slowest() / the predicted run, without start and end; on devices / all that they do
  std::optional<Estimate> slowest;  // of the slowest rank, where imbalance shows
  // The slowest rank's name: "rank 0", "the last rank"; empty where all ranks are alike or it differs from run to run.
  std::string slowest_rank;
  std::string formula;
  // The weight in the value of the hypothesis that the formula shows (1: the formula gives the value); see
  // report.schema.json.
  double formula_weight = 1;
  std::string formula_note;  // the relation of the value to its formula; empty where the formula gives it
  std::string cost;          // how a network's cost is calculated: the algorithm of a collective
  fit::Method method = fit::Method::kTime;
  std::optional<double> backtest_error;  // (predicted - measured) / measured at the largest measured scale
  // Whether it goes on scaling up to the target; empty where the data do not decide it.
  std::optional<bool> scales;
  std::optional<double>
      exponent;       // d log(metric) / d log(processes), between the largest measured scale and the target
  double chance = 0;  // ScalingVerdict::chance
  std::optional<double> stops_at;       // processes from which it does not scale; set where scales is false
  Cause cause = Cause::kNone;           // kNone where it scales or is not known
  std::optional<double> work_exponent;  // of growing work: that of the processes by which a rank's work grows
  std::string evidence;                 // one sentence: the reason for the cause
  bool matters = false;                 // at least 2 % of the predicted run
  // "calls" and "bytes" summed over ranks; of functions those of core::kCounterMetrics and core::kResourceMetrics that
  // were modelled, per rank.
  std::map<std::string, Estimate> metrics;
  std::vector<CallSiteShare> call_sites;    // of MPI operations, by falling share; empty where they are not known
  std::vector<std::string> resource_notes;  // remarks that a reader of these has to know, as in core::Kernel
};

// What devices do while the run goes by: no part of it, and ranked by itself.
inline bool overlaps_run(const KernelFinding& kernel) { return kernel.kind == fit::KernelKind::kDevice; }
// The time that determines the length of a run: the slowest rank's, where imbalance shows.
inline const Estimate& of_slowest(const KernelFinding& kernel) {
  return kernel.slowest ? *kernel.slowest : kernel.estimate;
}
// The place of a kernel in a list of its metric: its rank, else the one at the largest measured scale, else last.
int place_of(const KernelFinding& kernel);
// Its rank for people: "3", "?".
std::string place_text(const KernelFinding& kernel);
// The cause for people, with the rank where it is a single one: "serial part, rank 0 alone"; empty for Cause::kNone.
std::string cause_text(const KernelFinding& kernel);

// BF_comm at one scale; nothing where there is no communication.
struct BlockingFactors {
  // (run - computation) / T_comm, T_comm by the forms of Ding et al. fitted to what was measured; 1 by definition with
  // the CPU clock, which cannot measure waiting; empty where ApplicationModel::blocking_factor_of_source() is.
  std::optional<double> of_source;
  // Communication that was measured / what the network says that it takes; nothing without a network.
  std::optional<double> of_network;
};

// Parallel efficiencies as the POP project defines them, each 1 when nothing is lost. They are those of the run between
// the end of MPI_Init and the start of MPI_Finalize: TargetFindings::others_s is no part of it.
struct Efficiencies {
  Point at;
  bool predicted = false;
  bool simulated = false;                               // by the simulation of its trace
  std::vector<predict::CauseOfWaiting> waiting_causes;  // of what was simulated
  // Mean / slowest rank's computation. Ranks whose inequality sampling alone may have made count as equal
  // (fit/application/application_data.h).
  double load_balance = 1;
  // The efficiency where threads of a rank wait for one another: computation / (computation + waiting), CPU time of all
  // threads.
  std::optional<double> thread_efficiency;
  // In runs that called GPUs' libraries, as TALP of DLB defines it: what the host computes, its threads' waiting for
  // one another included, over that and its time in these calls. Time in them counts as work in the efficiencies around
  // it, since the device works meanwhile, or the host for it.
  std::optional<double> offload_efficiency;
  std::optional<core::DeviceEfficiencies> devices;  // where their times are known
  double communication_efficiency = 1;              // slowest rank's computation and waiting for threads / run
  double parallel_efficiency = 1;                   // product of these: mean computation / run
  std::optional<double> computation_scalability;    // computation of all ranks at the base / here (weak: per rank)
  std::optional<double> instruction_scalability;    // the same ratio of instructions
  std::optional<double> ipc_scalability;            // the remaining factor: instructions a second, here / at the base
  BlockingFactors blocking;
};

// The peak of resident memory. A node's is that of its ranks together.
struct MemoryEstimate {
  Estimate rank_bytes;  // of the mean rank
  Estimate most_bytes;  // of the rank that needs most
  std::optional<Estimate> node_bytes;
};

// The number of processes at which a node's memory no longer suffices.
struct MemoryLimit {
  double node_bytes = 0;
  int ranks_per_node = 0;
  // Empty: not up to `searched_to` processes. By the value, and by the upper and the lower end of the interval: the
  // limit lies between the last two with the interval's probability.
  std::optional<double> exceeded_at, exceeded_from, exceeded_surely_at;
  double searched_to = 0;
};

struct TargetFindings {
  Point at;
  // The times of an application; empty for data in Extra-P's formats, whose call paths may contain one another.
  std::optional<Estimate> run_s;  // between the end of MPI_Init and the start of MPI_Finalize: the next four
  std::optional<Estimate> computation_s, communication_s, waiting_s, unattributed_s;
  std::optional<Estimate> gpu_s;                // in calls of GPUs' libraries, waiting for devices; the same
  std::optional<Estimate> openmp_waiting_s;     // waiting of a rank's threads for one another; part of the run too
  std::optional<Estimate> others_s;             // starting and ending
  std::optional<Estimate> total_s;              // the run with its start and end
  std::optional<double> speedup, efficiency;    // of the run, over the base
  std::optional<Estimate> efficiency_interval;  // of `efficiency`, by the run's interval; the base counts as exact
  std::optional<double> efficiency_strong, efficiency_weak;  // if scaling is of that kind
  std::optional<double> beyond;                              // target processes / largest measured processes
  // Of an application: where its parts are from (predict/prediction.h).
  std::optional<predict::SimulatedCommunication> simulated;
  std::optional<predict::ReplayedComputation> replayed;
  std::optional<predict::PointComputation> points;
  std::vector<predict::SourceLine> sources;
  std::vector<predict::CauseOfWaiting> waiting_causes;
  std::optional<predict::Disagreement> disagreement;
  std::optional<MemoryEstimate> memory;  // empty where it was not measured
  // Beyond what two scales tell (lies_beyond_two_scales()): kernels are neither ranked nor judged there, and listed as
  // they were at the largest measured scale.
  bool is_unchecked = false;
  Trust trust;                         // in this target; findings.trust is that of the farthest one
  std::vector<KernelFinding> kernels;  // those of the run first; by metric, then rank
};

struct BacktestFindings {
  bool possible = false;
  bool all_values_zero = false;               // why a backtest is impossible although there are scales enough
  std::string parameter;                      // "np"
  double scale = 0;                           // the largest measured scale, which was predicted from `from`
  std::vector<double> from;                   // the scales that the prediction was made from
  std::optional<double> measured, predicted;  // the run; see Findings::totals_modelled
  std::optional<double> error;                // (predicted - measured) / measured
  std::optional<double> computation_error;
  bool inside = false;             // the measured run lies in the interval that was predicted
  double median_kernel_error = 0;  // over the kernels that matter and whose time was measured
  int kernels = 0;                 // the number of these kernels; 0: there is no such error
};

// Time that CPU time does not hold, at a measured configuration; it is in no total and no prediction.
struct LeftOut {
  Point at;
  double run_s = 0;       // CPU time of a rank there
  double asleep_s = 0;    // outside MPI ranks slept, or waited for files or other processes
  double children_s = 0;  // CPU time of processes that they started
};

// A run that would make the predictions of whole runs more certain.
struct FurtherRun {
  Point at;
  std::string reason;
};

struct Findings {
  std::string input;
  std::string application;  // empty for data in Extra-P's formats
  std::vector<std::string> command;
  std::string region;        // what is predicted instead of the run; empty: the run
  std::string clock;         // "cpu", "wall"; empty for data in Extra-P's formats
  std::string clock_reason;  // the reason for that clock; empty: not known
  // Whether totals, times of MPI operations and values made of them are modelled from the runs at measured scales
  // rather than measured there, as with the CPU clock (fit/application/application_data.h).
  bool totals_modelled = false;
  std::optional<MemoryLimit> memory_limit;  // where a node's memory was given; the other parameters of the first target
  std::optional<LeftOut> left_out;          // with the CPU clock, where it is a tenth of a rank's time or more
  std::string counters;                     // "clock": time only
  std::string counters_reason;              // the reason for that source
  std::string communication;                // the origin of its cost
  std::optional<double> lone_factor;        // fit::ApplicationFacts::lone_factor
  std::vector<Point> shared_cores;          // of `measured`, with the CPU clock: where ranks took turns on their cores
  std::string machine;                      // the processor that was measured on; empty: not known
  std::string network;                      // as the user named it; empty: none was named
  bool on_own_network = false;              // messages are simulated on that of the experiment's folder
  bool emulated = false;                    // the runs, on that network
  bool on_given_network = false;            // calculated on another network than the one that was measured on
  BlockingFactors blocking;                 // at blocking_at, the first target
  Point blocking_at;
  std::string processes;  // the parameter that is the number of processes
  std::vector<Point> measured;
  // With the CPU clock: the run and the whole at each of `measured`, where waiting is simulated there or a network
  // given. Empty: they are those that the profile gives.
  struct MeasuredTotals {
    Estimate run_s, total_s, others_s;
    bool simulated = false;
  };
  std::vector<MeasuredTotals> measured_totals;
  Scaling scaling = Scaling::kUnknown;
  ScalingSource scaling_source = ScalingSource::kNone;
  std::string scaling_reason;         // the sentence that justifies `scaling`
  std::string scaling_contradiction;  // a contrary indication; empty: there is none
  bool scaling_is_open = false;       // it may be of the other kind: efficiencies of both are given
  Point base;  // the processes that speed-up and efficiency refer to; other parameters are those of the target
  BacktestFindings backtest;
  Trust trust;
  // Of weak scaling: the largest efficiency at a measured scale, where that is above 1 by more than noise. 0: none is.
  double above_ideal = 0;
  std::vector<TargetFindings> targets;
  std::vector<Efficiencies> efficiencies;  // measured, then predicted
  std::optional<FurtherRun> next_run;      // empty: no run would help
  std::vector<std::string> notes;

  std::optional<ScalingCurve> curve;  // of an application whose kind of scaling is known

  // Parts of a report beyond a prediction; empty unless asked for (FindingsOptions::detailed).
  std::vector<Point> evidence_points;      // the points at which the curves of `evidence` are evaluated
  std::vector<KernelEvidence> evidence;    // by KernelFinding::id
  std::optional<TrafficFindings> traffic;  // of a profile
  std::optional<PhaseFindings> phases;     // of an experiment with traces at several scales
  std::vector<RegionFinding> regions;      // of a profile
  std::vector<OpenMpFinding> openmp;       // of a profile; empty where no parallel region was seen
  CallTree call_tree;                      // of a profile; no nodes where no stacks were recorded
  std::optional<Provenance> provenance;    // of a profile
};

// The origin of totals and times of MPI operations at measured scales, in a word: "measured", "modelled".
const char* total_is(const Findings& findings);
// The same for people: "measured", "modelled from runs".
const char* origin_of_totals(const Findings& findings);

// Whether computation and communication are told apart: not in a region with the CPU clock, whose time holds what ranks
// burn in MPI.
bool tells_communication(const Findings& findings);
// "np=64: the reason"
std::string sentence_of(const FurtherRun& run);
// The target with the most processes; of several the last. Precondition: there is a target.
const TargetFindings& main_target(const Findings& findings);

// The whole run where data that were exported from a profile have it as one of their series; null: they have not.
const KernelFinding* exported_run(const TargetFindings& target);
// The series that an answer without totals is about: the exported run, else the first one of a time, else the first.
// Null: there is none.
const KernelFinding* answered_series(const TargetFindings& target);

// The metrics of the target's kernels, in their order.
std::vector<std::string> metrics_of(const TargetFindings& target);

// The subject of the prediction, in a word: "run", "region".
const char* name_of_predicted(const Findings& findings);

// `known` of the runs, with the parts of the target's run. Precondition: it has the times of an application.
predict::ImprovementInput with_parts_of(const TargetFindings& target, predict::ImprovementInput known);

// The evidence that `findings`, complete but for it, and their runs give the gate (trust.h), about `target`; without
// one about the runs alone.
Trust trust_of(const Findings& findings, const TargetFindings* target, const fit::ApplicationData& data,
               const core::Profile* profile, const core::Experiment* experiment);
// The target that lies farthest beyond the measured scales and was not replayed; null: there is none.
const TargetFindings* farthest_beyond(const Findings& findings);
// Of the targets of which something can be told the one with the most processes; null: there is none.
const TargetFindings* answered_target(const Findings& findings);

// Puts the kind into the findings, with a note where something contradicts it.
void take_scaling(const ScalingKind& kind, Findings& findings);

}  // namespace scalediag::report
