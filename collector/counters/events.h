// From events, as PAPI names them, to the metrics of the vocabulary, and back. The table is events.def.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/profile.h"

namespace scalediag::counters {

struct Term {
  std::string event;
  int factor = 1;  // negative: subtracted
};

// A line of the table.
struct MetricFormula {
  std::string processors;
  std::string metric;
  std::string formula;
  std::string source;
  std::vector<Term> terms;
};
const std::vector<MetricFormula>& metric_formulas();

// The derivation of one metric from counts.
struct CountedMetric {
  core::CounterEvent description;
  std::vector<std::pair<size_t, int>> terms;  // index into the events, factor

  // The metric's value; `counts` in the order of the events. At least 0, since counts of several events are not taken
  // at exactly the same moment.
  double value(const std::vector<double>& counts) const;
};

// The metrics of events that were counted together. Each event is in at least one metric: of the vocabulary, where it
// gives one by itself or with others, and under its own name where it gives none by itself. Each metric occurs once.
std::vector<CountedMetric> metrics_of(const std::vector<std::string>& events);

// Groups of events that are counted at once, each beginning with `base`, or with its first event alone where a set
// needs the room. The events of a set stay together, since a metric that is made of several needs all of them in one
// run. `fits` says whether events can be counted at once. A set that fits into no group comes back in `left_out`.
struct EventGroups {
  std::vector<std::vector<std::string>> groups;  // at least one
  std::vector<std::vector<std::string>> left_out;
};
EventGroups divide_into_groups(const std::vector<std::string>& base, const std::vector<std::vector<std::string>>& sets,
                               const std::function<bool(const std::vector<std::string>&)>& fits);

// Whether two names mean one event: the text before "::" (the unit that counts), ":precise=N" and the case
// do not matter.
bool same_event(const std::string& a, const std::string& b);

}  // namespace scalediag::counters
