#include "fit/application/modelled_metrics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/profile/metric_names.h"
#include "core/statistics.h"

namespace scalediag::fit {
namespace {

using enum KernelMetric::Use;

constexpr KernelMetric kFunctionMetrics[] = {
    {metric::kTime, kChecked},
    {metric::kCritical, kChecked},
    {metric::kComputing, kModelled},
    {metric::kStalled, kModelled},
    {metric::kStalledAtMost, kModelled},
    {metric::kMemory, kChecked},
    {"t_mem_l1_s", kChecked},
    {"t_mem_l2_s", kChecked},
    {"t_mem_llc_s", kChecked},
    {"t_mem_memory_s", kChecked},
    {metric::kMemoryBlocking, kChecked},
    {"bf_mem_high", kShown},
    {"cpi", kModelled},
    {"hz", kModelled},
    {metric::kInstructions, kChecked},
    {"cycles", kModelled},
    {"memory_stall_cycles", kModelled},
    {"stall_cycles", kModelled},
    {"loads", kModelled},
    {"stores", kModelled},
    {"l1_hits", kModelled},
    {"l2_hits", kModelled},
    {"llc_hits", kModelled},
    {"memory_accesses", kModelled},
    {"l1_hit_ratio", kShown},
    {"l2_hit_ratio", kShown},
    {"llc_hit_ratio", kShown},
    {"llc_miss_ratio", kModelled},
    {"memory_bytes", kModelled},
    {"flops", kModelled},
    {"flops_per_byte", kShown},
    {metric::kGpuLaunches, kModelled},
    {metric::kGpuBytes, kModelled},
    {metric::kGpuBandwidth, kModelled},
    {metric::kDevice, kChecked},
};

// Calls and bytes have models of counts.
constexpr KernelMetric kOperationMetrics[] = {
    {metric::kTime, kChecked},     {metric::kCritical, kChecked}, {metric::kElapsed, kShown},
    {metric::kBlocked, kModelled}, {metric::kCalls, kShown},      {metric::kBytes, kShown},
};

// A kernel whose share of the time stays below this at every scale is modelled by its time, and that choice is not
// checked: large programs have thousands of such kernels, and checking theirs took about a quarter of the time to model
// 3,000.
constexpr double kShareWorthChecking = 5e-4;

}  // namespace

std::span<const KernelMetric> function_metrics() { return kFunctionMetrics; }

std::span<const KernelMetric> operation_metrics() { return kOperationMetrics; }

bool is_worth_checking(const KernelFacts& kernel) { return kernel.largest_share >= kShareWorthChecking; }

bool checks_need(const KernelFacts& kernel, const std::string& metric) {
  if (metric == kernel.metric) return true;
  if (kernel.kind == KernelKind::kMpi) {
    return metric == metric::kCalls || metric == metric::kBytes || metric == metric::kCommunicatorSize ||
           metric.starts_with("critical_");
  }
  if (!is_worth_checking(kernel)) return false;
  return metric == metric::kComputing ||
         std::any_of(std::begin(kFunctionMetrics), std::end(kFunctionMetrics),
                     [&](const KernelMetric& known) { return known.has_model(true) && metric == known.name; });
}

bool same_values(const Series& a, const Series& b) {
  return std::equal(a.observations.begin(), a.observations.end(), b.observations.begin(), b.observations.end(),
                    [](const Observation& x, const Observation& y) { return x.at == y.at && x.values == y.values; });
}

Series of_several_ranks(const Series& series) {
  Series several = series;
  std::erase_if(several.observations, [](const Observation& o) { return process_count(o.at) < 2; });
  return several.observations.size() < kScalesForTrend ? series : several;
}

Series seconds_per_instruction(const KernelData& kernel) {
  const Series* instructions = kernel.find(metric::kInstructions);
  const Series* time = kernel.find(metric::kComputing) != nullptr && kernel.find(metric::kMemoryBlocking) != nullptr &&
                               kernel.find(metric::kMemory) != nullptr
                           ? kernel.find(metric::kComputing)
                           : kernel.find(metric::kTime);
  Series ratio{{}, "seconds_per_instruction", kernel.name, {}};
  if (instructions == nullptr || time == nullptr) return ratio;
  ratio.parameter_names = time->parameter_names;
  for (const Observation& o : instructions->observations) {
    // Counts repeat to the digit where times do not, and groups of counters rotate over the repeats.
    const double counted = core::mean(o.values);
    if (!(counted > 0)) continue;
    for (const Observation& t : time->observations) {
      if (t.at != o.at) continue;
      Observation quotient{o.at, {}};
      for (const double value : t.values) quotient.values.push_back(value / counted);
      ratio.observations.push_back(std::move(quotient));
    }
  }
  return ratio;
}

double sampling_error(const KernelData& kernel) { return kernel.samples > 0 ? 1 / std::sqrt(kernel.samples) : 0; }

double measuring_error(const KernelData& kernel, const std::vector<ConfigurationPoint>& points) {
  double largest = sampling_error(kernel);
  for (const Observation& o : kernel.find(metric::kTime)->observations) {
    const auto here = [&](const ConfigurationPoint& point) { return point.at == o.at; };
    if (std::none_of(points.begin(), points.end(), here)) continue;
    largest =
        std::max(largest, core::coefficient_of_variation(o.values) / std::sqrt(static_cast<double>(o.values.size())));
  }
  return largest;
}

}  // namespace scalediag::fit
