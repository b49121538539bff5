#include "report/render/export.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/json/json_line.h"
#include "core/profile/metric_names.h"
#include "core/profile/run_summary.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "fit/application/application_data.h"
#include "fit/application/ended_error.h"
#include "fit/profile/profile_data.h"
#include "fit/profile/run_series.h"

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

// Blanks separate names of parameters in Extra-P's text format.
std::string one_word(std::string name) {
  name = core::printable(name);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
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

// Totals as the application model takes them, and what devices do. With the CPU clock it makes the time in MPI from the
// fastest calls (fit/application/application_data.h), so that the CPU time which was measured stands beside them.
void add_totals(const core::Profile& profile, const fit::ApplicationData& data, fit::SeriesBuilder& builder) {
  for (const auto& [name, series] : data.totals) {
    if (name == fit::kEndedError) continue;  // it is known of one scale, and no measured value
    for (const fit::Observation& o : series.observations) builder.add(fit::kWholeProgram, name, o.at, o.values, name);
  }
  for (const fit::KernelData& kernel : data.kernels) {
    if (kernel.kind == fit::KernelKind::kDevice) {
      for (const auto& [name, series] : kernel.series) {
        if (name == metric::kCritical) continue;
        for (const fit::Observation& o : series.observations)
          builder.add(kernel.name, name, o.at, o.values, kernel.name);
      }
    }
    if (kernel.kind != fit::KernelKind::kMpi) continue;
    for (const fit::Observation& o : kernel.find(metric::kTime)->observations) {
      builder.add(kernel.name, metric::kTime, o.at, o.values, kernel.name);
    }
  }
  if (data.clock == core::Clock::kWall) return;
  for (const auto& runs : core::group_by_configuration(profile, true)) {
    for (const core::Run* run : runs) {
      const std::vector<double> at = fit::configuration_of(profile, *run);
      const auto add = [&](const char* metric, double value) {
        builder.add(fit::kWholeProgram, metric, at, std::span(&value, 1), run->id);
      };
      add("cpu_s", run->times.total_s.mean);
      add("communication_cpu_s", run->times.communication_s.mean);
    }
  }
}

std::set<std::string> operations_of(const core::Profile& profile) {
  std::set<std::string> names;
  for (const core::Run& run : profile.runs) {
    for (const core::MpiOperation& operation : run.operations) names.insert(operation.operation);
  }
  return names;
}

}  // namespace

fit::MeasurementSet measurements_of(const core::Profile& profile) {
  fit::SeriesBuilder builder(fit::parameters_of(profile));
  const KernelNames kernel_names(profile);
  const std::set<std::string> operations = operations_of(profile);
  std::map<std::string, std::set<std::string>> functions;  // with the times and counts that any run has of them
  for (const core::Run& run : profile.runs) {
    if (!run.complete) continue;
    for (const core::Kernel& kernel : run.kernels) {
      std::set<std::string>& metrics = functions[kernel_names.of(kernel)];
      for (const auto& [metric, value] : kernel.metrics) metrics.insert(metric);
    }
  }
  const core::Result<fit::ApplicationData> data = fit::application_data(profile);
  if (data) add_totals(profile, data.value(), builder);
  std::vector<double> at;
  for (const auto& runs : core::group_by_configuration(profile, true)) {
    for (const core::Run* run : runs) {
      at = fit::configuration_of(profile, *run);
      const auto add = [&](const std::string& kernel, const std::string& metric, double value) {
        builder.add(kernel, metric, at, std::span(&value, 1), run->id);
      };
      std::set<std::string> measured;  // metrics that the run has
      std::set<std::string> seen;      // functions
      for (const core::Kernel& kernel : run->kernels) {
        const std::string name = kernel_names.of(kernel);
        const auto add_of_kernel = [&](const std::string& metric, double value) {
          add(name, metric, value);
          measured.insert(metric);
        };
        seen.insert(name);
        for (const auto& [metric, value] : kernel.metrics) add_of_kernel(metric, value.mean);
        for (const auto& [metric, value] : kernel.resources) add_of_kernel(metric, value);
      }
      // A run in which no sample fell into a function says that it is fast there.
      for (const auto& [name, metrics] : functions) {
        if (seen.count(name) != 0) continue;
        for (const std::string& metric : metrics) {
          if (measured.count(metric) != 0) add(name, metric, 0);
        }
      }
      const bool has_cpu_time = !data || data.value().clock == core::Clock::kCpu;
      for (const core::MpiOperation& operation : run->operations) {
        if (has_cpu_time) add(operation.operation, "cpu_s", operation.time_s.mean);
        add(operation.operation, "calls", operation.calls.sum);
        add(operation.operation, "bytes", operation.bytes.sum);
      }
      // A single process often sends no message: a zero was measured, and is not missing.
      for (const std::string& operation : operations) {
        const auto is_it = [&](const core::MpiOperation& o) { return o.operation == operation; };
        if (std::any_of(run->operations.begin(), run->operations.end(), is_it)) continue;
        if (has_cpu_time) add(operation, "cpu_s", 0);
        add(operation, "calls", 0);
        add(operation, "bytes", 0);
      }
    }
  }
  fit::MeasurementSet set = std::move(builder).finish();
  if (!data) set.warnings.push_back("there are no totals: " + data.error().message);
  return set;
}

size_t incomplete_series(const fit::MeasurementSet& set) {
  std::set<std::vector<double>> points;
  for (const fit::Series& series : set.series) {
    for (const fit::Observation& o : series.observations) points.insert(o.at);
  }
  return static_cast<size_t>(std::count_if(set.series.begin(), set.series.end(), [&points](const fit::Series& series) {
    return series.observations.size() < points.size();
  }));
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

std::string extrap_text(const fit::MeasurementSet& set) {
  std::set<std::vector<double>> points;
  for (const fit::Series& series : set.series) {
    for (const fit::Observation& o : series.observations) points.insert(o.at);
  }
  std::string out;
  for (const std::string& name : set.parameter_names) out += "PARAMETER " + one_word(name) + "\n";
  out += "POINTS";
  for (const std::vector<double>& point : points) {
    out += " (";
    for (const double value : point) out += " " + core::to_text(value);
    out += " )";
  }
  out += "\n";
  for (const fit::Series& series : set.series) {
    std::map<std::vector<double>, const fit::Observation*> at;
    for (const fit::Observation& o : series.observations) at[o.at] = &o;
    out += "\nREGION " + core::printable(series.kernel) + "\nMETRIC " + core::printable(series.metric) + "\n";
    for (const std::vector<double>& point : points) {
      out += "DATA";
      const auto found = at.find(point);
      if (found != at.end()) {
        for (const double value : found->second->values) out += " " + core::to_text(value);
      }
      out += "\n";
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
