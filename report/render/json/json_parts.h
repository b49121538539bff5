// Pieces of findings as JSON that more than one document has. An estimate is {"value", "low", "high", "level"}; values
// that do not apply are null.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "report/findings/findings.h"

namespace scalediag::report {

using Json = nlohmann::ordered_json;

// Significant digits of the numbers in report.json, and of those that there are many of.
constexpr int kDigits = 9;
constexpr int kEvidenceDigits = 6;

Json json_of(const Estimate& estimate);
Json json_of(const Point& point);
Json json_of(const BacktestFindings& backtest);
Json json_of(const Trust& trust);  // {"grade", "reasons": [{"doubt", "grade", "figure", "at", "text"}]}
Json json_of(const Efficiencies& efficiencies);
// What sources of a prediction say: [{"component", "source", "estimate", "backtest", "taken", "why"}]
Json sources_json(const std::vector<predict::SourceLine>& sources);
// Why ranks wait: [{"cause", "estimate"}], the largest first
Json waiting_json(const std::vector<predict::CauseOfWaiting>& causes);
Json json_of(const std::map<int, double>& values);  // {"4": 100, "8": 100}
inline Json json_of(double value) { return value; }
inline Json json_of(int value) { return value; }
inline Json json_of(bool value) { return value; }

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

// Numbers of processes and sizes of problems are written as integers wherever they are whole: readers use them as keys
// and print them.
Json parameter_value(double value);

Json text_or_null(const std::string& text);

// The beginning of every document of findings: all of them except targets and the parts that only a report has.
Json common_json(const Findings& findings, const char* schema);

}  // namespace scalediag::report
