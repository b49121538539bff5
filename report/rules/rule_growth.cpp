#include "report/rules/rule_growth.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/regression.h"
#include "core/statistics.h"
#include "core/text/numbers.h"
#include "fit/numerics/normal_quantile.h"
#include "fit/numerics/student_t.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {
namespace {

// The values of all repeats at a number of processes.
using Scales = std::map<double, std::vector<double>>;

// The measured scales whose other parameters are as in `like`.
Scales measured_scales(const fit::Series& series, size_t processes, std::vector<double> like) {
  Scales scales;
  for (const fit::Observation& o : series.observations) {
    like[processes] = o.at[processes];
    if (o.at != like) continue;
    std::vector<double>& values = scales[o.at[processes]];
    values.insert(values.end(), o.values.begin(), o.values.end());
  }
  std::erase_if(scales, [](const auto& scale) { return !(core::mean(scale.second) > 0); });
  return scales;
}

double quantile(double degrees) { return fit::student_t_quantile(0.5 + kRuleLevel / 2, degrees); }

// The line through the logarithms of the means; empty for fewer than two scales.
std::optional<core::Line> line_of(const Scales& scales) {
  std::vector<double> x, y;
  for (const auto& [processes, values] : scales) {
    x.push_back(std::log(processes));
    y.push_back(std::log(core::mean(values)));
  }
  return core::line_through(x, y);
}

// Half the slope's interval by the residuals; empty for two scales.
std::optional<double> half_by_scatter(const core::Line& line) {
  if (line.points < 3) return std::nullopt;
  return quantile(static_cast<double>(line.points - 2)) * line.slope_error(line.variance());
}

// Half the slope's interval by the repeats; empty where a scale has none.
std::optional<double> half_by_repeats(const Scales& scales, const core::Line& line) {
  double variance = 0, squares = 0, least_degrees = 0;
  for (const auto& [processes, values] : scales) {
    if (values.size() < 2) return std::nullopt;
    const double n = static_cast<double>(values.size());
    const double weight = (std::log(processes) - line.mean_x) / line.spread;
    const double part = std::pow(weight * core::coefficient_of_variation(values), 2) / n;
    variance += part;
    squares += part * part / (n - 1);
    least_degrees = least_degrees > 0 ? std::min(least_degrees, n - 1) : n - 1;
  }
  const double degrees = std::max(squares > 0 ? variance * variance / squares : 0, least_degrees);
  return quantile(degrees) * std::sqrt(variance);
}

std::string at_scale(const RuleDomain& domain, double processes) {
  return domain.parameter_names[domain.processes] + "=" + core::to_text(processes);
}

core::Error too_few_scales(const Rule& rule, const RuleDomain& domain, const Scales& all, double largest) {
  const auto up_to_there = std::count_if(all.begin(), all.end(), [&](const auto& s) { return s.first <= largest; });
  const std::string what = "growth up to " + at_scale(domain, largest) +
                           " is not known: it takes at least two measured scales with some time, and up to there " +
                           (up_to_there == 0 ? "is none" : "is one");
  if (all.size() < 2) {
    return rule_error(rule, 1, what, "measure further scales, or longer runs where it was seen at none");
  }
  const auto second = std::next(all.begin());
  return rule_error(rule, 1, what, "ask for " + at_scale(domain, second->first) + " or more");
}

}  // namespace

core::Result<RuleFact> growth_measured(const Rule& rule, const fit::Series& series, const RuleDomain& domain,
                                       const std::vector<double>& at, const GrowthOptions& options) {
  const double largest = at[domain.processes];
  const Scales all = measured_scales(series, domain.processes, at);
  Scales scales = all;
  std::erase_if(scales, [largest](const auto& scale) { return scale.first > largest; });
  std::vector<MeasuredScale> means;
  for (const auto& [processes, values] : scales) means.push_back({processes, core::mean(values), options.known_error});
  const std::optional<Slope> slope = slope_of(means);
  const std::optional<core::Line> line = line_of(scales);
  if (!slope || !line) return too_few_scales(rule, domain, all, largest);
  RuleFact fact;
  fact.origin = Origin::kMeasured;
  fact.value.value = slope->exponent;
  fact.evidence = "over the " + std::to_string(scales.size()) + " measured scales from " +
                  at_scale(domain, scales.begin()->first) + " to " + at_scale(domain, scales.rbegin()->first);
  const std::optional<double> by_scatter = half_by_scatter(*line);
  const std::optional<double> by_repeats = options.repeats_tell ? half_by_repeats(scales, *line) : std::nullopt;
  if (!by_scatter && !by_repeats) {
    fact.error_unknown = options.repeats_tell ? "two scales, and one run at a scale" : "two scales only";
    return fact;
  }
  const double half = std::max({fit::kNormal90 * slope->error, by_scatter.value_or(0), by_repeats.value_or(0)});
  fact.value.low = slope->exponent - half;
  fact.value.high = slope->exponent + half;
  return fact;
}

}  // namespace scalediag::report
