#include "core/profile/repeats/ended_runs.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace scalediag::core {

void leave_out_whole_runs(std::vector<const Run*>& repeats) {
  const bool any_ended = std::ranges::any_of(repeats, [](const Run* run) { return run->complete && run->cut; });
  if (any_ended) std::erase_if(repeats, [](const Run* run) { return !run->cut; });
}

double EndedAndWhole::apart() const { return whole_s > 0 ? std::abs(ended_s / whole_s - 1) : 0; }

std::optional<EndedAndWhole> ended_and_whole(std::span<const Run> runs, const Run& run) {
  std::vector<double> ended, whole;
  for (const Run& other : runs) {
    if (!other.complete || other.np != run.np || other.parameters != run.parameters) continue;
    const RunTimes& t = other.times;
    const bool is_cpu = other.clock == Clock::kCpu;
    (other.cut ? ended : whole).push_back(is_cpu ? t.computation_s.mean : t.total_s.mean - t.others_s.mean);
  }
  if (ended.empty() || whole.empty()) return std::nullopt;
  return EndedAndWhole{mean(ended), mean(whole)};
}

}  // namespace scalediag::core
