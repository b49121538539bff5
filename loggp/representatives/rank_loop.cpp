#include "loggp/representatives/rank_loop.h"

#include <cmath>

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

// The mean distance of successive iterations, relative to the mean iteration; `computations` are those of the loop.
double distance_of(const float* computations, uint64_t per_iteration, uint64_t iterations, double iteration_s) {
  double apart_s = 0;
  for (uint64_t i = per_iteration; i < per_iteration * iterations; ++i) {
    apart_s += std::abs(static_cast<double>(computations[i]) - static_cast<double>(computations[i - per_iteration]));
  }
  if (apart_s == 0) return 0;
  return apart_s / static_cast<double>(iterations - 1) / iteration_s;
}

}  // namespace

std::optional<RankLoop> main_loop_of(const RankTrace& trace) {
  const TraceStep* longest = nullptr;
  double most_ns = 0;
  for (const TraceStep& step : trace.steps) {
    const double ns = computation_ns(step);
    if (step.count < 2 || (longest != nullptr && ns <= most_ns)) continue;
    longest = &step;
    most_ns = ns;
  }
  if (longest == nullptr) return std::nullopt;
  RankLoop loop;
  loop.iterations = longest->count;
  loop.per_iteration = events_of(*longest) / longest->count;
  loop.iteration_s = most_ns / static_cast<double>(longest->count) * 1e-9;
  for (const TraceStep* step = trace.steps.data(); step != longest; ++step) loop.before += events_of(*step);
  const uint64_t end = loop.before + loop.per_iteration * loop.iterations;
  uint64_t at = 0;
  each_occurrence(trace.steps, [&](const TraceStep& step, uint64_t number) {
    if (at++ < end) return;
    loop.after_s.push_back(number < step.computations_s.size() ? step.computations_s[number]
                                                               : static_cast<float>(step.before.mean_s()));
  });
  loop.after_s.push_back(static_cast<float>(static_cast<double>(trace.tail_ns) * 1e-9));
  if (const ComputationVector all = computations_of(trace); !all.empty()) {
    loop.apart = distance_of(all.data() + loop.before, loop.per_iteration, loop.iterations, loop.iteration_s);
  }
  return loop;
}

}  // namespace scalediag::loggp
