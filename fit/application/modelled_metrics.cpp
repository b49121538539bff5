#include "fit/application/modelled_metrics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/statistics.h"

namespace scalediag::fit {
namespace {

constexpr const char* kFunctionMetrics[] = {"time_s",
                                            "critical_s",
                                            "instructions",
                                            "t_comp_s",
                                            "t_stall_s",
                                            "t_stall_high_s",
                                            "t_mem_s",
                                            "t_mem_l1_s",
                                            "t_mem_l2_s",
                                            "t_mem_llc_s",
                                            "t_mem_memory_s",
                                            "bf_mem",
                                            "cpi",
                                            "hz",
                                            "cycles",
                                            "memory_stall_cycles",
                                            "stall_cycles",
                                            "loads",
                                            "stores",
                                            "l1_hits",
                                            "l2_hits",
                                            "llc_hits",
                                            "memory_accesses",
                                            "llc_miss_ratio",
                                            "memory_bytes",
                                            "flops"};

// The last one is not needed for checks.
constexpr const char* kOperationMetrics[] = {"time_s", "critical_s", "blocked_s"};

constexpr const char* kCheckedMetrics[] = {"time_s",     "critical_s",  "instructions",   "t_mem_s", "t_mem_l1_s",
                                           "t_mem_l2_s", "t_mem_llc_s", "t_mem_memory_s", "bf_mem"};

// A kernel whose share of the time stays below this at every scale is modelled by its time, and that choice is not
// checked: large programs have thousands of such kernels, and checking theirs took about a quarter of the time to model
// 3,000.
constexpr double kShareWorthChecking = 5e-4;

}  // namespace

std::span<const char* const> function_metrics(bool checks) {
  using Metrics = std::span<const char* const>;
  return checks ? Metrics(kCheckedMetrics) : Metrics(kFunctionMetrics);
}

std::span<const char* const> operation_metrics(bool checks) {
  return std::span(kOperationMetrics).first(checks ? 2 : std::size(kOperationMetrics));
}

bool is_worth_checking(const KernelFacts& kernel) { return kernel.largest_share >= kShareWorthChecking; }

bool checks_need(const KernelFacts& kernel, const std::string& metric) {
  if (metric == "time_s") return true;
  if (kernel.kind == KernelKind::kMpi) {
    return metric == "calls" || metric == "bytes" || metric == "communicator_size" || metric.starts_with("critical_");
  }
  return is_worth_checking(kernel) &&
         (metric == "t_comp_s" || std::any_of(std::begin(kCheckedMetrics), std::end(kCheckedMetrics),
                                              [&](const char* checked) { return metric == checked; }));
}

bool same_values(const Series& a, const Series& b) {
  return std::equal(a.observations.begin(), a.observations.end(), b.observations.begin(), b.observations.end(),
                    [](const Observation& x, const Observation& y) { return x.at == y.at && x.values == y.values; });
}

Series of_several_ranks(const Series& series) {
  Series several = series;
  std::erase_if(several.observations, [](const Observation& o) { return o.at.front() < 2; });
  return several.observations.size() < kScalesForTrend ? series : several;
}

Series seconds_per_instruction(const KernelData& kernel) {
  const Series* instructions = kernel.find("instructions");
  const Series* time =
      kernel.find("t_comp_s") != nullptr && kernel.find("bf_mem") != nullptr && kernel.find("t_mem_s") != nullptr
          ? kernel.find("t_comp_s")
          : kernel.find("time_s");
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
  for (const Observation& o : kernel.find("time_s")->observations) {
    const auto here = [&](const ConfigurationPoint& point) { return point.at == o.at; };
    if (std::none_of(points.begin(), points.end(), here)) continue;
    largest =
        std::max(largest, core::coefficient_of_variation(o.values) / std::sqrt(static_cast<double>(o.values.size())));
  }
  return largest;
}

}  // namespace scalediag::fit
