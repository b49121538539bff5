#include "report/export.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json_line.h"
#include "core/numbers.h"
#include "core/printable.h"
#include "core/run_summary.h"

namespace scalediag::report {
namespace {

// The text of a CSV field. Spreadsheets take a text that begins with one of these characters for a formula; an
// apostrophe makes it text.
std::string csv_text(const std::string& raw) {
  std::string text = core::printable(raw, "\xEF\xBF\xBD");
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// "operator->" is a name and no call path.
std::string as_call_path(std::string name) {
  for (size_t at = 0; (at = name.find("operator->", at)) != std::string::npos; at += 10)
    name.replace(at + 8, 2, "-\xC2\xBB");
  return name;
}

// Distinct names for different kernels with the same name: static functions of two files, functions of two libraries.
class KernelNames {
 public:
  explicit KernelNames(const core::Profile& profile) {
    for (const core::Run& run : profile.runs) {
      for (const core::Kernel& kernel : run.kernels) places_[kernel.name].insert(place_of(kernel));
    }
  }
  std::string of(const core::Kernel& kernel) const {
    const bool unique = places_.at(kernel.name).size() == 1;
    return as_call_path(unique ? kernel.name : kernel.name + " [" + place_of(kernel) + "]");
  }

 private:
  static std::string place_of(const core::Kernel& kernel) {
    if (kernel.file.empty()) return kernel.module;
    return kernel.module + " " + kernel.file + ":" + std::to_string(kernel.line);
  }
  std::map<std::string, std::set<std::string>> places_;
};

std::set<std::string> operations_of(const core::Profile& profile) {
  std::set<std::string> names;
  for (const core::Run& run : profile.runs) {
    for (const core::MpiOperation& operation : run.operations) names.insert(operation.operation);
  }
  return names;
}

}  // namespace

fit::MeasurementSet measurements_of(const core::Profile& profile) {
  std::vector<std::string> names = {"np"};
  names.insert(names.end(), profile.parameter_names.begin(), profile.parameter_names.end());
  fit::SeriesBuilder builder(names);
  const KernelNames kernel_names(profile);
  const std::set<std::string> operations = operations_of(profile);
  std::vector<double> at;
  for (const auto& runs : core::group_by_configuration(profile, true)) {
    for (const core::Run* run : runs) {
      at = {static_cast<double>(run->np)};
      for (const std::string& name : profile.parameter_names) {
        const auto value = run->parameters.find(name);
        at.push_back(value == run->parameters.end() ? 1.0 : value->second);
      }
      const auto add = [&](const std::string& kernel, const std::string& metric, double value) {
        builder.add(kernel, metric, at, std::span(&value, 1), run->id);
      };
      add("[all]", "total_s", run->times.total_s.mean);
      add("[all]", "computation_s", run->times.computation_s.mean);
      add("[all]", "computation_max_s", run->times.computation_s.max);
      if (run->times.openmp_waiting_s.sum > 0) add("[all]", "openmp_waiting_s", run->times.openmp_waiting_s.mean);
      add("[all]", "communication_s", run->times.communication_s.mean);
      add("[all]", "others_s", run->times.others_s.mean);
      for (const core::Kernel& kernel : run->kernels) {
        const std::string name = kernel_names.of(kernel);
        for (const auto& [metric, value] : kernel.metrics) add(name, metric, value.mean);
        for (const auto& [metric, value] : kernel.resources) add(name, metric, value);
      }
      for (const core::MpiOperation& operation : run->operations) {
        add(operation.operation, "time_s", operation.time_s.mean);
        add(operation.operation, "calls", operation.calls.sum);
        add(operation.operation, "bytes", operation.bytes.sum);
      }
      // A single process often sends no message: a zero was measured, and is not missing.
      for (const std::string& operation : operations) {
        const auto is_it = [&](const core::MpiOperation& o) { return o.operation == operation; };
        if (std::any_of(run->operations.begin(), run->operations.end(), is_it)) continue;
        add(operation, "calls", 0);
        add(operation, "bytes", 0);
      }
    }
  }
  return std::move(builder).finish();
}

std::string extrap_jsonl(const fit::MeasurementSet& set) {
  std::string out;
  for (const fit::Series& series : set.series) {
    for (const fit::Observation& o : series.observations) {
      nlohmann::ordered_json params = nlohmann::ordered_json::object();
      for (size_t p = 0; p < o.at.size(); ++p) params[set.parameter_names[p]] = o.at[p];
      const nlohmann::ordered_json line = {
          {"params", params}, {"callpath", series.kernel}, {"metric", series.metric}, {"value", o.values}};
      out += core::to_json_line(line) + "\n";
    }
  }
  return out;
}

std::string csv(const fit::MeasurementSet& set) {
  std::string out;
  for (const std::string& name : set.parameter_names) out += csv_text(name) + ",";
  out += "kernel,metric,repeat,value\n";
  for (const fit::Series& series : set.series) {
    const std::string middle = csv_text(series.kernel) + "," + csv_text(series.metric) + ",";
    for (const fit::Observation& o : series.observations) {
      std::string front;
      for (const double value : o.at) front += core::to_text(value) + ",";
      for (size_t repeat = 0; repeat < o.values.size(); ++repeat) {
        out += front + middle + std::to_string(repeat) + "," + core::to_text(o.values[repeat]) + "\n";
      }
    }
  }
  return out;
}

}  // namespace scalediag::report
