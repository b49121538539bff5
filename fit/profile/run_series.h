// The complete runs of a profile by configuration, and series of what was measured in them, with one value a run.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/profile/sampling_gaps.h"
#include "fit/application/application_data.h"
#include "fit/application/slowest_rank.h"
#include "fit/data/observations.h"

namespace scalediag::fit {

using core::kFewestSamples;

using ValueByRun = std::map<const core::Run*, double>;

// The parameters of a profile, "np" and those declared, and their values at one of its runs.
std::vector<std::string> parameters_of(const core::Profile& profile);
std::vector<double> configuration_of(const core::Profile& profile, const core::Run& run);

class RunSeries {
 public:
  // `runs`: the complete runs of each configuration, at least one.
  RunSeries(const core::Profile& profile, std::vector<std::vector<const core::Run*>> runs);

  const std::vector<std::vector<const core::Run*>>& by_configuration() const { return runs_; }
  const std::vector<std::string>& parameter_names() const { return parameter_names_; }
  // The parameters of each configuration.
  const std::vector<std::vector<double>>& points() const { return points_; }
  core::Clock clock() const { return runs_.front().front()->clock; }

  // A series with one observation a configuration and one value for each run for which `value_of` gives one.
  Series series(const std::string& kernel, const std::string& metric,
                const std::function<std::optional<double>(const core::Run&)>& value_of) const;

  struct Slowest {
    ValueByRun time_s;  // without a run: it is not known there
    std::optional<int> rank;
    std::optional<LeastRank> least;
  };
  // `time_of` is the time over all ranks of a run.
  Slowest slowest(const std::function<TimeOverRanks(const core::Run&)>& time_of) const;
  // Gives the kernel its "critical_s" and the rank that it belongs to, and raises its largest_share to that of it.
  void set_slowest(const Slowest& slowest, KernelData& kernel) const;

 private:
  std::vector<std::vector<const core::Run*>> runs_;
  std::vector<std::string> parameter_names_;
  std::vector<std::vector<double>> points_;
};

// Whether a count of the kernel was made from a part of the run. A count of samples has an error as well, and is none.
bool is_estimate(const core::Run& run, const core::Kernel& kernel, const std::string& metric);

// The metric of a kernel over ranks; null where it was not measured.
const core::OverRanks* find_metric(const core::Kernel& kernel, const std::string& name);
// The kernel's time of the mean rank, in seconds.
double time_of(const core::Kernel& kernel);
// The measured time of the run without its start and end, in seconds.
double reference_time(const core::Run& run);

// The sum of times over ranks. Its mean is known. Its maximum is a lower bound, that of the rank with the most: the
// rank has the maximum of some times, and at least the minimum of the others.
core::OverRanks together_over_ranks(const std::vector<const core::OverRanks*>& times);

}  // namespace scalediag::fit
