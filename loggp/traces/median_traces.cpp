#include "loggp/traces/median_traces.h"

#include <algorithm>
#include <cmath>

namespace scalediag::loggp {
namespace {

using Steps = std::vector<const std::vector<TraceStep>*>;

bool are_alike(const std::vector<TraceStep>& a, const std::vector<TraceStep>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TraceStep& x, const TraceStep& y) {
    return x.count == y.count && x.before.n == y.before.n && x.computations_s.size() == y.computations_s.size() &&
           (x.count > 0 ? are_alike(x.body, y.body) : x.event == y.event);
  });
}

bool are_alike(const RankTrace& a, const RankTrace& b) {
  const auto same = [](const TraceEvent& x, const TraceEvent& y) { return x.kind == y.kind && x.bytes == y.bytes; };
  return b.incomplete.empty() && a.n_events == b.n_events && a.routines == b.routines &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), same) &&
         are_alike(a.steps, b.steps);
}

// Sorts `values`.
template <class T> T middle_of(std::vector<T>& values) {
  std::ranges::sort(values);
  const T &low = values[(values.size() - 1) / 2], &high = values[values.size() / 2];
  return low + (high - low) / 2;
}

auto median(const Steps& runs, size_t step, const auto& member) {
  std::vector<std::decay_t<decltype(member(runs.front()->front()))>> values;
  for (const auto* steps : runs) values.push_back(member((*steps)[step]));
  return middle_of(values);
}

// `runs`: alike; those of `steps` among them, as they were.
void take_medians(std::vector<TraceStep>& steps, const Steps& runs) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].count > 0) {
      Steps bodies;
      for (const auto* run : runs) bodies.push_back(&(*run)[i].body);
      take_medians(steps[i].body, bodies);
      continue;
    }
    for (uint64_t TraceTimes::*time :
         {&TraceTimes::total, &TraceTimes::least, &TraceTimes::most, &TraceTimes::deviation}) {
      steps[i].before.*time = median(runs, i, [time](const TraceStep& step) { return step.before.*time; });
    }
    for (size_t k = 0; k < steps[i].computations_s.size(); ++k) {
      steps[i].computations_s[k] = median(runs, i, [k](const TraceStep& step) { return step.computations_s[k]; });
    }
  }
}

uint64_t stretched(uint64_t ns, double factor) {
  return static_cast<uint64_t>(std::llround(static_cast<double>(ns) * factor));
}

void stretch(const RankTrace& trace, std::vector<TraceStep>& steps, double factor) {
  for (TraceStep& step : steps) {
    stretch(trace, step.body, factor);
    if (step.count == 0 && trace.events[step.event].kind == trace::EventKind::kDeviceWait) continue;
    for (uint64_t TraceTimes::*time :
         {&TraceTimes::total, &TraceTimes::least, &TraceTimes::most, &TraceTimes::deviation}) {
      step.before.*time = stretched(step.before.*time, factor);
    }
    for (float& seconds : step.computations_s) seconds *= static_cast<float>(factor);
  }
}

}  // namespace

void stretch_computations(RankTrace& trace, double factor) {
  if (factor == 1) return;
  stretch(trace, trace.steps, factor);
  trace.tail_ns = stretched(trace.tail_ns, factor);
}

void stretch_computations(std::vector<RankTrace>& run, double factor) {
  for (RankTrace& trace : run) stretch_computations(trace, factor);
}

int take_medians(std::vector<RankTrace>& run, const std::vector<std::vector<RankTrace>>& repeats) {
  int n = 0;
  for (size_t rank = 0; rank < run.size(); ++rank) {
    const RankTrace as_recorded = run[rank];
    Steps runs = {&as_recorded.steps};
    std::vector<uint64_t> tails = {as_recorded.tail_ns};
    for (const std::vector<RankTrace>& repeat : repeats) {
      if (rank >= repeat.size() || !are_alike(as_recorded, repeat[rank])) continue;
      runs.push_back(&repeat[rank].steps);
      tails.push_back(repeat[rank].tail_ns);
    }
    if (runs.size() == 1) continue;
    take_medians(run[rank].steps, runs);
    run[rank].tail_ns = middle_of(tails);
    ++n;
  }
  return n;
}

}  // namespace scalediag::loggp
