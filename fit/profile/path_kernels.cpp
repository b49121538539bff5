#include "fit/profile/path_kernels.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/profile/call_paths.h"
#include "core/profile/metric_names.h"
#include "core/profile/run_summary.h"
#include "core/text/quantities.h"
#include "fit/application/call_path_data.h"
#include "fit/data/measurement_set.h"
#include "fit/profile/run_series.h"

namespace scalediag::fit {
namespace {

constexpr double kModelledShare = 0.01;

// Of a path at one configuration.
struct Met {
  std::vector<double> values;  // one a run that has it
  double samples = 0;
};

struct Followed {
  std::map<std::vector<double>, Met> met;
  double largest_share = 0;
};

double total_of(const core::Run& run) {
  double total_s = 0;
  for (const core::CallPath& p : run.call_paths) total_s += p.parent < 0 ? p.inclusive_s.mean : 0;
  return total_s;
}

}  // namespace

Result<ApplicationData> call_path_data(const core::Profile& profile) {
  std::vector<const core::Run*> runs;
  for (const auto& repeats : core::group_by_configuration(profile, true)) {
    for (const core::Run* run : repeats) {
      if (!run->call_paths.empty()) runs.push_back(run);
    }
  }
  const core::PathUnion paths = core::unite_paths(runs);
  std::vector<Followed> followed(paths.nodes.size());
  double left_out_from = 0;
  for (size_t r = 0; r < runs.size(); ++r) {
    const std::vector<double> at = configuration_of(profile, *runs[r]);
    const double total_s = total_of(*runs[r]);
    left_out_from = std::max(left_out_from, runs[r]->call_paths_from);
    for (size_t i = 0; i < runs[r]->call_paths.size(); ++i) {
      const core::CallPath& p = runs[r]->call_paths[i];
      Followed& f = followed[static_cast<size_t>(paths.node_of[r][i])];
      Met& met = f.met[at];
      met.values.push_back(p.inclusive_s.mean);
      met.samples += static_cast<double>(p.samples);
      if (total_s > 0) f.largest_share = std::max(f.largest_share, p.inclusive_s.mean / total_s);
    }
  }

  SeriesBuilder builder(parameters_of(profile));
  std::map<std::string, size_t> node_of;  // by name
  size_t at_one_scale = 0;
  for (size_t i = 0; i < followed.size(); ++i) {
    const Followed& f = followed[i];
    if (f.largest_share < kModelledShare || paths.nodes[i].kind == core::CallPathKind::kOther) continue;
    if (f.met.size() < kScalesForTrend) {
      ++at_one_scale;
      continue;
    }
    node_of[paths.nodes[i].name] = i;
    for (const auto& [at, met] : f.met) builder.add(paths.nodes[i].name, metric::kTime, at, met.values, "call_paths");
  }
  if (node_of.empty()) {
    return Error{ErrorCode::kInput, "no call path was met at two configurations",
                 "`scalediag profile --call-paths` at several numbers of processes records them"};
  }
  ApplicationData data = application_data(std::move(builder).finish());
  for (KernelData& kernel : data.kernels) {
    const size_t i = node_of.at(kernel.name);
    kernel.module = paths.nodes[i].id.module;
    kernel.file = paths.nodes[i].id.file;
    kernel.line = paths.nodes[i].id.line;
    kernel.largest_share = followed[i].largest_share;
    kernel.fewest_samples = 1e300;
    for (const auto& [at, met] : followed[i].met) {
      kernel.samples += met.samples / static_cast<double>(followed[i].met.size());
      kernel.fewest_samples = std::min(kernel.fewest_samples, std::max(1.0, met.samples));
    }
  }
  std::ranges::stable_sort(data.kernels,
                           [](const KernelData& a, const KernelData& b) { return a.largest_share > b.largest_share; });
  data.said_scaling = profile.scaling;
  data.paths_are_inclusive = true;
  data.notes.push_back(
      "call paths: CPU time of the mean rank, all threads, with all that was called: paths that contain one another do "
      "not add up, and time in MPI is what ranks burn there, waiting included");
  data.notes.push_back("paths below " + core::percent(kModelledShare) +
                       " of the CPU time at all scales are left out, and of "
                       "the others the scales at which they had less than " +
                       core::percent(left_out_from));
  if (at_one_scale > 0) {
    data.notes.push_back(std::to_string(at_one_scale) + " paths that were met at one configuration only are left out");
  }
  return data;
}

}  // namespace scalediag::fit
