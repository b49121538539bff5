#include "collector/launch/plan/run_schedule.h"

#include <algorithm>

namespace scalediag::launch {

void RunSchedule::note_complete(const RunChoice& run) {
  Configuration& configuration = progress_[run.configuration];
  configuration.complete.insert(run.repeat);
  configuration.failures_in_a_row = 0;
}

void RunSchedule::note_failed(const RunChoice& run) {
  Configuration& configuration = progress_[run.configuration];
  configuration.failed.insert(run.repeat);
  ++configuration.failures_in_a_row;
}

std::optional<int> RunSchedule::next_repeat(const Configuration& configuration) const {
  if (configuration.failures_in_a_row >= 2) return std::nullopt;
  const int n_complete = static_cast<int>(configuration.complete.size());
  if (!policy_.exactly && n_complete >= policy_.minimum && configuration.stable) return std::nullopt;
  if (!policy_.exactly && n_complete >= policy_.maximum) return std::nullopt;
  for (int repeat = 0; repeat < limit(); ++repeat) {
    if (configuration.complete.count(repeat) == 0 && configuration.failed.count(repeat) == 0) return repeat;
  }
  return std::nullopt;
}

std::optional<RunChoice> RunSchedule::next() const {
  std::optional<RunChoice> best;
  for (size_t i = 0; i < progress_.size(); ++i) {
    const auto repeat = next_repeat(progress_[i]);
    if (repeat && (!best || *repeat < best->repeat)) best = RunChoice{i, *repeat};
  }
  return best;
}

int RunSchedule::left(size_t index) const {
  const Configuration& configuration = progress_[index];
  if (!next_repeat(configuration)) return 0;
  int untried = 0;
  for (int repeat = 0; repeat < limit(); ++repeat) {
    untried += configuration.complete.count(repeat) == 0 && configuration.failed.count(repeat) == 0;
  }
  if (policy_.exactly) return untried;
  // A failed repeat is replaced by another one, which is counted when it comes.
  const int missing = policy_.minimum - static_cast<int>(configuration.complete.size() + configuration.failed.size());
  return std::min(untried, std::max(1, missing));
}

int RunSchedule::left() const {
  int sum = 0;
  for (size_t i = 0; i < progress_.size(); ++i) sum += left(i);
  return sum;
}

}  // namespace scalediag::launch
