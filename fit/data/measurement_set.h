// The content of a file of measurements, whatever its format: series ready to be fitted.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fit/data/observations.h"

namespace scalediag::fit {

struct MeasurementSet {
  std::vector<std::string> parameter_names;
  std::vector<Series> series;         // one a call path and metric, in the order in which the file names them
  std::vector<std::string> warnings;  // values that had to be left out, with their places
  std::vector<std::string> notes;     // what was assumed
  std::string origin;                 // of several files: how many there were, and where parameters come from
};

// Index of the parameter that is the number of processes: the first that is named so (named_processes), else the first.
size_t processes_parameter(const std::vector<std::string>& names);

// A note where the first parameter is only assumed to be the number of processes; empty where one has such a name.
std::string assumed_processes(const std::vector<std::string>& names);

// True where a metric of a call path is a time by its name: "time", "runtime [us]", "compute_s", kDefaultMetric.
bool is_time_metric(const std::string& metric);

// Puts measurements together by call path, metric and point. Values that cannot be modelled (not finite, negative,
// beyond kLargestValue) and points with a parameter that is not positive are left out and told in `warnings`.
class SeriesBuilder {
 public:
  explicit SeriesBuilder(std::vector<std::string> parameter_names);

  const std::vector<std::string>& parameter_names() const { return set_.parameter_names; }

  // Precondition: at.size() == parameter_names().size(). `where` ("data.txt:12") is the position that warnings give.
  void add(const std::string& call_path, const std::string& metric, std::span<const double> at,
           std::span<const double> values, const std::string& where);

  MeasurementSet finish() &&;

 private:
  struct Position {
    size_t series = 0;
    std::map<std::vector<double>, size_t> observation_of;
  };
  void leave_out(const std::string& where, const std::string& what);

  MeasurementSet set_;
  std::unordered_map<std::string, Position> positions_;
  size_t left_out_ = 0;
};

// Extra-P separates the frames of a call path by "->"; blanks around the separator are not part of the names.
std::string normalized_call_path(const std::string& text);

// The names that replace a missing call path or metric, as in Extra-P.
constexpr char kDefaultCallPath[] = "<root>";
constexpr char kDefaultMetric[] = "<default>";

// The call path that `scalediag export` gives the totals of a profile. Data that have it were exported from one.
constexpr char kWholeProgram[] = "[all]";

}  // namespace scalediag::fit
