// The origin of the numbers: what was run, on which machine, with which counters, how often, and what was lost.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "core/profile/run_summary.h"
#include "report/point.h"

namespace scalediag::report {

// The repeats of one configuration.
struct MeasuredRuns {
  Point at;
  size_t repeats = 0;
  double total_s = 0;   // mean over ranks and repeats, in the profile's clock
  double total_cv = 0;  // coefficient of variation over the repeats; 0 for one
  double wall_s = 0;
  uint64_t samples = 0;  // all repeats
  uint64_t lost_samples = 0;
  size_t unsteady = 0;  // kernels and operations above 1 % of the time that vary by 5 % or more
};

struct Provenance {
  std::vector<std::pair<std::string, std::string>> facts;  // name and text, in the order of reading
  std::vector<MeasuredRuns> runs;
  std::vector<core::CounterEvent> events;  // each once
  std::vector<core::RunWarning> warnings;
  std::vector<std::string> missing;  // runs that were asked for and do not count, with the reason
};

// `experiment` may be null, where there is only a profile.json.
Provenance provenance_of(const core::Profile& profile, const core::Experiment* experiment);

}  // namespace scalediag::report
