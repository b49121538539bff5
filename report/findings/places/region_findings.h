// The main loop and the regions that authors named, at the scales that were measured.
#pragma once

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
};

struct RegionFinding {
  std::string name, parent, source;  // as in core::Region
  bool of_other_threads = false;
  std::vector<std::string> notes;  // each once
  std::vector<RegionTimes> times;  // of the configurations that have it, by rising np
  int depth() const;               // the number of regions around it
};

// In the order of the profile. The points of `times` have np and the configuration's parameters.
std::vector<RegionFinding> regions_of(const core::ConfigurationSummary& configuration);
// Of all complete runs: a region within another one stands after it, the main loop first.
std::vector<RegionFinding> region_findings(const core::Profile& profile);

}  // namespace scalediag::report
