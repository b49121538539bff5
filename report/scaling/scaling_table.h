// The table of a scaling study: each number of processes with its time, speed-up, efficiency and cost.
//
//   speed-up(P)    time at the base / time at P
//   efficiency(P)  strong scaling: speed-up(P) x base / P;  weak scaling: speed-up(P)
//   node-hours(P)  nodes x elapsed time of a whole job (with starting and ending) / 3600
//
// The time is that of the run between MPI_Init and MPI_Finalize, or of a region, such as the main loop; jobs are whole
// in both.
// The base is the smallest measured number of processes of the same problem. Times are elapsed ones where each rank had
// a core. Where ranks shared cores they are CPU times of a rank, modelled from the runs as
// fit/application/application_data.h defines them: then there is no speed-up and there are no node-hours, efficiency is
// one of CPU time, and costs are core-hours of CPU time. Nothing is made of the times of a row in doubt
// (Trust::doubt_at()), nor of any where the base is. Where nothing can be concluded, nothing is predicted.
//
// How many nodes a job has, and with them its cost, is known where runs were on several nodes or Slurm placed them, and
// where it is said how many cores or ranks a node has: the cores of the machine that was measured on, often a laptop,
// are not those of a node.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "fit/application/application_data.h"
#include "report/findings/findings.h"
#include "report/rules/rule_value.h"

namespace scalediag::report {

// A value with its 90 % interval; without both ends nothing is known about its error.
using Bounded = RuleValue;

struct ScalingRow {
  Point at;
  bool predicted = false;
  size_t repeats = 0;  // 0: predicted
  // As the runs had them. As many as the cores need, with a core for each rank, in predicted rows, where other cores of
  // a node were asked for, and with the CPU clock, where the runs' ranks shared cores. Empty: not known.
  std::optional<double> nodes;
  double cores = 0;                 // processes x the largest number of threads at once in a rank
  Bounded time_s;                   // measured: the mean over the repeats of the mean over ranks
  std::optional<double> variation;  // coefficient of variation over the repeats
  std::optional<Bounded> speedup, efficiency;
  // Elapsed time of the main loop, mean over ranks and repeats, and its efficiency over the smallest run, made as the
  // other one; without intervals. Empty with the CPU clock, and where a run's main loop is not known,
  // or the table's are not one loop (core::can_be_one_loop).
  std::optional<double> loop_s, loop_iterations, loop_efficiency;
  std::optional<Bounded> start_end_s;    // what a job takes beside time_s: of a region without an interval
  std::optional<Bounded> job_s;          // both
  std::optional<double> job_efficiency;  // of job_s, as the others; empty with the CPU clock
  std::optional<Bounded> node_hours;     // of a job, elapsed time
  std::optional<Bounded> core_hours;  // of a job: cores x elapsed time; with the CPU clock all ranks' CPU time. Where
                                      // nodes are not known, neither
  std::optional<Doubt> doubt;
  // The most over the repeats; empty: not known.
  std::optional<double> memory_rank_bytes;  // of the rank that needs most
  std::optional<double> memory_node_bytes;  // of the node whose ranks together need most
  // Means over the repeats, of calls on regular files and MPI-IO between MPI_Init and MPI_Finalize.
  double read_bytes = 0, written_bytes = 0;  // of all ranks
  double files_s = 0;                        // elapsed time of a rank, mean over ranks
};

struct ScalingTable {
  std::string label;   // of the problem, where there are several: "grid=64"; else empty
  std::string region;  // whose times the rows have; empty: those of the run
  core::Clock clock = core::Clock::kWall;
  Scaling scaling = Scaling::kUnknown;
  double cores_per_node = 0;     // 0: not known, and no row has nodes or a cost
  bool other_nodes = false;      // than those that were measured on
  std::vector<ScalingRow> rows;  // measured ones by rising processes, then predicted ones
  double base = 0;               // processes of the first row

  bool is_elapsed() const { return clock == core::Clock::kWall; }
  // Whether the runs that all others are relative to are in doubt.
  bool is_in_doubt() const { return !rows.empty() && rows.front().doubt.has_value(); }
};

struct ScalingTableOptions {
  std::optional<double> cores_per_node = {};  // empty: those of the host that was measured on, where it is a node
  std::optional<int> ranks_per_node = {};     // the same for ranks, which goes before it; each has threads' cores
  bool measured_only = false;
};

inline bool knows_nodes(const ScalingTable& table) { return table.cores_per_node > 0; }

// A region of the same runs, whose times stand in the table in place of the run's: data and findings of
// core::profile_of_region(), for the same targets.
struct TableRegion {
  std::string name;
  const fit::ApplicationData& data;
  const Findings& findings;
};

// One table for each problem, by the data's order: configurations whose other parameters are the same, or all of them
// where these change in every configuration. Targets of `findings` are put into the table of their problem.
// `profile`, `data` and `findings` are of the whole program. Preconditions: data.has_totals(), of the same profile; a
// region only with the wall clock.
std::vector<ScalingTable> scaling_tables(const core::Profile& profile, const core::Experiment* experiment,
                                         const fit::ApplicationData& data, const Findings& findings,
                                         const ScalingTableOptions& options = {}, const TableRegion* region = nullptr);

// numerator / denominator, the errors of both independent. Without an interval where either has none; without an upper
// end where the denominator may be 0. Precondition: both values are above 0.
Bounded ratio_of(const Bounded& numerator, const Bounded& denominator);
Bounded times(const Bounded& value, double factor);

}  // namespace scalediag::report
