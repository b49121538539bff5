#include "loggp/representatives/rank_loop.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/round_distance.h"

namespace scalediag::loggp {
namespace {

// Of all occurrences.
double computation_ns(const TraceStep& step) {
  if (step.count == 0) return static_cast<double>(step.before.total);
  double total = 0;
  for (const TraceStep& inner : step.body) total += computation_ns(inner);
  return total;
}

uint64_t events_of(const TraceStep& step) {
  if (step.count == 0) return 1;
  uint64_t events = 0;
  for (const TraceStep& inner : step.body) events += events_of(inner);
  return events * step.count;
}

// How far the mean of the first `kept` iterations is from that of all, both without the first one.
double first_apart(const float* computations, const RankLoop& loop, uint64_t kept) {
  const auto mean_s = [&](uint64_t iterations) {
    const float *from = computations + loop.per_iteration, *to = computations + loop.per_iteration * iterations;
    return std::accumulate(from, to, 0.0) / static_cast<double>(iterations - 1);
  };
  const double all_s = kept < 2 ? 0 : mean_s(loop.iterations);
  return all_s > 0 ? std::abs(mean_s(kept) / all_s - 1) : 0;
}

class LoopFinder {
 public:
  // Loops with less than `least_ns` of computation are no main ones.
  LoopFinder(double least_ns, uint64_t kept, MainLoops& found) : least_ns_(least_ns), kept_(kept), found_(found) {}

  // `rounds`: how often the steps are gone through in all.
  void look_at(const std::vector<TraceStep>& steps, uint64_t rounds) {
    for (const TraceStep& step : steps) {
      const double ns = computation_ns(step);
      const bool is_main = step.count >= 2 && ns >= least_ns_;
      if (is_main) found_.most_iterations = std::max<uint64_t>(found_.most_iterations, step.count);
      if (is_main && step.count <= kept_) {
        for (uint64_t i = 0; i < step.count; ++i) look_at(step.body, rounds * step.count);
        continue;
      }
      const uint64_t events = events_of(step);
      if (is_main) {
        found_.loops.push_back(
            {at_, events / step.count, step.count, ns / static_cast<double>(rounds * step.count) * 1e-9, std::nullopt});
      }
      at_ += events;
    }
  }

 private:
  const double least_ns_;
  const uint64_t kept_;
  MainLoops& found_;
  uint64_t at_ = 0;
};

}  // namespace

std::optional<MainLoops> main_loops_of(const RankTrace& trace, uint64_t kept, double least_share) {
  double all_ns = static_cast<double>(trace.tail_ns), most_ns = -1;
  for (const TraceStep& step : trace.steps) {
    const double ns = computation_ns(step);
    all_ns += ns;
    if (step.count >= 2) most_ns = std::max(most_ns, ns);
  }
  if (most_ns < 0) return std::nullopt;
  MainLoops found;
  LoopFinder(std::min(most_ns, least_share * all_ns), kept, found).look_at(trace.steps, 1);
  if (found.loops.empty()) return found;
  const uint64_t end = found.loops.back().end();
  uint64_t at = 0;
  each_occurrence(trace.steps, [&](const TraceStep& step, uint64_t number) {
    if (at++ < end) return;
    found.after_s.push_back(number < step.computations_s.size() ? step.computations_s[number]
                                                                : static_cast<float>(step.before.mean_s()));
  });
  found.after_s.push_back(static_cast<float>(static_cast<double>(trace.tail_ns) * 1e-9));
  if (const ComputationVector all = computations_of(trace); !all.empty()) {
    for (RankLoop& loop : found.loops) {
      const float* its = all.data() + loop.before;
      loop.apart = core::distance_of_rounds(its, loop.per_iteration, loop.iterations);
      if (loop.apart) loop.apart = std::max(*loop.apart, first_apart(its, loop, kept));
    }
  }
  return found;
}

}  // namespace scalediag::loggp
