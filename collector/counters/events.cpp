#include "collector/counters/events.h"

#include <strings.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace scalediag::counters {
namespace {

std::vector<Term> terms_of(const std::string& formula) {
  std::vector<Term> terms;
  int sign = 1, factor = 1;
  std::istringstream words(formula);
  for (std::string word; words >> word;) {
    if (word == "+" || word == "-") {
      sign = word == "+" ? 1 : -1;
    } else if (const bool is_factor = word.find_first_not_of("0123456789") == std::string::npos; is_factor) {
      factor = std::stoi(word);
    } else if (word != "*") {
      terms.push_back({word, sign * factor});
      factor = 1;
    }
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

// Without the request for exact addresses, which changes nothing of what is counted.
std::string without_precision(const std::string& name) { return name.substr(0, name.find(":precise=")); }

// Indices of the terms' events; empty when one was not counted.
std::vector<std::pair<size_t, int>> places_of(const MetricFormula& line, const std::vector<std::string>& events) {
  std::vector<std::pair<size_t, int>> places;
  for (const Term& term : line.terms) {
    const auto found =
        std::ranges::find_if(events, [&term](const std::string& event) { return same_event(event, term.event); });
    if (found == events.end()) return {};
    places.emplace_back(static_cast<size_t>(found - events.begin()), term.factor);
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
  for (const auto& [place, factor] : terms) sum += place < counts.size() ? factor * counts[place] : 0;
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

EventGroups divide_into_groups(const std::vector<std::string>& base, const std::vector<std::vector<std::string>>& sets,
                               const std::function<bool(const std::vector<std::string>&)>& fits) {
  using Events = std::vector<std::string>;
  EventGroups divided{{base}, {}};
  const auto with = [](Events group, const Events& set) {
    for (const std::string& event : set) {
      const auto is_it = [&event](const std::string& other) { return same_event(event, other); };
      if (std::ranges::none_of(group, is_it)) group.push_back(event);
    }
    return group;
  };
  for (const Events& set : sets) {
    const auto room = std::ranges::find_if(divided.groups, [&](const Events& group) {
      const Events both = with(group, set);
      return both.size() == group.size() || fits(both);
    });
    if (room != divided.groups.end()) {
      *room = with(*room, set);
      continue;
    }
    const Events own = fits(with(base, set)) ? with(base, set) : with({base.front()}, set);
    if (fits(own)) {
      divided.groups.push_back(own);
    } else {
      divided.left_out.push_back(set);
    }
  }
  return divided;
}

bool same_event(const std::string& a, const std::string& b) {
  const std::string first = without_precision(a), second = without_precision(b);
  return strcasecmp(without_unit(first), without_unit(second)) == 0;
}

}  // namespace scalediag::counters
