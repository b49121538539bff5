#include "fit/application/call_path_data.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/profile/metric_names.h"

namespace scalediag::fit {

ApplicationData application_data(MeasurementSet set) {
  ApplicationData data;
  data.parameter_names = set.parameter_names;
  data.processes = processes_parameter(set.parameter_names);
  data.notes = std::move(set.notes);
  const bool was_exported = std::any_of(set.series.begin(), set.series.end(),
                                        [](const Series& series) { return series.kernel == kWholeProgram; });
  std::set<std::vector<double>> points;
  for (Series& series : set.series) {
    for (const Observation& o : series.observations) points.insert(o.at);
    KernelData& kernel = data.kernels.emplace_back();
    kernel.name = series.kernel;
    kernel.kind = KernelKind::kCallPath;
    kernel.metric = series.metric;
    // An exported profile has parts of times as well, and totals.
    const bool is_kernels = series.metric == metric::kTime || series.metric == metric::kDevice;
    kernel.is_time = was_exported ? is_kernels && series.kernel != kWholeProgram : is_time_metric(series.metric);
    kernel.series.emplace(kernel.metric, std::move(series));
  }
  for (const std::vector<double>& at : points) data.configurations.push_back({at, at[data.processes], 0});
  if (was_exported) {
    data.notes.push_back(
        "exported from a profile, of which this has no samples, no slowest ranks and no sizes of messages: totals, "
        "\"[all]\", are series like others here, there are no causes, and intervals hold less. `scalediag predict` on "
        "the experiment or its profile.json has all of that");
  }
  if (std::string assumed = assumed_processes(data.parameter_names); !assumed.empty()) {
    data.notes.push_back(std::move(assumed));
  }
  return data;
}

bool is_mpi_call_path(const std::string& call_path) {
  const size_t arrow = call_path.rfind("->");
  const std::string last = call_path.substr(arrow == std::string::npos ? 0 : arrow + 2);
  return last.starts_with("MPI_") || last.starts_with("[MPI ");
}

}  // namespace scalediag::fit
