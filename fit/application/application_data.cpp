#include "fit/application/application_data.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/profile/metric_names.h"
#include "core/statistics.h"

namespace scalediag::fit {

const char* name_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::kFunction: return "function";
    case KernelKind::kSystem: return "system";
    case KernelKind::kGpu: return "gpu";
    case KernelKind::kDevice: return "device";
    case KernelKind::kWaiting: return "waiting";
    case KernelKind::kMpi: return "mpi";
    case KernelKind::kCallPath: break;
  }
  return "callpath";
}

const Series* KernelData::find(const std::string& which) const {
  const auto found = series.find(which);
  return found == series.end() ? nullptr : &found->second;
}

const Series& KernelData::critical_series() const {
  const Series* critical = find(metric::kCritical);
  return critical == nullptr ? main_series() : *critical;
}

bool is_zero_everywhere(const Series& series) {
  return std::all_of(series.observations.begin(), series.observations.end(), [](const Observation& o) {
    return std::all_of(o.values.begin(), o.values.end(), [](double value) { return value == 0; });
  });
}

double mean_at(const Series* series, const std::vector<double>& at) {
  if (series == nullptr) return 0;
  for (const Observation& o : series->observations) {
    if (o.at == at) return core::mean(o.values);
  }
  return 0;
}

std::optional<OperationLoad> measured_load(const KernelData& operation, const ConfigurationPoint& point) {
  const double calls = mean_at(operation.find(metric::kCalls), point.at);
  if (!(calls > 0)) return std::nullopt;
  const double of_communicator = mean_at(operation.find(metric::kCommunicatorSize), point.at);
  return OperationLoad{operation.name, of_communicator > 0 ? of_communicator : point.np, calls / point.np,
                       mean_at(operation.find(metric::kBytes), point.at) / point.np};
}

std::vector<MeasuredCost> measured_costs(const ApplicationData& data) {
  std::vector<MeasuredCost> measured;
  for (const KernelData& kernel : data.kernels) {
    if (kernel.kind != KernelKind::kMpi) continue;
    for (const ConfigurationPoint& point : data.configurations) {
      if (point.np < 2) continue;
      if (const auto load = measured_load(kernel, point))
        measured.push_back({*load, mean_at(kernel.find(metric::kTime), point.at)});
    }
  }
  return measured;
}

std::vector<double> ApplicationData::scales() const {
  std::set<double> all;
  for (const ConfigurationPoint& point : configurations) all.insert(point.np);
  return {all.begin(), all.end()};
}

ApplicationData without_scale(const ApplicationData& data, double np, const SeriesFilter& needed) {
  const auto is_left = [np](const auto& measured) { return process_count(measured.at) != np; };
  const auto rest_of = [&](const Series& series) {
    Series rest{series.parameter_names, series.metric, series.kernel, {}, series.is_estimate};
    rest.observations.reserve(series.observations.size());
    std::copy_if(series.observations.begin(), series.observations.end(), std::back_inserter(rest.observations),
                 is_left);
    return rest;
  };
  ApplicationData rest{data, {}, {}, {}};
  std::copy_if(data.configurations.begin(), data.configurations.end(), std::back_inserter(rest.configurations),
               is_left);
  for (const auto& [name, series] : data.totals) rest.totals.emplace(name, rest_of(series));
  rest.kernels.reserve(data.kernels.size());
  for (const KernelData& kernel : data.kernels) {
    KernelData& copy = rest.kernels.emplace_back(KernelData{kernel, {}});
    for (const auto& [metric, series] : kernel.series) {
      if (needed(kernel, metric)) copy.series.emplace(metric, rest_of(series));
    }
  }
  return rest;
}

}  // namespace scalediag::fit
