// The main loop, the regions that authors named and parallel regions of OpenMP, at the scales that were measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/profile/run_summary.h"
#include "report/point.h"

namespace scalediag::report {

// Of one configuration: means over its repeats, of which one without the region counts as 0.
struct RegionTimes {
  Point at;
  double count = 0;   // of the rank that entered it most often; of the main loop, iterations
  double time_s = 0;  // in the run's clock, mean over ranks, as the next ones
  double share = 0;   // of the run's total
  double elapsed_s = 0, computation_s = 0, communication_s = 0;  // elapsed: all, outside and inside of MPI
  double least_s = 0, most_s = 0;                                // elapsed, of the rank with least and most
  // Of parallel regions: the most threads, their busy and idle time, that of the slowest one and CPU time, as in
  // core::ParallelThreads; means over ranks.
  double threads = 0, busy_s = 0, idle_s = 0, slowest_s = 0, busy_cpu_s = 0;

  // Idle over all time of the threads; 0 where there is none.
  double idle_share() const { return busy_s + idle_s > 0 ? idle_s / (busy_s + idle_s) : 0; }
  // Busy time of the slowest thread over that of the mean one, of which there are (busy + idle) / elapsed; 0 where no
  // thread was busy.
  double thread_imbalance() const {
    return busy_s > 0 && elapsed_s > 0 ? slowest_s / busy_s * (busy_s + idle_s) / elapsed_s : 0;
  }
};

struct RegionFinding {
  std::string name, parent, source;  // as in core::Region
  bool of_other_threads = false;
  bool is_parallel() const { return source == core::kOpenMp; }
  std::vector<std::string> notes;  // each once
  std::vector<RegionTimes> times;  // of the configurations that have it, by rising np
  int depth() const;               // the number of regions around it
};

// Elapsed time of the main thread in and outside of parallel regions, as in core::OpenMpTimes, of one configuration.
struct OpenMpFinding {
  Point at;
  double inside_s = 0, outside_s = 0, outside_mpi_s = 0;
};

// Empty where no run of the configuration has parallel regions. Means over ranks and over the runs that have them.
std::optional<OpenMpFinding> openmp_of(const core::ConfigurationSummary& configuration);
// Of all complete runs, by rising np.
std::vector<OpenMpFinding> openmp_findings(const core::Profile& profile);

// In the order of the profile. The points of `times` have np and the configuration's parameters.
std::vector<RegionFinding> regions_of(const core::ConfigurationSummary& configuration);
// Of all complete runs: a region within another one stands after it, the main loop first.
std::vector<RegionFinding> region_findings(const core::Profile& profile);

}  // namespace scalediag::report
