#include "cli/inputs/size_input.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/equations/size_expression.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/value_list.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using Values = std::map<std::string, double>;

// The sizes that --size-values gives for values of a parameter.
struct SizeTable {
  std::string parameter;
  std::map<double, double> sizes;
};

Error wrong_size(const std::string& what, const std::string& hint) { return {ErrorCode::kUsage, what, hint, "--size"}; }

Result<SizeTable> parse_size_table(const std::string& text) {
  const Error wrong = wrong_size("--size-values " + text + ": expected PARAMETER=VALUE:CELLS,...",
                                 "for example --size cells=case --size-values case=1:32000,2:64000");
  SizeTable table;
  if (text.empty()) return table;
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return wrong;
  table.parameter = text.substr(0, equals);
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const size_t colon = text.find(':', begin);
    if (colon >= end) return wrong;
    const auto value = core::parse_value_list(text.substr(begin, colon - begin), "--size-values"),
               size = core::parse_value_list(text.substr(colon + 1, end - colon - 1), "--size-values");
    if (!value || !size || value.value().size() != 1 || size.value().size() != 1) return wrong;
    if (!(size.value().front().value > 0)) return wrong;
    if (!table.sizes.try_emplace(value.value().front().value, size.value().front().value).second) {
      return wrong_size("--size-values says twice what " + text.substr(begin, colon - begin) + " is", "say it once");
    }
    begin = end + 1;
  }
  return table;
}

Result<double> size_at(const core::SizeExpression& expression, const SizeTable& table, Values values) {
  if (const auto found = values.find(table.parameter); found != values.end()) {
    const auto size = table.sizes.find(found->second);
    if (size == table.sizes.end()) {
      return wrong_size(
          "--size-values does not say what " + table.parameter + "=" + core::to_text(found->second) + " is",
          "add " + core::to_text(found->second) + ":CELLS");
    }
    found->second = size->second;
  }
  const double size = expression.value(values);
  if (size > 0 && std::isfinite(size)) return size;
  return wrong_size("--size: " + expression.name + " is " + core::to_text(size) + " where " +
                        core::join(values, " ", [](const auto& v) { return v.first + "=" + core::to_text(v.second); }),
                    "a size is above 0");
}

// Puts the size in place of its parameters among `names`.
void rename(const core::SizeExpression& expression, std::vector<std::string>& names) {
  const std::vector<std::string> gone = expression.parameters();
  std::erase_if(names, [&](const std::string& name) { return std::count(gone.begin(), gone.end(), name) > 0; });
  names.push_back(expression.name);
}

// The same in the values of a run.
core::Status replace(const core::SizeExpression& expression, const SizeTable& table, Values& values) {
  Values own;
  for (const std::string& parameter : expression.parameters()) {
    own[parameter] = values.at(parameter);
    values.erase(parameter);
  }
  const auto size = size_at(expression, table, own);
  if (!size) return size.error();
  values[expression.name] = size.value();
  return core::Done{};
}

// The sizes of --at NAME=LIST for the expression's parameters, all combinations; `measured` are the values where one is
// not named. Takes those out of `at`.
core::Status translate_targets(const core::SizeExpression& expression, const SizeTable& table,
                               const std::map<std::string, std::set<double>>& measured, std::vector<std::string>& at) {
  std::vector<Values> combinations = {{}};
  bool is_named = false;
  for (const std::string& parameter : expression.parameters()) {
    std::vector<double> wanted(measured.at(parameter).begin(), measured.at(parameter).end());
    const auto named =
        std::find_if(at.begin(), at.end(), [&](const auto& t) { return t.starts_with(parameter + "="); });
    if (named != at.end()) {
      const auto list = core::parse_value_list(named->substr(parameter.size() + 1), "--at " + parameter);
      if (!list) return list.error();
      wanted.clear();
      for (const core::ListValue& value : list.value()) wanted.push_back(value.value);
      at.erase(named);
      is_named = true;
    }
    std::vector<Values> all;
    for (const Values& one : combinations) {
      for (const double value : wanted) all.emplace_back(one)[parameter] = value;
    }
    combinations = std::move(all);
  }
  if (!is_named) return core::Done{};
  std::set<double> sizes;
  for (const Values& one : combinations) {
    const auto size = size_at(expression, table, one);
    if (!size) return size.error();
    sizes.insert(size.value());
  }
  at.push_back(expression.name + "=" + core::list_of(sizes));
  return core::Done{};
}

}  // namespace

core::Status choose_size(MeasurementInput& input, PredictionRequest& request) {
  const auto table = parse_size_table(request.size_values);
  if (!table) return table.error();
  if (request.size.find('=') == std::string::npos) {
    if (request.size_values.empty()) return core::Done{};
    return wrong_size("--size-values needs --size NAME=EXPRESSION with its parameter",
                      "for example --size cells=" + table.value().parameter);
  }
  const auto expression = core::parse_size_expression(request.size);
  if (!expression) return expression.error();
  if (!input.profile) {
    return wrong_size("--size " + request.size + ": expressions are for profiles, which " + input.path + " is not",
                      "put a column of the size into the data");
  }
  if (input.program) {
    return wrong_size("--size " + request.size + ": expressions are for whole runs, and --region is a part",
                      "leave out one of them");
  }
  const std::vector<std::string> parameters = expression.value().parameters();
  std::vector<std::string> known = input.profile->parameter_names;
  for (const std::string& parameter : parameters) {
    if (std::count(known.begin(), known.end(), parameter) > 0) continue;
    return wrong_size("--size " + request.size + ": the data have no parameter " + parameter +
                          (parameter == "np" ? " but the number of processes, which no size follows" : ""),
                      known.empty() ? "measure with `scalediag profile --param " + parameter + "=LIST`"
                                    : "the data have: " + core::join(known));
  }
  if (expression.value().name == "np" || std::count(known.begin(), known.end(), expression.value().name) > 0) {
    return wrong_size("--size " + request.size + ": the data have a parameter of that name", "choose another one");
  }
  rename(expression.value(), known);
  std::map<std::string, std::set<double>> measured;
  std::map<double, Values> seen;
  for (core::Run& run : input.profile->runs) {
    Values own;
    for (const std::string& parameter : parameters) {
      own[parameter] = run.parameters.at(parameter);
      measured[parameter].insert(own[parameter]);
    }
    if (const core::Status replaced = replace(expression.value(), table.value(), run.parameters); !replaced) {
      return replaced;
    }
    const double size = run.parameters.at(expression.value().name);
    if (seen.emplace(size, own).first->second == own) continue;
    return Error{ErrorCode::kInput,
                 "--size " + request.size + ": runs of different parameters have the size " + core::to_text(size),
                 "name the parameter that is the size, or measure them into folders of their own", input.path};
  }
  input.profile->parameter_names = known;
  request.size = expression.value().name;
  return translate_targets(expression.value(), table.value(), measured, request.at);
}

}  // namespace scalediag::cli
