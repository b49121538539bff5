// The data that models are made of, whether they come from a profile or from a file in Extra-P's formats
// (call_path_data.h): kernels or call paths with series over the measured configurations. Of a profile a series has one
// value a repeat, each the mean over ranks unless said otherwise.
//
// Terms of the run time, in the profile's clock. Each is defined so that they add up to total_s at every measured run;
// run_s is total_s without others_s:
//   wall clock   computation_s (mean over ranks) + openmp_waiting_s + communication_s (all time in MPI, waiting
//                included) + unattributed_s + others_s
//   CPU clock    ranks shared cores, so that time in MPI depends on more than the network: communication_s is the time
//                of the calls if each were as fast as the shortest of its operation and message size in any run, those
//                of collectives growing with log2 of the communicator, and within one host no more than their CPU time;
//                and waiting_s, the time that the mean rank waits for the slowest, is the latter's computation beyond
//                the mean, where that is more than the chance of sampling makes of equal ranks (slowest_rank.h), and at
//                least the excess of one rank by those functions and messages that are its own at all scales.
//
//   openmp_waiting_s    the time that threads wait for others of their rank (core/profile/profile.h)
//
//   others_s            the time outside MPI_Init ... MPI_Finalize: starting and ending
//
//   unattributed_s      the time within them that no sample accounts for
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/profile/metric_names.h"
#include "core/profile/profile.h"
#include "core/result.h"
#include "fit/application/communication_cost.h"
#include "fit/application/slowest_rank.h"
#include "fit/data/observations.h"

namespace scalediag::fit {

// kGpu: the host's calls of GPUs' libraries; kDevice: what devices do meanwhile, which is no part of the run's time.
enum class KernelKind { kFunction, kSystem, kGpu, kDevice, kWaiting, kMpi, kCallPath };
const char* name_of(KernelKind kind);  // "function", "system", "gpu", "device", "waiting", "mpi", "callpath"

// The facts about a kernel that hold at all configurations.
struct KernelFacts {
  std::string name;
  std::string module;
  std::string file;
  int line = 0;
  KernelKind kind = KernelKind::kFunction;
  std::string metric = metric::kTime;  // the one that is predicted and ranked; of call paths the data's own
  bool is_time = true;                 // false: a metric of call paths that neither scales nor fails to, like a count
  int pooled = 0;                      // the number of kernels with few samples whose sum it is; 0: it is one itself
  bool hardly_sampled = false;  // no verdict: too few samples in all, MPI's uncounted routines, waiting for what falls
  double largest_share = 0;     // of run_s at any configuration
  // Of all ranks and repeats, 0 for kernels that are not sampled: the mean over configurations, and the least of any.
  double samples = 0;
  double fewest_samples = 0;
  // The rank that critical_s belongs to: the same one at all scales of several ranks, or kLastRank (slowest_rank.h).
  // Empty where all ranks are alike or the slowest rank differs from run to run.
  std::optional<int> slowest_rank;
  std::optional<LeastRank> least_rank;   // functions: the rank that has less than the others at all scales
  std::set<std::string> resource_notes;  // words as in core::Kernel, of any run
  bool is_copy = false;                  // devices: copies in one direction, not a kernel
  // Devices: the functions of the host, each with its module, that made more than half of the calls in some run.
  std::set<std::pair<std::string, std::string>> called_by;
  std::optional<MessageCost> message_cost;  // MPI; nothing: messages of one size do not tell
  // MPI: calls of each size and communicator, each with the time that the fastest ones of all runs leave it at most.
  std::vector<FastestCall> fastest_calls;
  double cost_uncertainty = 1;  // MPI with the CPU clock: a middling run's shortest calls / those of the fastest run
  double cost_limit = 1;        // MPI with the CPU clock: what messages cost by their CPU time / by their fastest calls
};

struct KernelData : KernelFacts {
  std::map<std::string, Series> series;
  // Functions: "time_s"; "critical_s" of the slowest rank, as far as it is slower than sampling noise can make it;
  //   "concentration", critical_s over the sum of all ranks; where counted, those of core::kCounterMetrics and
  //   core::kResourceMetrics. Counted accesses are loads, simulated ones loads and stores: where some runs were counted
  //   and others simulated, levels and resources are those of the kind that more configurations have.
  // MPI: "time_s" as communication_s above, "elapsed_s", "blocked_s"; "calls" and "bytes" summed over ranks; of
  //   collectives that did not always involve all ranks "communicator_size", the geometric mean over calls. Where one
  //   rank (slowest_rank) makes many more messages than the others: "critical_calls", "critical_bytes" and "critical_s"
  //   of that one; else "critical_s" is time_s.
  // Devices: "device_s"; "critical_s" as above; "gpu_launches"; of copies "gpu_bytes" and "gpu_bandwidth".
  // Call paths: the series of `metric` alone.

  const Series* find(const std::string& which) const;  // null where there is none
  const Series& main_series() const { return series.at(metric); }
  // That of the slowest rank; main_series() where ranks are not told apart.
  const Series& critical_series() const;
};

struct ConfigurationPoint {
  std::vector<double> at;  // in the order of parameter_names
  double np = 0;           // the number of processes, which `at` has as well
  int repeats = 0;
};

// The facts about an application that hold at all configurations.
struct ApplicationFacts {
  std::vector<std::string> parameter_names;  // of a profile "np", then those declared
  size_t processes = 0;                      // the index of the parameter that is the number of processes
  std::optional<core::Clock> clock;          // of a profile
  std::string counters;                      // "clock": time only
  std::string counters_reason;               // the reason for that source, of the last run; empty: not recorded
  std::vector<std::string> notes;
  std::string said_scaling;  // core::Profile::scaling
  // The factor of computation at the largest scale: as ranks with a core each took / as measured; empty: none was
  // replayed.
  std::optional<double> lone_factor;
  bool paths_are_inclusive = false;  // kernels are call paths, each with all that it called
  // The first argument in which {np} is a value by itself ("{np}", "-s{np}", "--grid={np}x64") and not part of a name
  // ("result.{np}"); it grows with the number of processes. Empty where there is none.
  std::string np_argument;
};

struct ApplicationData : ApplicationFacts {
  std::vector<ConfigurationPoint> configurations;  // by np, then parameters
  std::vector<KernelData> kernels;                 // by falling largest_share, MPI operations among them
  // Of a profile: "total_s", "run_s", "computation_s", "computation_max_s", "communication_s", "others_s",
  // "unattributed_s", "imbalance" (slowest rank / mean of computation), and with the CPU clock "waiting_s";
  // "gpu_s" where GPUs' libraries were called, and the three of metric::kDeviceKernels where all runs have the devices'
  // times; "instructions" if counted; "asleep_s" and "children_s"
  // (core/profile/profile.h) if known; where threads waited for others of their rank "openmp_waiting_s",
  // "memory_peak_bytes" of the mean rank and "memory_peak_max_bytes" of the one that has most if known, and
  // "openmp_idleness" (CPU time of waiting / of computation, all threads); where runs were ended early "ended_error"
  // (ended_error.h).
  std::map<std::string, Series> totals;

  // Whether kernels are parts of a run that add up to its totals. Call paths may contain one another.
  bool has_totals() const { return !totals.empty(); }
  // The measured numbers of processes, rising.
  std::vector<double> scales() const;
};

// The use of an MPI operation by the mean rank at a measured configuration. Empty where it made no call.
std::optional<OperationLoad> measured_load(const KernelData& operation, const ConfigurationPoint& point);

// The time and the use of each MPI operation at each configuration of several processes that called it.
std::vector<MeasuredCost> measured_costs(const ApplicationData& data);

bool is_zero_everywhere(const Series& series);

// The mean over the repeats at a measured configuration; 0 where nothing was measured.
double mean_at(const Series* series, const std::vector<double>& at);

// The data without the configurations of `np` processes, and of each kernel only the series that are needed.
using SeriesFilter = std::function<bool(const KernelFacts& kernel, const std::string& metric)>;
ApplicationData without_scale(const ApplicationData& data, double np, const SeriesFilter& needed);

}  // namespace scalediag::fit
