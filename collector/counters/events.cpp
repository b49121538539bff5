#include "collector/counters/events.h"

#include <strings.h>

#include <algorithm>
#include <set>

namespace scalediag::counters {
namespace {

std::vector<Term> terms_of(const std::string& formula) {
  std::vector<Term> terms;
  int sign = 1;
  for (size_t at = 0; at < formula.size();) {
    const size_t end = std::min(formula.find(' ', at), formula.size());
    const std::string word = formula.substr(at, end - at);
    if (word == "+" || word == "-") {
      sign = word == "+" ? 1 : -1;
    } else if (!word.empty()) {
      terms.push_back({word, sign});
    }
    at = end + 1;
  }
  return terms;
}

// The part that names the event: "skx::MEM_LOAD_RETIRED:L1_HIT" is "MEM_LOAD_RETIRED:L1_HIT". Names of other components
// of PAPI ("sde:::lib::NAME") have three colons and stay whole.
const char* without_unit(const std::string& name) {
  const size_t colons = name.find("::");
  if (colons == std::string::npos || name.compare(colons, 3, ":::") == 0) return name.c_str();
  return name.c_str() + colons + 2;
}

// Indices of the terms' events; empty when one was not counted.
std::vector<std::pair<size_t, int>> places_of(const MetricFormula& line, const std::vector<std::string>& events) {
  std::vector<std::pair<size_t, int>> places;
  for (const Term& term : line.terms) {
    const auto found = std::find_if(events.begin(), events.end(),
                                    [&term](const std::string& event) { return same_event(event, term.event); });
    if (found == events.end()) return {};
    places.emplace_back(static_cast<size_t>(found - events.begin()), term.sign);
  }
  return places;
}

}  // namespace

const std::vector<MetricFormula>& metric_formulas() {
  static const std::vector<MetricFormula> lines = {
#define EVENTS(processors, metric, formula, source) {processors, metric, formula, source, terms_of(formula)},
#include "collector/counters/events.def"
#undef EVENTS
  };
  return lines;
}

double CountedMetric::value(const std::vector<double>& counts) const {
  double sum = 0;
  for (const auto& [place, sign] : terms) sum += place < counts.size() ? sign * counts[place] : 0;
  return std::max(0.0, sum);
}

std::vector<CountedMetric> metrics_of(const std::vector<std::string>& events) {
  std::vector<CountedMetric> metrics;
  std::set<std::string> named;
  std::set<size_t> with_metric;  // events that are one by themselves
  for (const MetricFormula& line : metric_formulas()) {
    if (named.count(line.metric) != 0) continue;
    auto places = places_of(line, events);
    if (places.empty()) continue;
    named.insert(line.metric);
    const bool derived = places.size() > 1;
    if (!derived) with_metric.insert(places.front().first);
    metrics.push_back({{derived ? line.formula : events[places.front().first], line.metric, derived,
                        derived ? line.formula + " (" + line.source + ")" : line.source},
                       std::move(places)});
  }
  for (size_t i = 0; i < events.size(); ++i) {
    if (with_metric.count(i) != 0 || !named.insert(events[i]).second) continue;
    metrics.push_back({{events[i], events[i], false, "PAPI"}, {{i, 1}}});
  }
  return metrics;
}

bool same_event(const std::string& a, const std::string& b) {
  return strcasecmp(without_unit(a), without_unit(b)) == 0;
}

}  // namespace scalediag::counters
