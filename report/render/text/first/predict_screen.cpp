#include "report/render/text/first/predict_screen.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "core/text/bounded.h"
#include "core/text/function_name.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "core/text/value_list.h"
#include "core/text/wrapping.h"
#include "report/render/source_text.h"
#include "report/render/text/first/doubts.h"
#include "report/render/text/first/limits_table.h"
#include "report/render/text/predict_text.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

using Align = core::TableColumn::Align;

constexpr size_t kMostLimits = 5, kMostDoubts = 3, kMostMeasured = 8;
constexpr std::ptrdiff_t kMostLines = 40;  // of the screen
constexpr double kLeastPercent = 0.1;      // an efficiency whose digits would tell something
// Series of Extra-P's formats, of each metric.
constexpr size_t kMostSeries = 10;
// Behind a scale whose ranks shared cores.
constexpr const char* kSharedMark = " *";

class ScreenBuilder {
 public:
  ScreenBuilder(const Findings& findings, bool full_names, size_t most_limits)
      : findings_(findings), full_names_(full_names), most_limits_(most_limits) {}

  PredictScreen screen() {
    add_title();
    if (findings_.targets.empty()) return std::move(screen_);
    if (findings_.targets.front().run_s) {
      add_answer();
      if (const TargetFindings* const answered = answered_target(findings_)) {
        screen_.limits = limits_table(findings_, *answered, full_names_, most_limits_);
      }
    } else {
      if (answered_target(findings_) == nullptr) {
        screen_.remarks.push_back("These are the figures of the models, no answers.");
      }
      add_series();
    }
    add_certainty();
    add_warnings();
    screen_.next = next_step(findings_);
    return std::move(screen_);
  }

 private:
  std::string name_of(const KernelFinding& kernel) const {
    return full_names_ ? kernel.name : core::plain_function(kernel.name);
  }

  void add_title() {
    const auto& measured = findings_.measured;
    screen_.title = findings_.application.empty() ? findings_.input : findings_.application;
    if (measured.empty()) return;
    screen_.title += ", measured at " +
                     (measured.size() <= kMostMeasured
                          ? core::join(measured, ", ", [](const Point& at) { return report::text_of(at); })
                          : core::counted(measured.size(), "point") + " up to " + report::text_of(measured.back()));
  }

  void add_answer() {
    screen_.answers = answer_sentences(findings_);
    if (is_worth_known()) screen_.worth = worth_text(findings_);
    screen_.targets.push_back(targets_table());
    add_marks(screen_.targets.back());
    if (findings_.memory_limit) screen_.remarks.push_back(memory_limit_text(*findings_.memory_limit));
    std::string text = where_text(findings_);
    if (findings_.region.empty()) text += "Run: MPI_Init to MPI_Finalize; whole job: with start and end. ";
    text += "Between: 90 % intervals.";
    const std::string base = report::text_of(findings_.base);
    if (base.empty() || findings_.scaling == Scaling::kUnknown) return screen_.remarks.push_back(text);
    const bool is_smallest = std::none_of(findings_.measured.begin(), findings_.measured.end(), [&](const Point& at) {
      return process_count(at) < process_count(findings_.base);
    });
    text += " Speed-up and efficiency: of the run, over " + base +
            (is_smallest ? "" : ", since other programs slowed smaller runs") + ", " +
            report::name_of(findings_.scaling) + " scaling";
    const bool weak = findings_.scaling == Scaling::kWeak;
    text += weak ? " (the input grows with the processes)" : " (same input)";
    const TargetFindings* const answered = answered_target(findings_);
    const std::optional<double> other = answered == nullptr ? std::nullopt
                                        : weak              ? answered->efficiency_strong
                                                            : answered->efficiency_weak;
    constexpr double kImpossible = 2;  // an efficiency that says that the scaling is not of that kind
    if (findings_.scaling_is_open && other && *other < kImpossible) {
      text += std::string(". That is assumed: ") +
              (weak ? "if the problem stays the same" : "if the problem grows with the processes") +
              ", efficiency at " + report::text_of(answered->at) + " is " +
              core::bounded(100 * *other, 90 * *other, 110 * *other).value + " %";
    }
    screen_.remarks.push_back(text + ".");
  }

  // Whether the number of processes up to which more are worth it lies where targets have an answer.
  bool is_worth_known() const {
    const TargetFindings* const answered = answered_target(findings_);
    if (answered == nullptr || !findings_.curve) return false;
    const SweetSpot& spot = findings_.curve->sweet_spot;
    return answered == &main_target(findings_) || (spot.processes && *spot.processes <= process_count(answered->at));
  }

  // What the marks of the table mean, if they are in it.
  void add_marks(const ScreenTable& table) {
    const auto is_in = [&](auto has) { return std::ranges::any_of(table.rows, has); };
    if (is_in([](const auto& row) { return row.front().ends_with(kSharedMark); })) {
      constexpr double kTellingFactor = 0.02;
      const std::optional<double>& factor = findings_.lone_factor;
      const bool is_telling = factor && std::abs(*factor - 1) > kTellingFactor;
      screen_.remarks.push_back(
          "*: CPU time, since ranks shared cores" +
          (is_telling ? "; of the largest, computation is " + core::fixed(*factor, 2) + " of that, as with a core each"
                      : "") +
          ".");
    }
    if (is_in([](const auto& row) { return row[1] == kNoNumber; })) {
      screen_.remarks.push_back(std::string(kNoNumber) + ": not known; between is what the models give.");
    }
  }

  struct TargetRow {
    std::string at;
    std::optional<Estimate> run_s, speedup, efficiency, total_s;
    bool has_answer = true;  // else there are intervals only
  };

  static Estimate exactly(double value) { return {value, value, value, 0.9}; }

  // The smallest and the largest measured scale of the targets' problem, then the targets.
  std::vector<TargetRow> target_rows() const {
    std::vector<TargetRow> rows;
    const auto is_target = [this](const Point& at) {
      return std::any_of(findings_.targets.begin(), findings_.targets.end(),
                         [&](const TargetFindings& t) { return t.at == at; });
    };
    if (findings_.curve) {
      std::vector<const ScaleSample*> measured;
      for (const ScaleSample& s : findings_.curve->samples) {
        const bool is_compared = findings_.base.empty() || process_count(s.at) >= process_count(findings_.base);
        if (is_compared &&
            std::find(findings_.measured.begin(), findings_.measured.end(), s.at) != findings_.measured.end()) {
          measured.push_back(&s);
        }
      }
      if (measured.size() > 2) measured = {measured.front(), measured.back()};
      for (const ScaleSample* s : measured) {
        if (is_target(s->at)) continue;
        const auto known = [](const std::vector<double>& repeats, const Estimate& modelled) {
          return exactly(repeats.empty() ? modelled.value : core::mean(repeats));
        };
        // On another network than that of the runs a scale is simulated, or modelled from what was measured of its
        // parts.
        const std::string origin = !s->measured_run_s.empty() ? "measured " : s->simulated ? "simulated " : "modelled ";
        const bool is_shared = std::ranges::find(findings_.shared_cores, s->at) != findings_.shared_cores.end();
        rows.push_back({origin + report::text_of(s->at) + (is_shared ? kSharedMark : ""),
                        known(s->measured_run_s, s->run_s), exactly(s->measured_speedup.value_or(s->speedup.value)),
                        exactly(s->measured_efficiency.value_or(s->efficiency.value)),
                        known(s->measured_s, s->total_s)});
      }
    }
    for (const TargetFindings& t : findings_.targets) {
      const auto efficiency =
          t.efficiency ? std::optional(t.efficiency_interval.value_or(exactly(*t.efficiency))) : std::nullopt;
      const bool has_answer = !t.trust.tells_nothing() && in_units(*t.run_s, 1).value != kNoNumber;
      rows.push_back({report::text_of(t.at), t.run_s, speedup_of(t), efficiency, t.total_s, has_answer});
    }
    return rows;
  }

  // In the unit of the shortest, unless the longest then has many digits.
  static core::TimeFormat unit_of(const std::vector<TargetRow>& rows, std::optional<Estimate> TargetRow::*part) {
    double least = 0, most = 0;
    for (const TargetRow& row : rows) {
      const double value = row.*part ? (row.*part)->value : 0;
      if (value > 0 && (least == 0 || value < least)) least = value;
      most = std::max(most, value);
    }
    constexpr double kManyDigits = 1e4;
    const core::TimeFormat fine(least);
    return most * core::units_a_second(fine) < kManyDigits ? fine : core::TimeFormat(most);
  }

  ScreenTable targets_table() const {
    const std::vector<TargetRow> rows = target_rows();
    const bool with_jobs = findings_.region.empty() && std::all_of(rows.begin(), rows.end(), [](const TargetRow& row) {
                             return row.total_s.has_value();
                           });
    const core::TimeFormat run_time = unit_of(rows, &TargetRow::run_s), job_time = unit_of(rows, &TargetRow::total_s);
    const core::TableColumn between{.title = "between", .gap = 1};
    const std::string run = name_of_predicted(findings_);
    ScreenTable table;
    table.columns = {{"at"}, {run + " " + run_time.unit()}, between, {"speed-up"}, between, {"efficiency %"}, between};
    // In a narrow terminal the whole job goes without its interval, whose ends are as far apart as the run's, or goes.
    table.may_go = with_jobs ? 2 : 0;
    if (with_jobs) {
      table.columns.push_back({std::string("whole job ") + job_time.unit()});
      table.columns.push_back(between);
    }
    for (const TargetRow& row : rows) {
      std::vector<std::string>& cells = table.rows.emplace_back();
      cells.push_back(row.at);
      const auto add = [&](const std::optional<Estimate>& e, double units) {
        const core::Bounded number = e ? in_units(*e, units) : core::Bounded{kNoNumber, "", ""};
        cells.push_back(row.has_answer ? number.value : kNoNumber);
        cells.push_back(!e || e->low == e->high ? "" : number.interval());
      };
      add(row.run_s, core::units_a_second(run_time));
      add(row.speedup, 1);
      if (row.has_answer && row.efficiency && 100 * row.efficiency->high < kLeastPercent) {
        cells.insert(cells.end(), {"< " + core::to_text(kLeastPercent), ""});
      } else {
        add(row.efficiency, 100);
      }
      if (with_jobs) add(row.total_s, core::units_a_second(job_time));
    }
    return table;
  }

  // Extra-P's formats: call paths, which may contain one another. A column a target.
  void add_series() {
    const TargetFindings& last = main_target(findings_);
    for (const std::string& metric : metrics_of(last)) {
      ScreenTable& table = screen_.targets.emplace_back();
      table.title = metric + ", 90 % interval at " + report::text_of(last.at);
      for (const TargetFindings& t : findings_.targets) table.columns.push_back({report::text_of(t.at)});
      table.columns.push_back({"between"});
      table.columns.push_back({"scales"});
      table.columns.push_back({.title = last.is_unchecked ? "call path, neither ranked nor judged" : "call path",
                               .align = Align::kLeft,
                               .shrink_weight = 5,
                               .shorten = core::shorten_function});
      for (const KernelFinding& k : last.kernels) {
        if (k.metric != metric) continue;
        if (table.rows.size() == kMostSeries) {
          ++table.left_out;
          continue;
        }
        std::vector<std::string>& cells = table.rows.emplace_back();
        for (const TargetFindings& t : findings_.targets) {
          const auto same = std::find_if(t.kernels.begin(), t.kernels.end(),
                                         [&](const KernelFinding& other) { return other.id == k.id; });
          cells.push_back(same == t.kernels.end() ? "-" : in_units(same->estimate, 1).value);
        }
        cells.push_back(in_units(k.estimate, 1).interval());
        cells.push_back(!k.scales ? (k.exponent ? "not decided" : "-") : *k.scales ? "yes" : "no");
        cells.push_back(name_of(k));
      }
    }
  }

  void add_certainty() {
    const auto field = [&](const char* name, const std::string& text) {
      if (!text.empty()) screen_.certainty.emplace_back(name, text);
    };
    const TargetFindings& main = main_target(findings_);
    const auto differs = [&](const TargetFindings& t) { return text_of(t.trust) != text_of(main.trust); };
    const auto about = [](const TargetFindings& t) { return report::text_of(t.at) + ": " + text_of(t.trust); };
    const bool is_one = std::ranges::none_of(findings_.targets, differs);
    field("grade", is_one ? text_of(main.trust) : about(main));
    constexpr size_t kMostGrades = 4;
    for (const TargetFindings& t : findings_.targets) {
      if (differs(t) && screen_.certainty.size() < kMostGrades) field("also", about(t));
    }
    field("backtest", backtest_text(findings_, true));
    field("sources", sources_text(main_target(findings_)));
  }

  void add_warnings() {
    const std::vector<HarmfulDoubt> doubts = doubts_of(findings_);
    for (const HarmfulDoubt& doubt : doubts) {
      if (screen_.warnings.size() == kMostDoubts || doubt.harm == Harm::kRemark) break;
      screen_.warnings.push_back(doubt.text);
    }
    screen_.more_warnings = doubts.size() - screen_.warnings.size();
  }

  const Findings& findings_;
  const bool full_names_;
  const size_t most_limits_;
  PredictScreen screen_;
};

// With the title above it, and the number of rows that it leaves out below.
std::string table_text(const ScreenTable& table, const TerminalOptions& options) {
  std::string out = "\n";
  if (!table.title.empty()) out += heading_text(core::printable(table.title), options.color) + "\n";
  const auto written = [&](size_t columns) {
    core::Table text({table.columns.begin(), table.columns.begin() + static_cast<std::ptrdiff_t>(columns)});
    for (const auto& row : table.rows) text.add_row({row.begin(), row.begin() + static_cast<std::ptrdiff_t>(columns)});
    return text.text({options.width, options.color, 2});
  };
  std::string text = written(table.columns.size());
  for (size_t gone = 1; gone <= table.may_go && options.width != core::kUnlimited; ++gone) {
    // The last row has no colours.
    const size_t last = text.rfind('\n', text.size() - 2) + 1;
    if (core::display_width(text.substr(last)) <= options.width + 1) break;
    text = written(table.columns.size() - gone);
  }
  out += text;
  const std::string more = table.left_out > 0 ? std::to_string(table.left_out) + " more: --details. " : "";
  if (!(more + table.remark).empty()) out += core::wrapped("  ", more + table.remark, options.width);
  return out;
}

std::ptrdiff_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

std::string screen_text(const PredictScreen& screen, const TerminalOptions& options) {
  const auto heading = [&](const std::string& text) { return heading_text(core::printable(text), options.color); };
  const auto line = [&](const std::string& first, const std::string& text, size_t indent = 4) {
    return core::wrapped(first, text, options.width, indent);
  };
  std::string out = heading(screen.title) + "\n";
  if (screen.targets.empty()) return out;
  for (const std::string& sentence : screen.answers) out += line("  ", sentence);
  if (!screen.worth.empty()) out += line("  ", screen.worth);
  for (const ScreenTable& table : screen.targets) out += table_text(table, options);
  for (const std::string& remark : screen.remarks) out += line("  ", remark);
  if (!screen.limits.rows.empty()) {
    out += table_text(screen.limits, options);
  } else if (!screen.limits.title.empty()) {
    out += "\n" + heading(screen.limits.title) + ": " + kNothingLimits + "\n";
  }
  constexpr size_t kIndent = 11;
  out += "\n";
  for (const auto& [name, text] : screen.certainty) {
    out += &name == &screen.certainty.front().first
               ? line(heading("How sure") + ": ", text)
               : line("  " + name + std::string(kIndent - 2 - name.size(), ' '), text, kIndent);
  }
  const std::string& command = options.next.command;
  std::string last;
  if (!command.empty()) {
    last = line(label_text("next, to narrow this", "1;32", options.color), command) +
           line("  it will  ", options.next.steps, kIndent);
  } else if (!screen.next.empty()) {
    last = line(label_text("next", "1;32", options.color), screen.next);
  }
  // As many warnings as one screen has room for, but always the most harmful one.
  size_t shown = 0;
  for (const std::string& warning : screen.warnings) {
    const std::string text = line(label_text("warning", "1;33", options.color), warning);
    if (shown > 0 && lines_of(out) + lines_of(text) + 1 + lines_of(last) > kMostLines) break;
    out += text;
    ++shown;
  }
  const size_t more = screen.more_warnings + screen.warnings.size() - shown;
  return out + (more > 0 ? core::counted(more, "more warning") + " and all tables" : "All tables") + ": --details\n" +
         last;
}

}  // namespace

std::string next_step(const Findings& findings) { return findings.next_run ? sentence_of(*findings.next_run) : ""; }

PredictScreen predict_screen_of(const Findings& findings, bool full_names) {
  return ScreenBuilder(findings, full_names, kMostLimits).screen();
}

std::string predict_screen(const Findings& findings, const TerminalOptions& options) {
  // Where long texts leave no room, the least of the limits go.
  constexpr size_t kLeastLimits = 2;
  std::string text;
  for (size_t limits = kMostLimits; limits >= kLeastLimits; --limits) {
    text = screen_text(ScreenBuilder(findings, options.width == core::kUnlimited, limits).screen(), options);
    if (lines_of(text) <= kMostLines) break;
  }
  return text;
}

}  // namespace scalediag::report
