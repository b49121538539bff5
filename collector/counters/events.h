// From events, as PAPI names them, to the metrics of the vocabulary, and back. The table is events.def.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/profile.h"

namespace scalediag::counters {

struct Term {
  std::string event;
  int sign = 1;
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

// How one metric follows from counts.
struct CountedMetric {
  core::CounterEvent description;
  std::vector<std::pair<size_t, int>> terms;  // index into the events, sign

  // `counts` in the order of the events; at least 0, because counts of several events are not of the very same moment.
  double value(const std::vector<double>& counts) const;
};

// What becomes of events that were counted together, each in one metric at least: of the vocabulary, where it stands
// for one by itself or with others, and under its own name where it does not stand for one by itself. A metric comes
// once.
std::vector<CountedMetric> metrics_of(const std::vector<std::string>& events);

// Whether two names mean one event: what stands before "::" (the unit that counts) and the case do not matter.
bool same_event(const std::string& a, const std::string& b);

}  // namespace scalediag::counters
