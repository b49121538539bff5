// One run of a program as another tool has profiled it, whatever the tool's format: values of metrics of call paths,
// and the numbers that tell which run it was.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace scalediag::fit {

constexpr char kRunTime[] = "time";              // of a call path without what it called, in seconds, of the mean rank
constexpr char kCpuTime[] = "cpu_time";          // as kRunTime, where waiting is not part of it
constexpr char kTotalCpuTime[] = "total_cpu_time";
constexpr char kTotalTime[] = "total_time";      // of the whole program, in seconds, of the mean rank
constexpr char kWholeRun[] = "[whole program]";  // its call path

// A reader refuses a file whose call paths are longer together, since each one holds all of its callers.
constexpr size_t kMostPathBytes = size_t{256} << 20;

// A run takes no more values, which bounds the memory whatever a file has: some 300 bytes each.
constexpr size_t kMostRunValues = 4'000'000;

// A metric of a call path of one run, in the unit of the metric's name: "time" is seconds.
struct RunValue {
  std::string call_path;  // frames separated by "->"
  std::string metric;
  double value = 0;
};

// The rest of `whole` after `parts`; 0 where that is no more than rounding, or less than nothing.
inline double remainder_of(double whole, double parts) {
  const double rest = whole - parts;
  return rest < 1e-9 * whole ? 0 : rest;
}

class MeasuredRun {
 public:
  std::string file;                        // as given; names of folders and files can hold parameters
  std::optional<double> processes;         // MPI ranks, where the file tells
  std::map<std::string, double> metadata;  // other numbers about the run, of which some may be parameters
  std::vector<std::string> notes;          // what the reader left out or assumed

  // Values that have the same path and metric are added up: a path that was reached at several places.
  void add(const std::string& call_path, const std::string& metric, double value) {
    if (values_.size() == kMostRunValues && places_.count(call_path + '\0' + metric) == 0) {
      if (first_left_out_.empty()) first_left_out_ = call_path + ", " + metric;
      return;
    }
    const auto [place, is_new] = places_.try_emplace(call_path + '\0' + metric, values_.size());
    if (is_new) {
      values_.push_back({call_path, metric, value});
    } else {
      values_[place->second].value += value;
    }
  }

  // In the order in which they were first added.
  const std::vector<RunValue>& values() const { return values_; }

  // The first value beyond kMostRunValues; empty: all are there.
  const std::string& first_left_out() const { return first_left_out_; }

 private:
  std::vector<RunValue> values_;
  std::string first_left_out_;
  std::unordered_map<std::string, size_t> places_;
};

}  // namespace scalediag::fit
