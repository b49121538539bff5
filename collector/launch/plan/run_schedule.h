// The order of runs. Every configuration gets its repeat 0 before any gets its repeat 1, so that an experiment that is
// ended early has each configuration once.
//
// With a fixed number of repeats all of them are run. Otherwise a configuration gets `minimum` complete repeats, then
// more until its results are stable or `maximum` is reached, and more where they give functions enough samples, up to
// `maximum_for_samples`. Each but the first only where the time that is left allows for it. A configuration that failed
// twice in a row is skipped for this session: it would most likely fail again, and a hang costs its time limit each
// time.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <vector>

namespace scalediag::launch {

struct RepeatPolicy {
  std::optional<int> exactly;
  int minimum = 2;
  int maximum = 5;
  int maximum_for_samples = 20;
};

struct RunChoice {
  size_t configuration = 0;
  int repeat = 0;
  bool operator==(const RunChoice&) const = default;
};

class RunSchedule {
 public:
  RunSchedule(size_t n_configurations, const RepeatPolicy& policy) : policy_(policy), progress_(n_configurations) {}

  void note_complete(const RunChoice& run);
  void note_failed(const RunChoice& run);
  // Whether the configuration's complete repeats agree well enough.
  void note_stable(size_t configuration, bool stable) { progress_[configuration].stable = stable; }

  // The further repeats that give one more function enough samples; 0: there is none.
  void note_repeats_for_samples(size_t configuration, int repeats) { progress_[configuration].for_samples = repeats; }
  // The time that a repeat is expected to take, and that is left for all of them.
  void note_duration(size_t configuration, double seconds) { progress_[configuration].duration_s = seconds; }
  void note_time_left(double seconds) { left_s_ = seconds; }

  // The next run; empty when nothing is left to do.
  std::optional<RunChoice> next() const;
  // The number of runs of this configuration that are left, as far as is known: further repeats for the sake of
  // stability are counted one at a time.
  int left(size_t configuration) const;
  int left() const;

 private:
  struct Configuration {
    std::set<int> complete;
    std::set<int> failed;  // in this session
    int failures_in_a_row = 0;
    bool stable = false;
    int for_samples = 0;
    double duration_s = 0;
  };
  // The most repeats, failed ones too.
  int limit(const Configuration& configuration) const;
  // Further complete repeats that are wanted and that the time left allows for, as far as is known.
  int wanted(const Configuration& configuration) const;
  std::optional<int> next_repeat(const Configuration& configuration) const;

  RepeatPolicy policy_;
  double left_s_ = std::numeric_limits<double>::infinity();
  std::vector<Configuration> progress_;
};

}  // namespace scalediag::launch
