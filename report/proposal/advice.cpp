#include "report/proposal/advice.h"

#include <algorithm>

#include "core/json/json_writer.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/table.h"
#include "core/text/wrapping.h"
#include "report/proposal/proposal_json.h"
#include "report/proposal/scaling_table_text.h"
#include "report/proposal/study_remarks.h"
#include "report/render/json/scaling_table_json.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

std::string hours_and_interval(const Bounded& hours) {
  const std::string interval = interval_text(hours, number_text);
  return number_text(hours.value) + (interval == "-" ? "" : " (" + interval + ")");
}

void add_choice(const std::string& by, const ScalingTable& table, const ScalingRow* row, core::Table& text) {
  const bool elapsed = table.is_elapsed();
  std::vector<std::string> cells(knows_nodes(table) ? 6 : 4);
  cells[0] = by;
  cells[1] = row == nullptr ? "not known" : core::to_text(process_count(row->at));
  if (row != nullptr) {
    size_t i = 2;
    if (knows_nodes(table)) cells[i++] = row->nodes ? core::to_text(*row->nodes) : "-";
    cells[i++] = elapsed && row->job_s ? time_and_interval(*row->job_s) : "-";
    if (knows_nodes(table)) cells[i++] = row->node_hours ? hours_and_interval(*row->node_hours) : "-";
    cells[i] = (row->efficiency ? core::percent(row->efficiency->value) : "-") +
               std::string(row->predicted ? ", predicted"
                           : elapsed      ? ", measured"
                                          : ", modelled from runs");
  }
  text.add_row(std::move(cells));
}

std::string problem_text(const Study& study, const ScalingTable& table, double bound) {
  const JobChoices choices = job_choices(table, bound);
  const bool elapsed = table.is_elapsed();
  std::string out = "Next job of " + study.findings.application + (table.label.empty() ? "" : ", " + table.label) +
                    " (" + name_of(table.scaling) + " scaling, " + (elapsed ? "elapsed time" : "CPU time") +
                    (table.region.empty() ? "" : " of " + name_of_times(table)) + ")\n\n";
  std::vector<core::TableColumn> columns = {{.title = "by", .align = core::TableColumn::Align::kLeft}, {"np"}};
  if (knows_nodes(table)) columns.push_back({"nodes"});
  columns.push_back({"time of a job"});
  if (knows_nodes(table)) columns.push_back({"node-hours a job"});
  columns.push_back(
      {.title = elapsed ? "efficiency" : "CPU-time efficiency", .align = core::TableColumn::Align::kLeft});
  core::Table text(columns);
  add_choice("cost", table, choices.cheapest, text);
  add_choice("time", table, choices.fastest, text);
  add_choice("efficiency >= " + core::fixed(100 * bound, 0) + "%", table, choices.efficient, text);
  out += text.text({});
  if (choices.efficient != nullptr && choices.end == EfficiencyEnd::kTable)
    out += "Efficiency is above that at the largest number in the table: it may be kept further.\n";
  if (choices.efficient != nullptr && choices.end == EfficiencyEnd::kUnknown)
    out += "Beyond it, at " + text_of(choices.beyond->at) + ", efficiency is not known.\n";
  if (choices.efficient != nullptr && choices.efficient_is_uncertain) {
    out += choices.efficient->efficiency->low ? "The interval of efficiency reaches down to " +
                                                    core::percent(*choices.efficient->efficiency->low) + ".\n"
                                              : "How certain the efficiency is, is not known.\n";
  }
  if (choices.cheapest == nullptr) {
    out += table.scaling == Scaling::kWeak
               ? "In weak scaling each number of processes has another problem: none is cheaper or faster.\n"
           : !elapsed ? "Cost and time of a job are elapsed time on whole nodes, which these runs do not show.\n"
           : !knows_nodes(table)
               ? "Nodes and node-hours are not known: `--cores-per-node` says how many cores a node has.\n"
               : "Fewer than two numbers of processes have times that can be compared.\n";
  }
  return out;
}

}  // namespace

NextMeasurement next_measurement(const Study& study) {
  NextMeasurement next;
  // Further scales tell nothing beside runs in doubt.
  for (const ScalingTable& table : study.tables) {
    for (const ScalingRow& row : table.rows) {
      if (row.doubt) next.again.push_back({row.at, *row.doubt});
    }
  }
  if (!next.again.empty()) {
    next.text =
        core::join(next.again, ", ",
                   [](const DoubtfulRuns& runs) { return text_of(runs.at) + " (" + name_of(runs.doubt) + ")"; }) +
        " again, without what puts these runs in doubt";
    return next;
  }
  next.further = study.findings.next_run;
  if (!next.further) return next;
  next.text = sentence_of(*next.further);
  for (const ScalingTable& table : study.tables) {
    for (const ScalingRow& row : table.rows) {
      if (row.at == next.further->at) next.node_hours = row.node_hours;
    }
  }
  return next;
}

namespace {

Json next_json(const NextMeasurement& next) {
  if (next.text.empty()) return nullptr;
  Json again = Json::array();
  for (const DoubtfulRuns& runs : next.again) {
    again.push_back({{"at", json_of(runs.at)}, {"doubt", name_of(runs.doubt)}});
  }
  return {{"text", next.text},
          {"at", next.further ? json_of(next.further->at) : Json(nullptr)},
          {"reason", next.further ? Json(next.further->reason) : Json(nullptr)},
          {"again", std::move(again)},
          {"node_hours", json_of(next.node_hours)}};
}

}  // namespace

std::string advice_text(const Study& study, double efficiency_bound, size_t width) {
  const std::string conclusions = weakened_conclusions(study);
  std::string out = conclusions.empty() ? "" : core::wrapped("", conclusions, width, 0);
  for (const ScalingTable& table : study.tables) {
    if (!out.empty()) out += "\n";
    out += problem_text(study, table, efficiency_bound);
  }
  if (!study.findings.trust.tells_nothing()) {
    out += "\n" + core::wrapped("What limits it, ",
                                "at " + text_of(main_target(study.findings).at) + ": " + what_limits(study.findings),
                                width);
  }
  const NextMeasurement next = next_measurement(study);
  if (!next.text.empty()) {
    out += "\n" + core::wrapped("Next measurement: ", next.text, width) + "  " +
           (next.node_hours ? "It costs " + hours_and_interval(*next.node_hours) + " node-hours a run.\n"
                            : "What it costs is not known.\n");
  }
  if (!study.remarks.empty()) out += "\n";
  for (const std::string& remark : briefly(study.remarks)) out += core::wrapped("warning: ", remark, width);
  if (!study.remarks.empty()) {
    const size_t more = study.remarks.size() - std::min(kMostRemarks, study.remarks.size());
    out += (more > 0 ? std::to_string(more) + " more, and all in full" : std::string("In full")) +
           ": scalediag proposal\n";
  }
  return out;
}

core::Result<std::string> advice_json(const Study& study, double efficiency_bound) {
  Json problems = Json::array();
  for (const ScalingTable& table : study.tables) {
    Json json = choices_json(table, efficiency_bound);
    json["problem"] = text_or_null(table.label);
    json["region"] = text_or_null(table.region);
    json["clock"] = core::name_of(table.clock);
    problems.push_back(std::move(json));
  }
  return core::to_json_text({{"schema", "scalediag-advise/1"},
                             {"input", study.input},
                             {"application", text_or_null(study.findings.application)},
                             {"scaling", name_of(study.findings.scaling)},
                             {"trust", json_of(study.findings.trust)},
                             {"problems", std::move(problems)},
                             {"next_measurement", next_json(next_measurement(study))},
                             {"remarks", study.remarks}},
                            6);
}

}  // namespace scalediag::report
