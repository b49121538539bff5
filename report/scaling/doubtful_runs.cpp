#include "report/scaling/doubtful_runs.h"

#include <algorithm>

#include "core/profile/metric_names.h"
#include "core/profile/off_cpu.h"
#include "core/statistics.h"
#include "fit/profile/run_series.h"

namespace scalediag::report {
namespace {

// The share of a run that calls on files take at least where a rank is off its core because of them. For runs without
// records of how long a rank slept.
constexpr double kFilesExplain = 0.05;

bool shared_cores(const core::Run& run, const core::Experiment* experiment) {
  if (experiment == nullptr || experiment->host.cores <= 0 || run.hosts.empty()) return false;
  return run.np * run.threads_max > experiment->host.cores * static_cast<int>(run.hosts.size());
}

// Whether ranks waited for a core. A rank that sleeps, or waits for files, a device or another process, does that on a
// machine of its own as well.
bool lost_cores(const core::Run& run) {
  const double tolerable_s = core::kTolerableOffCpu * run.times.total_s.mean;
  if (run.times.asleep_s) return core::off_cpu_s(run) - run.times.asleep_s->mean > tolerable_s;
  double files_s = 0;
  for (const core::FileOperation& o : run.files) files_s += o.time_s.mean;
  return core::off_cpu_s(run) > tolerable_s && files_s < kFilesExplain * run.times.total_s.mean;
}

}  // namespace

const char* name_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::kSharedCores:
      return "cores shared";
    case Doubt::kOtherPrograms:
      return "other programs";
    case Doubt::kNoise:
      return "noisy";
  }
  return "";
}

std::map<std::vector<double>, Doubt> doubtful_runs(const core::Profile& profile, const core::Experiment* experiment,
                                                   const fit::ApplicationData& data) {
  std::map<std::vector<double>, Doubt> doubts;
  if (data.clock == core::Clock::kWall) {
    for (const core::Run& run : profile.runs) {
      if (run.complete && shared_cores(run, experiment)) {
        doubts.emplace(fit::configuration_of(profile, run), Doubt::kSharedCores);
      }
    }
    for (const core::Run& run : profile.runs) {
      if (run.complete && lost_cores(run)) {
        doubts.emplace(fit::configuration_of(profile, run), Doubt::kOtherPrograms);
      }
    }
  }
  for (const fit::Observation& o : data.totals.at(metric::kRun).observations) {
    if (o.values.size() > 1 && core::coefficient_of_variation(o.values) > kNoisyRepeats) {
      doubts.emplace(o.at, Doubt::kNoise);
    }
  }
  return doubts;
}

}  // namespace scalediag::report
