#include "report/proposal/scaling_table_text.h"

#include <algorithm>

#include "core/profile/profile.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/proposal/job_choice.h"

namespace scalediag::report {
namespace {

std::string ratio_text(double ratio) { return core::fixed(ratio, 2); }

std::string source_text(const ScalingTable& table, const ScalingRow& row) {
  if (row.predicted) return "predicted";
  return (table.is_elapsed() ? "measured, " : "modelled from ") + std::to_string(row.repeats) +
         (row.repeats == 1 ? " run" : " runs") + (row.doubt ? std::string(" (") + name_of(*row.doubt) + ")" : "");
}

}  // namespace

std::string name_of_times(const ScalingTable& table) {
  return table.region.empty() ? "time" : table.region == core::kMainLoop ? "main loop" : table.region;
}

std::string name_of_region(const std::string& region) {
  return region.empty() ? "the run" : region == core::kMainLoop ? "the main loop" : "the region " + region;
}

std::string time_and_interval(const Bounded& seconds) {
  const core::TimeFormat time(seconds.value);
  const std::string interval = interval_text(seconds, time);
  return time(seconds.value) + " " + time.unit() + (interval == "-" ? "" : " (" + interval + ")");
}

std::string number_text(double value) {
  if (value >= 1000 && value < 1e9) return core::fixed(value, 0);
  return core::four_digits(value);
}

DocumentTable scaling_table_text(const ScalingTable& table) {
  double largest = 0;
  for (const ScalingRow& row : table.rows) largest = std::max(largest, row.time_s.value);
  const core::TimeFormat time(largest);
  const std::string unit = time.unit();
  const bool elapsed = table.is_elapsed();
  const bool has_nodes =
      std::any_of(table.rows.begin(), table.rows.end(), [](const ScalingRow& row) { return row.nodes.has_value(); });
  const bool loops = table.region.empty() && std::any_of(table.rows.begin(), table.rows.end(),
                                                         [](const ScalingRow& row) { return row.loop_s.has_value(); });
  const bool speedups = elapsed && table.scaling != Scaling::kWeak;
  DocumentTable text;
  text.columns = {{"processes"}};
  // With the CPU clock ranks shared cores: a job has more nodes than the runs.
  if (has_nodes) text.columns.insert(text.columns.begin(), {elapsed ? "nodes" : "nodes needed"});
  text.columns.push_back({"cores"});
  text.columns.push_back({(!elapsed ? "CPU time a rank" : name_of_times(table)) + " [" + unit + "]"});
  text.columns.push_back({"90 % interval"});
  if (speedups) {
    text.columns.push_back({"speed-up"});
    text.columns.push_back({"90 % interval"});
  }
  text.columns.push_back({elapsed ? "efficiency" : "CPU-time efficiency"});
  if (loops) {
    text.columns.push_back({std::string("main loop [") + unit + "]"});
    text.columns.push_back({"its efficiency"});
  }
  text.columns.push_back({(table.region.empty() ? "start, end [" : "rest of the job [") + unit + "]"});
  const bool has_cost = std::any_of(table.rows.begin(), table.rows.end(),
                                    [&](const ScalingRow& row) { return cost_of(table, row).has_value(); });
  if (has_cost) text.columns.push_back({cost_unit(table)});
  text.columns.push_back({"from", false});
  for (const ScalingRow& row : table.rows) {
    DocumentRow line;
    line.is_predicted = row.predicted;
    const auto optional = [](const std::optional<Bounded>& value, auto format) {
      return value ? format(value->value) : std::string("-");
    };
    if (has_nodes) line.cells.push_back(row.nodes ? core::to_text(*row.nodes) : "-");
    line.cells.push_back(core::to_text(process_count(row.at)));
    line.cells.push_back(core::to_text(row.cores));
    line.cells.push_back(time(row.time_s.value));
    line.cells.push_back(interval_text(row.time_s, time));
    if (speedups) {
      line.cells.push_back(optional(row.speedup, ratio_text));
      line.cells.push_back(row.speedup ? interval_text(*row.speedup, ratio_text) : "-");
    }
    line.cells.push_back(optional(row.efficiency, [](double value) { return core::percent(value); }));
    if (loops) {
      line.cells.push_back(row.loop_s ? time(*row.loop_s) : "-");
      line.cells.push_back(row.loop_efficiency ? core::percent(*row.loop_efficiency) : "-");
    }
    line.cells.push_back(optional(row.start_end_s, time));
    if (has_cost) line.cells.push_back(optional(cost_of(table, row), number_text));
    line.cells.push_back(source_text(table, row));
    text.rows.push_back(std::move(line));
  }
  if (!elapsed) text.caption = "CPU time, no elapsed time.";
  return text;
}

}  // namespace scalediag::report
