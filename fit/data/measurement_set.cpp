#include "fit/data/measurement_set.h"

#include <cmath>
#include <utility>

#include "core/text/numbers.h"
#include "fit/curves/fit.h"

namespace scalediag::fit {
namespace {

// A file with a broken column has thousands of them; the first ones tell what is wrong.
constexpr size_t kMaxWarnings = 5;

}  // namespace

size_t processes_parameter(const std::vector<std::string>& names) { return named_processes(names).value_or(0); }

std::string assumed_processes(const std::vector<std::string>& names) {
  if (named_processes(names)) return "";
  return "no parameter is called np, p, P, processes, ranks, nodes, cores or gpus: " +
         names[processes_parameter(names)] + " is taken for the number of processes";
}

bool is_time_metric(const std::string& metric) {
  return metric.find("time") != std::string::npos || metric.ends_with("_s") || metric == kDefaultMetric;
}

SeriesBuilder::SeriesBuilder(std::vector<std::string> parameter_names) {
  set_.parameter_names = std::move(parameter_names);
}

void SeriesBuilder::leave_out(const std::string& where, const std::string& what) {
  if (++left_out_ <= kMaxWarnings) set_.warnings.push_back(where + ": " + what);
}

void SeriesBuilder::add(const std::string& call_path, const std::string& metric, std::span<const double> at,
                        std::span<const double> values, const std::string& where) {
  for (size_t i = 0; i < at.size(); ++i) {
    if (std::isfinite(at[i]) && at[i] > 0) continue;
    leave_out(where, "parameter " + set_.parameter_names[i] + " is " + core::to_text(at[i]) +
                         ", and models need it to be positive; the point is left out");
    return;
  }

  // '\0' cannot be typed into a name by accident; the builder is the only one that sees it.
  auto [position, is_new] = positions_.try_emplace(call_path + '\0' + metric);
  if (is_new) {
    position->second.series = set_.series.size();
    set_.series.push_back({set_.parameter_names, metric, call_path, {}});
  }
  Series& series = set_.series[position->second.series];

  std::vector<double> usable;
  usable.reserve(values.size());
  for (const double value : values) {
    if (!std::isfinite(value)) {
      leave_out(where, "the value is not a number and is left out");
    } else if (value < 0) {
      leave_out(where, "the value " + core::to_text(value) + " is negative and is left out");
    } else if (value > kLargestValue) {
      leave_out(where, "the value " + core::to_text(value) + " is beyond " + core::to_text(kLargestValue) +
                           ", which no model reaches, and is left out");
    } else {
      usable.push_back(value);
    }
  }
  if (usable.empty()) return;

  const auto [observation, is_new_point] = position->second.observation_of.try_emplace(
      std::vector<double>(at.begin(), at.end()), series.observations.size());
  if (is_new_point) series.observations.push_back({observation->first, {}});
  std::vector<double>& all = series.observations[observation->second].values;
  all.insert(all.end(), usable.begin(), usable.end());
}

MeasurementSet SeriesBuilder::finish() && {
  if (left_out_ > kMaxWarnings) {
    set_.warnings.push_back(std::to_string(left_out_ - kMaxWarnings) + " more values or points are left out");
  }
  return std::move(set_);
}

std::string normalized_call_path(const std::string& text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  std::string path;
  size_t begin = 0;
  while (true) {
    const size_t arrow = text.find("->", begin);
    size_t from = begin;
    size_t to = arrow == std::string::npos ? text.size() : arrow;
    while (from < to && is_blank(text[from])) ++from;
    while (to > from && is_blank(text[to - 1])) --to;
    path.append(text, from, to - from);
    if (arrow == std::string::npos) return path;
    path += "->";
    begin = arrow + 2;
  }
}

}  // namespace scalediag::fit
