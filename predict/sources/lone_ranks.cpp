#include "predict/sources/lone_ranks.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/profile/metric_names.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "fit/data/measurement_set.h"

namespace scalediag::predict {

double LoneRanks::factor_at(double processes) const {
  if (scales.empty() || processes <= cores) return 1;
  const auto above =
      std::find_if(scales.begin(), scales.end(), [&](const Scale& scale) { return scale.processes >= processes; });
  if (above == scales.end()) return std::min(1.0, scales.back().factor);
  if (above == scales.begin()) return std::min(1.0, above->factor);
  const Scale& below = *(above - 1);
  const double share = std::log(processes / below.processes) / std::log(above->processes / below.processes);
  return std::min(1.0, std::pow(below.factor, 1 - share) * std::pow(above->factor, share));
}

void take_lone_ranks(const LoneRanks& ranks, fit::ApplicationData& data) {
  if (ranks.scales.empty()) return;
  const auto shorten = [&](fit::Series& series) {
    for (fit::Observation& o : series.observations) {
      for (double& value : o.values) value *= ranks.factor_at(fit::process_count(o.at));
    }
  };
  for (fit::KernelData& kernel : data.kernels) {
    const auto kind = kernel.kind;
    if (kind == fit::KernelKind::kMpi || kind == fit::KernelKind::kGpu || kind == fit::KernelKind::kDevice) continue;
    for (auto& [name, series] : kernel.series) {
      if (fit::is_time_metric(name)) shorten(series);
    }
  }
  for (const char* part : {metric::kComputation, "waiting_s", "openmp_waiting_s", metric::kSlowestComputation}) {
    const auto found = data.totals.find(part);
    if (found == data.totals.end()) continue;
    const fit::Series before = found->second;
    shorten(found->second);
    if (std::string_view(part) == metric::kSlowestComputation) continue;  // no part of the whole
    for (const char* whole : {metric::kRun, "total_s"}) {
      fit::Series& sum = data.totals.at(whole);
      for (size_t i = 0; i < sum.observations.size(); ++i) {
        for (size_t j = 0; j < sum.observations[i].values.size(); ++j) {
          sum.observations[i].values[j] -= before.observations[i].values[j] - found->second.observations[i].values[j];
        }
      }
    }
  }
  data.lone_factor = ranks.factor_at(ranks.scales.back().processes);
  data.notes.push_back(text_of(ranks));
}

std::string text_of(const LoneRanks& ranks) {
  constexpr double kSlower = 1.1;
  if (const LoneRanks::Scale& largest = ranks.scales.back(); largest.factor > kSlower) {
    return "ranks of np=" + core::to_text(largest.processes) + " took " + core::fixed(largest.factor, 2) +
           " times as long with a core each as when they shared cores: the machine was slower then, and computation is "
           "taken as measured";
  }
  std::vector<std::string> factors;
  int replayed = 0;
  for (const LoneRanks::Scale& scale : ranks.scales) {
    replayed += scale.replayed;
    factors.push_back(core::fixed(1 / scale.factor, 2) + " times as long at np=" + core::to_text(scale.processes));
  }
  return "ranks that shared cores computed " + core::join(factors, " and ") + " as the " + std::to_string(replayed) +
         " of them that were replayed with a core each, and computation is theirs";
}

}  // namespace scalediag::predict
