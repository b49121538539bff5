#include "loggp/traces/counted_traces.h"

#include <algorithm>

#include "core/atomic_file.h"
#include "core/text/formatted.h"

namespace scalediag::loggp {
namespace {

bool is_same(const RankTrace& a, const TraceEvent& x, const RankTrace& b, const TraceEvent& y) {
  return x.kind == y.kind && a.routines[x.routine] == b.routines[y.routine] && x.communicator == y.communicator &&
         x.peer == y.peer && x.tag == y.tag && x.bytes == y.bytes && x.source == y.source;
}

bool are_same(const RankTrace& a, const std::vector<TraceStep>& x, const RankTrace& b,
              const std::vector<TraceStep>& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const TraceStep& s, const TraceStep& t) {
    if (s.count != t.count) return false;
    return s.count > 0 ? are_same(a, s.body, b, t.body) : is_same(a, a.events[s.event], b, b.events[t.event]);
  });
}

// Occurrences of events, and those whose instructions were counted.
struct Occurrences {
  uint64_t all = 0, counted = 0;

  void add(const std::vector<TraceStep>& steps) {
    for (const TraceStep& step : steps) {
      if (step.count > 0) {
        add(step.body);
        continue;
      }
      all += step.before.n;
      counted += step.instructions.n;
    }
  }
};

void take(std::vector<TraceStep>& steps, const std::vector<TraceStep>& counted) {
  for (size_t i = 0; i < steps.size(); ++i) {
    take(steps[i].body, counted[i].body);
    steps[i].instructions = counted[i].instructions;
    steps[i].each_instructions = counted[i].each_instructions;
  }
}

}  // namespace

bool have_same_events(const RankTrace& a, const RankTrace& b) { return are_same(a, a.steps, b, b.steps); }

void take_instructions(RankTrace& trace, const RankTrace& counted) {
  take(trace.steps, counted.steps);
  trace.counted_for = counted.counted_for;
  const auto is_same_mark = [](const TraceMark& a, const TraceMark& b) {
    return a.kind == b.kind && a.computation == b.computation;
  };
  if (std::equal(trace.marks.begin(), trace.marks.end(), counted.marks.begin(), counted.marks.end(), is_same_mark)) {
    for (size_t i = 0; i < trace.marks.size(); ++i)
      trace.marks[i].after_instructions = counted.marks[i].after_instructions;
  }
}

Result<std::vector<std::string>> take_instructions(std::vector<RankTrace>& traces, const std::string& folder,
                                                   const std::vector<int>& ranks, const std::vector<int>& stands_for) {
  std::vector<std::string> without;
  Occurrences occurrences;
  for (size_t i = 0; i < ranks.size() && i < stands_for.size(); ++i) {
    const auto rank = static_cast<size_t>(ranks[i]);
    if (rank >= traces.size()) continue;
    const std::string name = core::formatted("/rank%06d.trace", ranks[i]);
    const auto text = core::read_file(folder + name);
    if (!text) continue;  // recorded without instructions
    auto counted = TRY(parse_rank_trace(text.value(), folder + name));
    if (counted.counted_for == 0 || !have_same_events(traces[rank], counted)) {
      without.push_back("the instructions of rank " + std::to_string(ranks[i]) + " of " +
                        std::to_string(traces.size()) + " are not used: " +
                        (counted.counted_for == 0
                             ? "none were counted"
                             : "it had other events, or in another order, in the run that counted them"));
      continue;
    }
    take_instructions(traces[rank], counted);
    traces[rank].counted_for = stands_for[i];
    occurrences.add(traces[rank].steps);
  }
  if (occurrences.counted < occurrences.all) {
    without.push_back("of " + std::to_string(occurrences.all) + " events on " + std::to_string(traces.size()) +
                      " ranks the instructions of " + std::to_string(occurrences.counted) +
                      " were counted, the first ones of each rank; `profile --count-calls` says how many");
  }
  return without;
}

}  // namespace scalediag::loggp
