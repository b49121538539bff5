#include "report/proposal/proposal_document.h"

#include <algorithm>
#include <cmath>

#include "core/profile/profile.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/proposal/scaling_figures.h"
#include "report/proposal/scaling_table_text.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

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

// The program's name: of an interpreter that of its script.
std::string program_of(const Findings& findings) {
  if (!findings.application.starts_with("python")) return findings.application;
  for (const std::string& word : findings.command) {
    if (word.ends_with(".py")) return word.substr(word.rfind('/') + 1);
  }
  return findings.application;
}

constexpr double kWellUsed = 0.5;  // of a node's cores

// A reference to a row: "64 processes on 2 nodes (predicted)".
std::string row_name(const ScalingRow& row) {
  std::string text = text_of(row.at);
  if (row.nodes) text += " on " + core::to_text(*row.nodes) + (*row.nodes == 1 ? " node" : " nodes");
  return text + (row.predicted ? " (predicted)" : "");
}

std::string with_interval(const Bounded& value, const std::string& unit) {
  const std::string interval = interval_text(value, number_text);
  return number_text(value.value) + " " + unit + (interval == "-" ? "" : " (90 % interval " + interval + ")");
}

class SectionWriter {
 public:
  explicit SectionWriter(const Proposal& proposal) : proposal_(proposal) {}

  Document write() {
    const Findings& findings = proposal_.studies.front().findings;
    document_.title =
        std::string(is_weak(proposal_) ? "Weak scaling" : "Strong scaling") + " of " + program_of(findings);
    if (findings.scaling == Scaling::kUnknown) document_.title = "Scaling of " + program_of(findings);
    introduce();
    remarks();
    tables();
    figures();
    limits();
    memory_and_files();
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
    if (is_elapsed(proposal_) && !proposal_.studies.front().region.empty()) {
      text += "Times are elapsed ones of " + times_of(proposal_.studies.front()) +
              ", the mean over ranks; the rest of a job (start, set-up, end and all else) stands apart. ";
    } else {
      text += times_of_runs();
    }
    if (table.scaling == Scaling::kUnknown) return paragraph(std::move(text));
    text += is_weak(proposal_) ? "Efficiency is the time of the smallest run divided by the time"
                               : "Speed-up is the time of the smallest run divided by the time, efficiency is speed-up "
                                 "divided by the factor of processes";
    if (!is_elapsed(proposal_) && !is_weak(proposal_)) {
      text += "; of CPU times only the latter is given";
    }
    text += ". The smallest run of a problem is its first row.";
    if (has_loops()) {
      text +=
          " The main loop is the outermost loop that all ranks share, found by their MPI calls; the program's set-up "
          "between MPI_Init and the loop is not in it.";
    }
    if (has_predictions(proposal_)) {
      text +=
          " Rows in italics, hollow symbols and dashed lines are predictions of scalediag from the measured runs; "
          "nobody has run the program there.";
    }
    paragraph(std::move(text));
  }

  // Of a study with a region.
  std::string times_of(const Study& study) const {
    if (study.region != core::kMainLoop) return name_of_region(study.region) + ", which the program marks,";
    return name_of_region(study.region) + ", the outermost loop that all ranks share, as their MPI calls show it" +
           iterations_text(proposal_.studies);
  }

  // The rounds of the main loop, where they are known and the same in all runs.
  static std::string iterations_text(const std::vector<Study>& studies) {
    const std::optional<double> rounds = studies.front().tables.front().rows.front().loop_iterations;
    if (!rounds || !(*rounds > 0)) return "";
    for (const Study& study : studies) {
      for (const ScalingTable& table : study.tables) {
        for (const ScalingRow& row : table.rows) {
          if (!row.predicted && row.loop_iterations != rounds) return "";
        }
      }
    }
    return " (" + core::to_text(std::round(*rounds)) + " rounds in each run)";
  }

  std::string times_of_runs() const {
    return is_elapsed(proposal_)
               ? "Times are elapsed ones between the end of MPI_Init and the start of MPI_Finalize, the mean over "
                 "ranks; "
                 "what lies before and after stands apart. "
               : "Times are CPU times of a rank between the end of MPI_Init and the start of MPI_Finalize. ";
  }

  void remarks() {
    for (const Study& study : proposal_.studies) {
      const std::string conclusions = weakened_conclusions(study);
      const std::string name = proposal_.studies.size() > 1 ? study.input + ": " : "";
      if (!conclusions.empty()) paragraph(name + conclusions, true);
    }
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
                    (is_elapsed(proposal_)        ? ". Bars: 90 % intervals, where there is more than one run."
                     : has_predictions(proposal_) ? ". Bars: 90 % intervals."
                                                  : ".");
    document_.blocks.push_back(std::move(block));
  }

  void limits() {
    heading("What limits scaling");
    for (const Study& study : proposal_.studies) {
      const std::string name = proposal_.studies.size() > 1 ? study.input + ": " : "";
      const Findings& findings = study.findings;
      if (findings.trust.tells_nothing()) {
        paragraph(name + weakened_conclusions(study));
      } else {
        paragraph(name + (study.region.empty() ? "At " : "Of whole runs, at ") + text_of(main_target(findings).at) +
                  ": " + what_limits(findings) + (has_predictions(proposal_) ? " " + study.how_certain : ""));
      }
      efficiencies(study, name);
      losses(study);
    }
  }

  // The factors of the efficiency at the largest measured scale, and what the smallest one means.
  void losses(const Study& study) {
    const Efficiencies* last = nullptr;
    for (const Efficiencies& e : study.efficiencies) {
      if (!e.predicted && e.computation_scalability && !study.findings.trust.doubt_at(e.at)) last = &e;
    }
    if (last == nullptr || last == &study.efficiencies.front()) return;
    std::string text = "Efficiency at " + text_of(last->at) + " is load balance " + core::percent(last->load_balance) +
                       " x communication " + core::percent(last->communication_efficiency);
    if (last->thread_efficiency) text += " x threads " + core::percent(*last->thread_efficiency);
    text += " x computation scalability " + core::percent(*last->computation_scalability) + ": ";
    const double threads = last->thread_efficiency.value_or(1);
    const double least =
        std::min({last->load_balance, last->communication_efficiency, threads, *last->computation_scalability});
    constexpr double kLittle = 0.97;
    if (least >= kLittle) {
      text += "little is lost.";
    } else if (least == last->load_balance) {
      text += "most is lost by ranks that compute longer than others.";
    } else if (least == last->communication_efficiency) {
      text += "most is lost in MPI, by messages and by waiting for them.";
    } else if (least == threads) {
      text += "most is lost while threads of a rank wait for each other.";
    } else {
      text += "most is lost by computation, of which all ranks together do more, or more slowly, than the smallest run";
      text += last->instruction_scalability
                  ? "; instructions scale by " + core::percent(*last->instruction_scalability) + "."
                  : ". Which of both is not known, since no instructions were counted.";
    }
    paragraph(std::move(text));
  }

  void efficiencies(const Study& study, const std::string& name) {
    DocumentTable table;
    table.caption = name +
                    "Parallel efficiencies as the POP project defines them: parallel efficiency = load balance x "
                    "communication efficiency, of " +
                    name_of_region(study.region) +
                    (is_elapsed(proposal_) ? "."
                                           : ", of modelled times where ranks shared cores; imbalance that chance may "
                                             "have made is not in the load balance.");
    table.columns = {
        {"at", false}, {"parallel efficiency"}, {"load balance"}, {"communication"}, {"computation scalability"}};
    bool threads = false;
    for (const Efficiencies& e : study.efficiencies) threads = threads || e.thread_efficiency;
    if (threads) table.columns.push_back({"threads"});
    for (const Efficiencies& e : study.efficiencies) {
      if (e.predicted ? !is_in_tables(study, e.at) : study.findings.trust.doubt_at(e.at).has_value()) continue;
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

  void memory_and_files() {
    heading("Memory, input and output");
    for (const Study& study : proposal_.studies) {
      for (const ScalingTable& table : study.tables) {
        const std::string name = problem_name(proposal_, study, table);
        memory_and_files(table, name.empty() ? "" : "Problem " + name + ". ");
      }
    }
  }

  void memory_and_files(const ScalingTable& table, const std::string& name) {
    const auto known = [](const ScalingRow& row) { return !row.predicted && row.memory_rank_bytes; };
    if (std::none_of(table.rows.begin(), table.rows.end(), known)) {
      paragraph(
          name + "Memory, and what the program read and wrote, are not known: these runs have no records of them.",
          true);
      return;
    }
    DocumentTable text;
    text.caption = name +
                   "Resident memory at its peak: of the rank and of the node that need most, over the runs. Read and "
                   "written: what all ranks did with regular files between MPI_Init and MPI_Finalize, a run; the time "
                   "is that of a rank in these calls." +
                   (table.is_elapsed() ? "" : " A node is one of those that were measured on, with all ranks on it.");
    text.columns = {{"processes"}, {"memory of a rank"}, {"memory of a node"},
                    {"read"},      {"written"},          {"time on files"}};
    bool any_file = false;
    for (const ScalingRow& row : table.rows) {
      if (row.predicted) continue;
      const auto bytes = [](const std::optional<double>& value) { return value ? core::bytes_text(*value) : "-"; };
      any_file = any_file || row.files_s > 0;
      text.rows.push_back(
          {{core::to_text(process_count(row.at)), bytes(row.memory_rank_bytes), bytes(row.memory_node_bytes),
            core::bytes_text(row.read_bytes), core::bytes_text(row.written_bytes),
            row.files_s > 0 ? core::time_text(row.files_s) : "-"}});
    }
    document_.blocks.push_back(std::move(text));
    if (!any_file) {
      paragraph(
          "No call that reads or writes a regular file was seen between MPI_Init and MPI_Finalize. Where production "
          "jobs write results, measure with that switched on.",
          true);
    }
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
      if (choices.end == EfficiencyEnd::kTable) text += ", the largest that is in the table";
      if (choices.efficient->predicted && choices.efficient_measured != nullptr) {
        text += " (of those that were measured it is " + row_name(*choices.efficient_measured) + ", with " +
                core::percent(choices.efficient_measured->efficiency->value) + ")";
      }
      if (choices.efficient_is_uncertain) {
        text += choices.efficient->efficiency->low
                    ? "; the interval reaches down to " + core::percent(*choices.efficient->efficiency->low)
                    : "; how far that is certain is not known";
      }
      if (choices.end == EfficiencyEnd::kUnknown) {
        text += ". Beyond it efficiency is not known: " + row_name(*choices.beyond) +
                (choices.beyond->doubt ? std::string(" is in doubt (") + name_of(*choices.beyond->doubt) + ")"
                                       : std::string(" has none"));
      }
      text += ".";
    } else {
      text = "No number of processes has an efficiency that is known to be at or above " + bound + ".";
    }
    if (choices.cheapest != nullptr) {
      text += " The cheapest job is " + row_name(*choices.cheapest) + ", with " +
              with_interval(*choices.cheapest->node_hours, "node-hours") +
              "; a node counts as a whole for as long as a job has it.";
    } else if (table.scaling == Scaling::kWeak) {
      text += " In weak scaling each number of processes has another problem, so that none is the cheapest.";
    } else if (table.is_elapsed() && !knows_nodes(table)) {
      text += " Which job is the cheapest is not known, since it is not known how many cores a node has.";
    } else if (!table.is_elapsed()) {
      text +=
          " Which job is the cheapest is not known: a centre charges elapsed time of whole nodes, which runs with "
          "shared cores do not show.";
    } else {
      text += " Which job is the cheapest is not known: fewer than two rows have node-hours that can be trusted.";
    }
    return text;
  }

  void budget() {
    const BudgetRow chosen = budget_row(proposal_);
    const auto budget =
        chosen.row == nullptr ? std::nullopt : budget_of(*chosen.table, *chosen.row, *proposal_.options.budget);
    if (!budget) return paragraph("No budget: " + why_no_budget(chosen), true);
    const std::string unit = "node-hours";
    const BudgetRequest& request = budget->request;
    const core::TimeFormat time(budget->job_s.value);
    const std::string problem = problem_name(proposal_, proposal_.studies.back(), *chosen.table);
    std::string text = (problem.empty() ? "" : "Problem " + problem + ": ") + core::to_text(request.jobs) +
                       " jobs of " + row_name(*chosen.row);
    if (request.steps) {
      text += ", each of " + core::to_text(*request.steps) + " steps where " + core::to_text(*request.measured_steps) +
              " were measured (" + name_of_region(budget->steps_of) +
              (budget->steps_of.empty() ? ", set-up included," : "") + " is taken to grow as the steps)";
    }
    text += (request.steps ? ", take " : " take ") + time(budget->job_s.value) + " " + time.unit() + " and " +
            with_interval(budget->job_cost, unit) + " each: " + with_interval(budget->cost, unit) + " in all";
    if (request.periods > 1) {
      text += ", " + with_interval(budget->period_cost, unit) + " in each of " + std::to_string(request.periods) +
              " periods";
    }
    text += ". This is runtime only: no queueing, no failed jobs.";
    const double all_cores = chosen.row->nodes.value_or(0) * chosen.table->cores_per_node;
    if (chosen.row->cores < kWellUsed * all_cores) {
      text += " Of the " + core::to_text(all_cores) + " cores of these nodes a job uses " +
              core::to_text(chosen.row->cores) + ": run several jobs on a node, or larger ones.";
    }
    if (request.measured_steps && chosen.row->loop_iterations &&
        std::round(*chosen.row->loop_iterations) != *request.measured_steps) {
      text += " The main loop of these runs had " + core::to_text(std::round(*chosen.row->loop_iterations)) +
              " rounds, not as many as the measured steps that were given.";
    }
    if (!budget->cost.low) text += " Without repeated runs there is no interval.";
    paragraph(std::move(text));
  }

  std::string why_no_budget(const BudgetRow& chosen) const {
    if (!is_elapsed(proposal_)) {
      return "a centre charges elapsed time of whole nodes, which runs with shared cores do not show. Measure with a "
             "core for each rank.";
    }
    if (chosen.row == nullptr) {
      return "no number of processes in the table keeps the efficiency that was asked for. Name a number by --job-np, "
             "or a lower --efficiency.";
    }
    return "the node-hours of " + row_name(*chosen.row) +
           (chosen.row->doubt ? std::string(" are not known, since its runs are in doubt (") +
                                    name_of(*chosen.row->doubt) + "). Measure it again, or name another by --job-np."
                              : " are not known, since the runs do not say how many cores a node has. Say it by "
                                "--cores-per-node.");
  }

  void method() {
    heading("Method");
    std::string text = "Measured with scalediag, which samples the unmodified program and times its MPI calls. ";
    text += is_elapsed(proposal_)
                ? "An interval is Student's 90 % interval of the mean over the runs of a row, and for speed-up and "
                  "efficiency that of the ratio with the smallest run; a row with one run has none."
                : "Rows of CPU time have no interval: they are modelled from the runs, and how far that is off is not "
                  "known.";
    if (has_predictions(proposal_)) {
      text +=
          " Predictions are models of each function and MPI operation over the number of processes, fitted to the "
          "measured rows; their 90 % intervals hold noise and the choice of model, not what no measured scale shows.";
    }
    paragraph(text + " " + nodes_text());
    for (const Study& study : proposal_.studies) {
      DocumentTable table;
      if (proposal_.studies.size() > 1) table.caption = study.input;
      table.columns = {{"", false}, {"", false}};
      for (const auto& [name, value] : study.provenance.facts) table.rows.push_back({{name, value}});
      document_.blocks.push_back(std::move(table));
    }
    const bool of_runs = proposal_.studies.front().region.empty();
    paragraph(std::string("Not in this section: ") +
              (!of_runs      ? ""
               : has_loops() ? "predictions of the main loop, "
                             : "the main loop by itself (times hold the program's own set-up after MPI_Init), ") +
              "memory and files of predicted rows, the size of the problem and how like production it is, the network "
              "between nodes, compiler and flags of the program, which cores ranks were bound to, energy, and queueing "
              "times.");
  }

  std::string nodes_text() const {
    const ScalingTable& table = proposal_.studies.front().tables.front();
    if (!knows_nodes(table)) return "Number of nodes: not known.";
    const std::string needed = "as many as the processes need with a core for each thread and " +
                               core::to_text(table.cores_per_node) + " cores a node";
    if (!table.is_elapsed()) return "Number of nodes: " + needed + "; the runs themselves shared fewer cores.";
    if (table.other_nodes) return "Number of nodes: " + needed + ".";
    return "Number of nodes: as the runs had them" +
           (has_predictions(proposal_) ? ", of predicted rows " + needed : std::string()) + ".";
  }

  bool has_loops() const {
    for (const Study& study : proposal_.studies) {
      for (const ScalingTable& table : study.tables) {
        if (!table.region.empty()) continue;
        for (const ScalingRow& row : table.rows) {
          if (row.loop_s) return true;
        }
      }
    }
    return false;
  }

  const Proposal& proposal_;
  Document document_;
};

}  // namespace

Document proposal_document(const Proposal& proposal) { return SectionWriter(proposal).write(); }

}  // namespace scalediag::report
