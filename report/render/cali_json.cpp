#include "report/render/cali_json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/profile/metric_names.h"
#include "core/text/numbers.h"

namespace scalediag::report {
namespace {

using nlohmann::ordered_json;

constexpr const char* kHatchetTime = "time";
constexpr const char* kTimeOfCaliper = "avg#sum#time.duration";

// "time" and "time_s" are the time of a call path; other metrics stand for themselves.
bool is_own_time(const std::string& name) { return name == kHatchetTime || name == metric::kTime; }

// The tree of frames, callers before callees.
class Nodes {
 public:
  size_t of(const std::string& path) {
    const auto known = places_.find(path);
    if (known != places_.end()) return known->second;
    ordered_json node;
    const size_t arrow = path.rfind("->");
    if (arrow == path.npos) {
      node = {{"column", "path"}, {"label", path}};
    } else {
      const size_t parent = of(path.substr(0, arrow));
      node = {{"column", "path"}, {"label", path.substr(arrow + 2)}, {"parent", parent}};
    }
    list.push_back(std::move(node));
    return places_.emplace(path, list.size() - 1).first->second;
  }
  ordered_json list = ordered_json::array();

 private:
  std::map<std::string, size_t> places_;
};

std::string file_name(const std::vector<std::string>& names, const std::vector<double>& at, size_t repeat) {
  std::string name;
  for (size_t i = 0; i < at.size(); ++i) name += names[i] + core::to_text(at[i]) + ".";
  std::replace(name.begin(), name.end(), '/', '_');
  return name + "r" + std::to_string(repeat) + ".json";
}

ordered_json columns_of(const std::vector<std::string>& metrics) {
  ordered_json facts = ordered_json::array();
  for (const std::string& metric : metrics) {
    ordered_json fact = {{"is_value", true}};
    if (metric == kHatchetTime || metric == kTimeOfCaliper) fact["attribute.unit"] = "sec";
    facts.push_back(std::move(fact));
  }
  facts.push_back({{"is_value", false}});
  return facts;
}

}  // namespace

std::vector<NamedText> cali_json(const fit::MeasurementSet& set) {
  std::vector<std::string> metrics;
  const auto column = [&metrics](const std::string& metric) {
    const auto found = std::find(metrics.begin(), metrics.end(), metric);
    if (found == metrics.end()) metrics.push_back(metric);
    return static_cast<size_t>(std::find(metrics.begin(), metrics.end(), metric) - metrics.begin());
  };
  // By configuration and repeat: the cells of each call path.
  std::map<std::pair<std::vector<double>, size_t>, std::map<std::string, std::map<size_t, double>>> runs;
  for (const fit::Series& series : set.series) {
    const bool is_time = is_own_time(series.metric);
    const size_t place = column(is_time ? kHatchetTime : series.metric);
    const size_t again = is_time ? column(kTimeOfCaliper) : place;
    for (const fit::Observation& o : series.observations) {
      for (size_t repeat = 0; repeat < o.values.size(); ++repeat) {
        std::map<size_t, double>& cells = runs[{o.at, repeat}][series.kernel];
        cells[place] = cells[again] = o.values[repeat];
      }
    }
  }
  // Without a parameter of that name it would only be assumed.
  const bool knows_processes = fit::assumed_processes(set.parameter_names).empty();
  const size_t np = fit::processes_parameter(set.parameter_names);
  std::vector<NamedText> files;
  for (const auto& [run, paths] : runs) {
    Nodes nodes;
    ordered_json rows = ordered_json::array();
    for (const auto& [path, cells] : paths) {
      ordered_json row = ordered_json::array();
      for (size_t c = 0; c < metrics.size(); ++c) {
        const auto cell = cells.find(c);
        row.push_back(cell == cells.end() ? ordered_json(nullptr) : ordered_json(cell->second));
      }
      row.push_back(nodes.of(path));
      rows.push_back(std::move(row));
    }
    ordered_json names = metrics;
    names.push_back("path");
    ordered_json document = {{"data", std::move(rows)},
                             {"columns", std::move(names)},
                             {"column_metadata", columns_of(metrics)},
                             {"nodes", std::move(nodes.list)}};
    for (size_t i = 0; i < run.first.size(); ++i) {
      const std::string& name = set.parameter_names[i];
      document[document.contains(name) ? "parameter." + name : name] = core::to_text(run.first[i]);
    }
    if (knows_processes) document["jobsize"] = core::to_text(run.first[np]);
    document["repeat"] = std::to_string(run.second);
    files.push_back({file_name(set.parameter_names, run.first, run.second),
                     document.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n"});
  }
  return files;
}

}  // namespace scalediag::report
