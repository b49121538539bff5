#include "predict/target.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/most_ranks.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/value_list.h"

namespace scalediag::predict {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

std::string range_of(const std::vector<double>& values) {
  if (values.size() == 1) return core::to_text(values.front());
  return core::to_text(values.front()) + " to " + core::to_text(values.back());
}

// The values of one --at, checked against the measured ones.
Result<std::pair<size_t, std::vector<double>>> one_parameter(const std::string& text,
                                                             const MeasuredParameters& measured) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{ErrorCode::kUsage, "--at " + text + ": expected NAME=LIST",
                 "for example --at " + measured.names[measured.processes] + "=256,1024", ""};
  }
  const std::string name = text.substr(0, equals);
  const auto found = std::find(measured.names.begin(), measured.names.end(), name);
  if (found == measured.names.end()) {
    return Error{ErrorCode::kUsage, "--at " + text + ": there is no parameter '" + name + "'",
                 "the data have: " + core::join(measured.names), ""};
  }
  const size_t index = static_cast<size_t>(found - measured.names.begin());
  const Result<std::vector<core::ListValue>> list = core::parse_value_list(text.substr(equals + 1), "--at " + name);
  if (!list) return list.error();
  std::vector<double> values;
  for (const core::ListValue& item : list.value()) {
    if (!(item.value > 0) || !std::isfinite(item.value)) {
      return Error{ErrorCode::kUsage, "--at " + name + ": " + item.text + " is not above 0",
                   "models need positive values", ""};
    }
    if (index == measured.processes) {
      if (item.value > core::kMostProcesses) {
        return Error{ErrorCode::kUsage, "--at " + name + ": " + item.text + " is more than 1e9 processes",
                     "no model reaches that far", ""};
      }
      if (measured.whole_processes && item.value != std::floor(item.value)) {
        return Error{ErrorCode::kUsage, "--at " + name + ": " + item.text + " is not a whole number",
                     "give " + core::to_text(std::floor(item.value)) + " or " + core::to_text(std::ceil(item.value)),
                     ""};
      }
      if (item.value < measured.values[index].front()) {
        return Error{ErrorCode::kUsage,
                     "--at " + name + ": " + item.text + " is below the measured range (" +
                         range_of(measured.values[index]) + ")",
                     "predictions go to larger scales; measure this one: it is cheaper than what was measured", ""};
      }
    }
    values.push_back(item.value);
  }
  return std::pair(index, std::move(values));
}

}  // namespace

std::string Target::text() const {
  std::string text;
  for (size_t i = 0; i < names_.size(); ++i) {
    text += (text.empty() ? "" : " ") + names_[i] + "=" + core::to_text(values_[i]);
  }
  return text;
}

MeasuredParameters measured_parameters(const fit::ApplicationData& data) {
  MeasuredParameters measured;
  measured.names = data.parameter_names;
  measured.processes = data.processes;
  measured.whole_processes = data.has_totals();
  for (size_t p = 0; p < measured.names.size(); ++p) {
    std::set<double> values;
    for (const fit::ConfigurationPoint& c : data.configurations) values.insert(c.at[p]);
    measured.values.emplace_back(values.begin(), values.end());
  }
  return measured;
}

Result<std::vector<Target>> default_targets(const MeasuredParameters& measured) {
  std::vector<std::string> at;
  for (size_t p = 0; p < measured.names.size(); ++p) {
    const double largest = measured.values[p].back();
    const auto times = [&](double factor) { return core::to_text(std::min(factor * largest, core::kMostProcesses)); };
    at.push_back(measured.names[p] + "=" +
                 (p == measured.processes ? times(4) + "," + times(16) : core::to_text(largest)));
  }
  return parse_targets(at, measured);
}

Result<std::vector<Target>> parse_targets(const std::vector<std::string>& at, const MeasuredParameters& measured) {
  std::vector<std::vector<double>> chosen(measured.names.size());
  for (const std::string& text : at) {
    Result<std::pair<size_t, std::vector<double>>> parsed = one_parameter(text, measured);
    if (!parsed) return parsed.error();
    auto& [index, values] = parsed.value();
    if (!chosen[index].empty()) {
      return Error{ErrorCode::kUsage, "--at " + measured.names[index] + " is given twice",
                   "give all values in one list: --at " + measured.names[index] + "=A,B,C", ""};
    }
    chosen[index] = std::move(values);
  }
  size_t combinations = 1;
  for (size_t p = 0; p < chosen.size(); ++p) {
    if (chosen[p].empty()) {
      if (measured.values[p].size() > 1) {
        return Error{ErrorCode::kUsage,
                     "--at does not say which " + measured.names[p] + ", and it was measured at several values",
                     "add --at " + measured.names[p] + "=" + core::to_text(measured.values[p].back()), ""};
      }
      chosen[p] = measured.values[p];
    }
    combinations *= chosen[p].size();
    if (combinations > kMaxTargets) {
      return Error{ErrorCode::kUsage, "--at gives more than " + std::to_string(kMaxTargets) + " combinations",
                   "shorten the lists, or predict several times", ""};
    }
  }
  std::vector<std::vector<double>> all = {{}};
  for (const std::vector<double>& values : chosen) {
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& target : all) {
      for (const double value : values) {
        longer.push_back(target);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  std::vector<Target> targets;
  for (std::vector<double>& values : all) targets.emplace_back(measured.names, std::move(values), measured.processes);
  return targets;
}

std::string size_without_effect(const std::string& size, const MeasuredParameters& measured,
                                const std::vector<Target>& targets) {
  const auto found = std::find(measured.names.begin(), measured.names.end(), size);
  if (size.empty() || found == measured.names.end()) return "";
  const size_t index = static_cast<size_t>(found - measured.names.begin());
  const std::string changes_nothing = "--size " + size + " changes nothing: ";
  // Of a size that was measured at several values models are over D/P and D; of one, over D/P where nothing else varies
  // (fit/curves/fit.cpp).
  if (measured.values[index].size() > 1 && measured.values[measured.processes].size() > 1) return "";
  for (size_t p = 0; p < measured.names.size(); ++p) {
    if (p == measured.processes || measured.values[p].size() < 2) continue;
    return changes_nothing + measured.names[p] + " was measured at " + std::to_string(measured.values[p].size()) +
           " values, and work per process is made use of only where nothing but " + measured.names[measured.processes] +
           " varies";
  }
  const double only = measured.values[index].front();
  const bool asked_elsewhere =
      std::any_of(targets.begin(), targets.end(), [&](const Target& at) { return at.values()[index] != only; });
  if (asked_elsewhere) return "";
  return changes_nothing + "every target has the measured " + size + "=" + core::to_text(only) + "; " + size +
         "=VALUE asks for another one";
}

}  // namespace scalediag::predict
