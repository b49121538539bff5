#include "report/proposal/proposal_document.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

// Figures without a point that matters are left out of a number: 0.03519, 12.34, 1235.
std::string number_text(double value) {
  if (value >= 1000 && value < 1e9) return core::fixed(value, 0);
  return core::four_digits(value);
}

template <class Format>
std::string interval_text_of(const Bounded& value, Format format) {
  if (!value.low && !value.high) return "-";
  if (value.low && !value.high) return "above " + format(*value.low);
  return format(*value.low) + " - " + format(*value.high);
}

std::string ratio_text(double ratio) { return core::fixed(ratio, 2); }

bool is_weak(const Proposal& proposal) { return proposal.studies.front().findings.scaling == Scaling::kWeak; }
bool is_elapsed(const Proposal& proposal) { return proposal.studies.front().tables.front().is_elapsed(); }

bool has_predictions(const Proposal& proposal) {
  for (const Study& study : proposal.studies) {
    for (const ScalingTable& table : study.tables) {
      for (const ScalingRow& row : table.rows) {
        if (row.predicted) return true;
      }
    }
  }
  return false;
}

std::string source_text(const ScalingTable& table, const ScalingRow& row) {
  if (row.predicted) return "predicted";
  return (table.is_elapsed() ? "measured, " : "modelled from ") + std::to_string(row.repeats) +
         (row.repeats == 1 ? " run" : " runs");
}

// A reference to a row: "64 processes on 2 nodes (predicted)".
std::string row_name(const ScalingRow& row) {
  std::string text = text_of(row.at);
  if (row.nodes) text += " on " + core::to_text(*row.nodes) + (*row.nodes == 1 ? " node" : " nodes");
  return text + (row.predicted ? " (predicted)" : "");
}

std::string with_interval(const Bounded& value, const std::string& unit) {
  std::string text = number_text(value.value) + " " + unit;
  if (value.low && value.high) {
    text += " (90 % interval " + number_text(*value.low) + " - " + number_text(*value.high) + ")";
  }
  return text;
}

class SectionWriter {
 public:
  explicit SectionWriter(const Proposal& proposal) : proposal_(proposal) {}

  Document write() {
    const Findings& findings = proposal_.studies.front().findings;
    document_.title =
        std::string(is_weak(proposal_) ? "Weak scaling" : "Strong scaling") + " of " + findings.application;
    if (findings.scaling == Scaling::kUnknown) document_.title = "Scaling of " + findings.application;
    introduce();
    remarks();
    tables();
    figures();
    limits();
    jobs();
    method();
    return std::move(document_);
  }

 private:
  void paragraph(std::string text, bool is_remark = false) {
    document_.blocks.push_back(DocumentParagraph{std::move(text), is_remark});
  }
  void heading(std::string text) { document_.blocks.push_back(DocumentHeading{std::move(text)}); }

  void introduce() {
    const ScalingTable& table = proposal_.studies.front().tables.front();
    std::string text = "The table and the figures show " + std::string(is_weak(proposal_) ? "weak" : "strong") +
                       " scaling: the problem " + (is_weak(proposal_) ? "grows with" : "stays the same over") +
                       " the number of processes. ";
    if (table.scaling == Scaling::kUnknown) text = "The table shows the time of each number of processes. ";
    text +=
        is_elapsed(proposal_)
            ? "Times are elapsed ones between the end of MPI_Init and the start of MPI_Finalize, the mean over ranks; "
              "what lies before and after stands apart. "
            : "Times are CPU times of a rank between the end of MPI_Init and the start of MPI_Finalize. ";
    text += is_weak(proposal_) ? "Efficiency is the time of the smallest run divided by the time"
                               : "Speed-up is the time of the smallest run divided by the time, efficiency is speed-up "
                                 "divided by the factor of processes";
    if (!is_elapsed(proposal_) && !is_weak(proposal_)) {
      text += "; of CPU times only the latter is given";
    }
    text += ". The smallest run of a problem is its first row.";
    if (has_predictions(proposal_)) {
      text +=
          " Rows in italics, hollow symbols and dashed lines are predictions of scalediag from the measured runs; "
          "nobody has run the program there.";
    }
    paragraph(std::move(text));
  }

  void remarks() {
    for (const std::string& remark : proposal_.remarks) paragraph(remark, true);
    for (const Study& study : proposal_.studies) {
      const std::string name = proposal_.studies.size() > 1 ? study.input + ": " : "";
      for (const std::string& remark : study.remarks) paragraph(name + remark, true);
    }
  }

  void tables() {
    for (const Study& study : proposal_.studies) {
      for (const ScalingTable& table : study.tables) {
        DocumentTable text = scaling_table_text(table);
        const std::string name = problem_name(proposal_, study, table);
        if (!name.empty()) text.caption = "Problem " + name + ". " + text.caption;
        document_.blocks.push_back(std::move(text));
      }
    }
  }

  void figures() {
    DocumentFigures block;
    block.figures = scaling_figures(proposal_);
    if (block.figures.empty()) return;
    block.caption = std::string("Filled symbols and solid lines: ") +
                    (is_elapsed(proposal_) ? "measured" : "modelled from measured runs") +
                    (has_predictions(proposal_) ? "; hollow symbols and dashed lines: predicted" : "") +
                    ". Bars: 90 % intervals, where there is more than one run.";
    document_.blocks.push_back(std::move(block));
  }

  void limits() {
    heading("What limits scaling");
    for (const Study& study : proposal_.studies) {
      const std::string name = proposal_.studies.size() > 1 ? study.input + ": " : "";
      const Findings& findings = study.findings;
      if (const std::vector<std::string> verdict = verdict_of(findings); !verdict.empty()) {
        paragraph(name + "At " + text_of(main_target(findings).at) + ": " + lower_first(verdict[1]) +
                  (has_predictions(proposal_) ? " " + verdict[2] : ""));
      }
      efficiencies(study, name);
    }
  }

  // The names of kernels at a sentence's beginning stay as they are; our own words begin in lower case.
  static std::string lower_first(std::string text) {
    for (const char* word : {"The ", "No ", "Two ", "Whether "}) {
      if (text.starts_with(word)) text[0] = static_cast<char>(text[0] - 'A' + 'a');
    }
    return text;
  }

  void efficiencies(const Study& study, const std::string& name) {
    DocumentTable table;
    table.caption = name +
                    "Parallel efficiencies as the POP project defines them: parallel efficiency = load balance x "
                    "communication efficiency" +
                    (is_elapsed(proposal_) ? "." : ", of modelled times where ranks shared cores.");
    table.columns = {
        {"at", false}, {"parallel efficiency"}, {"load balance"}, {"communication"}, {"computation scalability"}};
    bool threads = false;
    for (const Efficiencies& e : study.findings.efficiencies) threads = threads || e.thread_efficiency;
    if (threads) table.columns.push_back({"threads"});
    for (const Efficiencies& e : study.findings.efficiencies) {
      if (e.predicted && !is_in_tables(study, e.at)) continue;
      const auto optional = [](const std::optional<double>& value) { return value ? core::percent(*value) : "-"; };
      DocumentRow row;
      row.is_predicted = e.predicted;
      row.cells = {text_of(e.at) + (e.predicted ? " (predicted)" : ""), core::percent(e.parallel_efficiency),
                   core::percent(e.load_balance), core::percent(e.communication_efficiency),
                   optional(e.computation_scalability)};
      if (threads) row.cells.push_back(optional(e.thread_efficiency));
      table.rows.push_back(std::move(row));
    }
    if (!table.rows.empty()) document_.blocks.push_back(std::move(table));
  }

  static bool is_in_tables(const Study& study, const Point& at) {
    for (const ScalingTable& table : study.tables) {
      for (const ScalingRow& row : table.rows) {
        if (row.predicted && row.at == at) return true;
      }
    }
    return false;
  }

  void jobs() {
    heading("Job size and resources");
    for (const Study& study : proposal_.studies) {
      for (const ScalingTable& table : study.tables) {
        const std::string name = problem_name(proposal_, study, table);
        paragraph((name.empty() ? "" : "Problem " + name + ": ") + choices_text(table));
      }
    }
    if (proposal_.options.budget) budget();
  }

  std::string choices_text(const ScalingTable& table) const {
    const JobChoices choices = job_choices(table, proposal_.options.efficiency_bound);
    const std::string bound = core::fixed(100 * choices.bound, 0) + " %";
    const std::string of_cpu = table.is_elapsed() ? "" : "CPU-time ";
    std::string text;
    if (choices.efficient != nullptr) {
      text = "The largest job up to which " + of_cpu + "efficiency stays at or above " + bound + " is " +
             row_name(*choices.efficient) + ", with " + core::percent(choices.efficient->efficiency->value);
      if (choices.efficient_is_largest) text += ", the largest that is in the table";
      if (choices.efficient_is_uncertain) {
        text += choices.efficient->efficiency->low
                    ? "; the interval reaches down to " + core::percent(*choices.efficient->efficiency->low)
                    : "; how far that is certain is not known";
      }
      text += ".";
    } else {
      text = "No number of processes has an efficiency that is known to be at or above " + bound + ".";
    }
    if (choices.cheapest != nullptr) {
      text += " The cheapest job is " + row_name(*choices.cheapest) + ", with " +
              with_interval(*cost_of(*choices.cheapest), cost_unit(table)) + ".";
    } else if (table.scaling == Scaling::kWeak) {
      text += " In weak scaling each number of processes has another problem, so that none is the cheapest.";
    }
    return text;
  }

  void budget() {
    const BudgetRow chosen = budget_row(proposal_);
    const auto budget = chosen.row == nullptr ? std::nullopt : budget_of(*chosen.row, *proposal_.options.budget);
    if (!budget) {
      paragraph(
          "No budget: no number of processes in the table keeps the efficiency that was asked for, or its cost is "
          "not known.",
          true);
      return;
    }
    const std::string unit = cost_unit(*chosen.table);
    const BudgetRequest& request = budget->request;
    const core::TimeFormat time(budget->job_s.value);
    std::string text = core::to_text(request.jobs) + " jobs of " + row_name(*chosen.row);
    if (request.steps) {
      text += ", each of " + core::to_text(*request.steps) + " steps where " + core::to_text(*request.measured_steps) +
              " were measured";
    }
    text += (request.steps ? ", take " : " take ") + time(budget->job_s.value) + " " + time.unit() +
            (chosen.table->is_elapsed() ? "" : " of CPU time a rank") + " and " +
            with_interval(budget->job_cost, unit) + " each: " + with_interval(budget->cost, unit) + " in all";
    if (request.periods > 1) {
      text += ", " + with_interval(budget->period_cost, unit) + " in each of " + std::to_string(request.periods) +
              " periods";
    }
    text += chosen.table->is_elapsed() ? ". A node counts as a whole for as long as a job has it."
                                       : ". What a centre charges is elapsed time of whole nodes, which is more than "
                                         "CPU time; it is not known here.";
    if (!budget->cost.low) {
      text += chosen.table->is_elapsed() ? " Without repeated runs there is no interval." : " Modelled times have no interval.";
    }
    paragraph(std::move(text));
  }

  void method() {
    heading("Method");
    std::string text =
        "Measured with scalediag, which samples the unmodified program and times its MPI calls. An interval is "
        "Student's 90 % "
        "interval of the mean over the runs of a row, and for speed-up and efficiency that of the ratio with the "
        "smallest "
        "run; a row with one run has none.";
    if (has_predictions(proposal_)) {
      text +=
          " Predictions are models of each function and MPI operation over the number of processes, fitted to the "
          "measured rows; their 90 % intervals hold noise and the choice of model, not what no measured scale shows.";
    }
    text += " Number of nodes: as the runs had them";
    const double per_node = proposal_.studies.front().tables.front().cores_per_node;
    if (has_predictions(proposal_) && per_node > 0) {
      text += ", of predicted rows as many as the processes need with " + core::to_text(per_node) + " cores a node";
    }
    paragraph(text + ".");
    for (const Study& study : proposal_.studies) {
      DocumentTable table;
      if (proposal_.studies.size() > 1) table.caption = study.input;
      table.columns = {{"", false}, {"", false}};
      for (const auto& [name, value] : study.provenance.facts) table.rows.push_back({{name, value}});
      document_.blocks.push_back(std::move(table));
    }
    std::string not_here =
        "Not in this section, because it was not measured: file input and output, memory of a node, energy, and "
        "queueing times";
    if (is_elapsed(proposal_))
      not_here += "; the part of the run that is the main loop is not told apart from the program's own set-up";
    paragraph(not_here + ".");
  }

  const Proposal& proposal_;
  Document document_;
};

void add_series(const Proposal& proposal, bool speedup, Figure& figure) {
  size_t style = 0;
  for (const Study& study : proposal.studies) {
    for (const ScalingTable& table : study.tables) {
      const std::string name = problem_name(proposal, study, table);
      for (const bool predicted : {false, true}) {
        FigureSeries series;
        const std::string origin = predicted ? "predicted" : table.is_elapsed() ? "measured" : "modelled from runs";
        series.label = (name.empty() ? "" : name + ", ") + origin;
        series.style = style;
        series.predicted = predicted;
        for (const ScalingRow& row : table.rows) {
          const std::optional<Bounded>& value = speedup ? row.speedup : row.efficiency;
          if (row.predicted != predicted || !value) continue;
          series.points.push_back({process_count(row.at), value->value, value->low, value->high});
        }
        std::sort(series.points.begin(), series.points.end(),
                  [](const FigurePoint& a, const FigurePoint& b) { return a.processes < b.processes; });
        if (!series.points.empty()) figure.series.push_back(std::move(series));
      }
      ++style;
    }
  }
}

std::pair<double, double> range_of(const Figure& figure) {
  double low = figure.series.front().points.front().processes, high = low;
  for (const FigureSeries& series : figure.series) {
    low = std::min(low, series.points.front().processes);
    high = std::max(high, series.points.back().processes);
  }
  return {low, high};
}

}  // namespace

std::vector<Figure> scaling_figures(const Proposal& proposal) {
  std::vector<Figure> figures;
  Figure speedup;
  speedup.name = "speedup";
  speedup.title = "Speed-up over the smallest run";
  speedup.y_title = "speed-up";
  speedup.logarithmic = true;
  add_series(proposal, true, speedup);
  if (!speedup.series.empty() && !is_weak(proposal)) {
    const auto [low, high] = range_of(speedup);
    std::vector<double> bases;
    for (const Study& study : proposal.studies) {
      for (const ScalingTable& table : study.tables) bases.push_back(table.base);
    }
    std::sort(bases.begin(), bases.end());
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    for (const double base : bases) {
      const double from = std::max(low, base);
      speedup.lines.push_back({bases.size() > 1 ? "ideal from np=" + core::to_text(base) : "ideal",
                               {{from, from / base, {}, {}}, {high, high / base, {}, {}}},
                               false});
    }
    figures.push_back(std::move(speedup));
  }
  Figure efficiency;
  efficiency.name = "efficiency";
  efficiency.title =
      is_elapsed(proposal) ? "Efficiency over the smallest run" : "CPU-time efficiency over the smallest run";
  efficiency.y_title = is_elapsed(proposal) ? "efficiency" : "CPU-time efficiency";
  efficiency.is_percent = true;
  add_series(proposal, false, efficiency);
  if (!efficiency.series.empty()) {
    const auto [low, high] = range_of(efficiency);
    const double bound = proposal.options.efficiency_bound;
    efficiency.lines.push_back({"ideal", {{low, 1, {}, {}}, {high, 1, {}, {}}}, false});
    efficiency.lines.push_back(
        {core::fixed(100 * bound, 0) + "%, to be kept", {{low, bound, {}, {}}, {high, bound, {}, {}}}, true});
    figures.push_back(std::move(efficiency));
  }
  return figures;
}

DocumentTable scaling_table_text(const ScalingTable& table) {
  double largest = 0;
  for (const ScalingRow& row : table.rows) largest = std::max(largest, row.time_s.value);
  const core::TimeFormat time(largest);
  const std::string unit = time.unit();
  const bool elapsed = table.is_elapsed();
  const bool has_nodes =
      std::any_of(table.rows.begin(), table.rows.end(), [](const ScalingRow& row) { return row.nodes.has_value(); });
  const bool speedups = elapsed && table.scaling != Scaling::kWeak;
  DocumentTable text;
  text.columns = {{"processes"}};
  if (has_nodes) text.columns.insert(text.columns.begin(), {"nodes"});
  text.columns.push_back({"cores"});
  text.columns.push_back({(elapsed ? "time [" : "CPU time a rank [") + unit + "]"});
  text.columns.push_back({"90 % interval"});
  if (speedups) {
    text.columns.push_back({"speed-up"});
    text.columns.push_back({"90 % interval"});
  }
  text.columns.push_back({elapsed ? "efficiency" : "CPU-time efficiency"});
  text.columns.push_back({"start, end [" + unit + "]"});
  text.columns.push_back({cost_unit(table)});
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
    line.cells.push_back(interval_text_of(row.time_s, time));
    if (speedups) {
      line.cells.push_back(optional(row.speedup, ratio_text));
      line.cells.push_back(row.speedup ? interval_text_of(*row.speedup, ratio_text) : "-");
    }
    line.cells.push_back(optional(row.efficiency, [](double value) { return core::percent(value); }));
    line.cells.push_back(optional(row.start_end_s, time));
    line.cells.push_back(optional(cost_of(row), number_text));
    line.cells.push_back(source_text(table, row));
    text.rows.push_back(std::move(line));
  }
  if (!elapsed) text.caption = "Ranks shared cores: CPU time, no elapsed time.";
  return text;
}

Document proposal_document(const Proposal& proposal) { return SectionWriter(proposal).write(); }

}  // namespace scalediag::report
