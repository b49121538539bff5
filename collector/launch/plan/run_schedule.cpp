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

int RunSchedule::wanted(const Configuration& configuration) const {
  const int n_complete = static_cast<int>(configuration.complete.size());
  if (policy_.exactly) return *policy_.exactly - n_complete;
  if (n_complete == 0) return policy_.minimum;
  if (configuration.duration_s > left_s_) return 0;
  const int missing = policy_.minimum - n_complete;
  if (missing > 0) return missing;
  // More than the limit or the time allows for would not give the samples either.
  const int repeats = configuration.for_samples;
  const bool gives_samples =
      n_complete + repeats <= policy_.maximum_for_samples && repeats * configuration.duration_s <= left_s_;
  if (repeats > 0 && gives_samples) return repeats;
  return !configuration.stable && n_complete < policy_.maximum ? 1 : 0;
}

int RunSchedule::limit(const Configuration& configuration) const {
  if (policy_.exactly) return *policy_.exactly;
  return configuration.for_samples > 0 ? std::max(policy_.maximum, policy_.maximum_for_samples) : policy_.maximum;
}

std::optional<int> RunSchedule::next_repeat(const Configuration& configuration) const {
  if (configuration.failures_in_a_row >= 2 || wanted(configuration) <= 0) return std::nullopt;
  for (int repeat = 0; repeat < limit(configuration); ++repeat) {
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
  for (int repeat = 0; repeat < limit(configuration); ++repeat) {
    untried += configuration.complete.count(repeat) == 0 && configuration.failed.count(repeat) == 0;
  }
  if (policy_.exactly) return untried;
  // A failed repeat is replaced by another one, which is counted when it comes.
  const int n_failed = static_cast<int>(configuration.failed.size());
  return std::min(untried, std::max(1, wanted(configuration) - n_failed));
}

int RunSchedule::left() const {
  int sum = 0;
  for (size_t i = 0; i < progress_.size(); ++i) sum += left(i);
  return sum;
}

}  // namespace scalediag::launch
