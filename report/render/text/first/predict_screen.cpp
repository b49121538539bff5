#include "report/render/text/first/predict_screen.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/text/bounded.h"
#include "core/text/function_name.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "core/text/table.h"
#include "core/text/value_list.h"
#include "core/text/wrapping.h"
#include "report/render/text/first/doubts.h"
#include "report/render/text/predict_text.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

using Align = core::TableColumn::Align;

constexpr size_t kMostLimits = 5, kMostDoubts = 3, kMostMeasured = 8;
// Series of Extra-P's formats, of each metric.
constexpr size_t kMostSeries = 10;
// From this share of the run on, waiting and functions with too few samples are named.
constexpr double kTelling = 0.05;
// A backtest that is off by more says that the answer may be, too, although its interval holds it.
constexpr double kFarOff = 0.25;

core::Bounded in_units(const Estimate& e, double units) {
  return core::bounded(units * e.value, units * e.low, units * e.high);
}

// The interval of the speed-up is the efficiency's, times the same factor.
std::optional<Estimate> speedup_of(const TargetFindings& target) {
  if (!target.speedup) return std::nullopt;
  if (!target.efficiency || !target.efficiency_interval || !(*target.efficiency > 0)) {
    return Estimate{*target.speedup, *target.speedup, *target.speedup, 0.9};
  }
  const double factor = *target.speedup / *target.efficiency;
  const Estimate& e = *target.efficiency_interval;
  return Estimate{*target.speedup, std::min(*target.speedup, factor * e.low),
                  std::max(*target.speedup, factor * e.high), e.level};
}

// "conj_grad.f:120"; of an MPI operation the place that calls it most.
std::string source_of(const KernelFinding& kernel) {
  if (!kernel.file.empty()) return place_text(kernel.file, kernel.line);
  if (!kernel.call_sites.empty()) return core::plain_function(kernel.call_sites.front().site);
  return kernel.module;
}

class PredictScreen {
 public:
  PredictScreen(const Findings& findings, const TerminalOptions& options) : findings_(findings), options_(options) {}

  std::string text() {
    print_title();
    if (findings_.targets.empty()) return std::move(out_);
    if (findings_.targets.front().run_s) {
      print_answer();
      print_limits(main_target(findings_));
    } else {
      print_series();
    }
    print_certainty();
    print_doubts();
    const std::string next = options_.next.empty() ? next_step(findings_) : options_.next;
    if (!next.empty()) line(label_text("next", "1;32", options_.color), next);
    return std::move(out_);
  }

 private:
  core::TableStyle style() const { return {options_.width, options_.color, 2}; }
  std::string heading(const std::string& text) const { return heading_text(core::printable(text), options_.color); }
  void line(const std::string& first, const std::string& text, size_t indent = 4) {
    out_ += core::wrapped(first, text, options_.width, indent);
  }
  std::string name_of(const KernelFinding& kernel) const {
    return options_.width == core::kUnlimited ? kernel.name : core::plain_function(kernel.name);
  }

  void print_title() {
    const auto& measured = findings_.measured;
    std::string text = findings_.application.empty() ? findings_.input : findings_.application;
    if (!measured.empty()) {
      text += ", measured at " +
              (measured.size() <= kMostMeasured
                   ? core::join(measured, ", ", [](const Point& at) { return report::text_of(at); })
                   : core::counted(measured.size(), "point") + " up to " + report::text_of(measured.back()));
    }
    out_ += heading(text) + "\n";
  }

  void print_answer() {
    const TargetFindings& target = main_target(findings_);
    const core::TimeFormat time(target.run_s->value);
    const core::Bounded run = in_units(*target.run_s, core::units_a_second(time));
    const std::string spread = core::spread_text(target.run_s->low, target.run_s->high);
    line("  ", "At " + report::text_of(target.at) + " the " +
                   (findings_.region.empty() ? "run" : "region " + findings_.region) + " takes " + run.value + " " +
                   time.unit() + (findings_.clock == "cpu" ? " of CPU time" : "") + ", between " + run.low + " and " +
                   run.high + (spread.empty() ? "." : ": " + spread + "."));
    print_targets();
    const std::string base = report::text_of(findings_.base);
    if (findings_.region.empty()) {
      line("  ", "Run: from MPI_Init to MPI_Finalize. Whole job: with its start and end. Between: 90 % intervals.");
    }
    if (base.empty() || findings_.scaling == Scaling::kUnknown) return;
    std::string text =
        "Speed-up and efficiency are relative to " + base + ", in " + report::name_of(findings_.scaling) + " scaling";
    const bool weak = findings_.scaling == Scaling::kWeak;
    const std::optional<double>& other = weak ? target.efficiency_strong : target.efficiency_weak;
    if (findings_.scaling_is_open && other) {
      text += std::string(". That is assumed: ") +
              (weak ? "if the problem stays the same" : "if the problem grows with the processes") +
              ", efficiency is " + core::bounded(100 * *other, 100 * *other, 100 * *other).value + " %";
    }
    line("  ", text + ".");
  }

  void print_targets() {
    std::string text = targets_table(true);
    // The last row has no colours. Where it is too long, the whole job goes without its interval, whose ends are as far
    // apart as the run's.
    const size_t row = text.rfind('\n', text.size() - 2) + 1;
    if (options_.width != core::kUnlimited && core::display_width(text.substr(row)) > options_.width + 1) {
      text = targets_table(false);
    }
    out_ += "\n" + text;
    if (findings_.memory_limit) line("  ", memory_limit_text(*findings_.memory_limit));
  }

  std::string targets_table(bool with_job_interval) const {
    double largest_run = 0, largest_job = 0;
    bool with_jobs = findings_.region.empty();
    for (const TargetFindings& t : findings_.targets) {
      largest_run = std::max(largest_run, t.run_s->value);
      with_jobs = with_jobs && t.total_s.has_value();
      if (t.total_s) largest_job = std::max(largest_job, t.total_s->value);
    }
    const core::TimeFormat run_time(largest_run), job_time(largest_job);
    const core::TableColumn between{.title = "between", .gap = 1};
    const std::string run = name_of_predicted(findings_);
    std::vector<core::TableColumn> columns = {
        {"target"}, {run + " " + run_time.unit()}, between, {"speed-up"}, between, {"efficiency %"}, between};
    if (with_jobs) columns.push_back({std::string("whole job ") + job_time.unit()});
    if (with_jobs && with_job_interval) columns.push_back(between);
    core::Table table(columns);
    for (const TargetFindings& t : findings_.targets) {
      std::vector<std::string> cells = {report::text_of(t.at)};
      const auto add = [&](const std::optional<Estimate>& e, double units) {
        const core::Bounded number = e ? in_units(*e, units) : core::Bounded{"-", "", ""};
        cells.push_back(number.value);
        cells.push_back(number.interval());
      };
      add(t.run_s, core::units_a_second(run_time));
      add(speedup_of(t), 1);
      const auto exact = [](double value) { return Estimate{value, value, value, 0.9}; };
      add(t.efficiency ? std::optional(t.efficiency_interval.value_or(exact(*t.efficiency))) : std::nullopt, 100);
      if (with_jobs) add(t.total_s, core::units_a_second(job_time));
      if (with_jobs && !with_job_interval) cells.pop_back();
      table.add_row(std::move(cells));
    }
    return table.text(style());
  }

  struct Limit {
    const Estimate* estimate;
    std::string why, name, source;
  };

  // Why a kernel limits the run; empty: it does not, or too little to be named.
  std::string why_of(const KernelFinding& k, const TargetFindings& target) const {
    if (!k.matters) return "";
    if (target.is_unchecked) return "two scales do not tell";
    if (findings_.scaling == Scaling::kUnknown) return "kind of scaling not known";
    if (k.pooled > 0 && !k.exponent) return k.share >= kTelling ? "too few samples" : "";
    if (!k.scales) return k.exponent || k.kind == fit::KernelKind::kWaiting ? "not decided" : "";
    if (*k.scales) return "";
    return k.cause == Cause::kNone ? "does not scale" : cause_text(k);
  }

  void print_limits(const TargetFindings& target) {
    std::vector<Limit> limits;
    for (const KernelFinding& k : target.kernels) {
      if (const std::string why = why_of(k, target); !why.empty()) {
        limits.push_back({&of_slowest(k), why, name_of(k), source_of(k)});
      }
    }
    if (target.waiting_s && target.waiting_s->value > kTelling * target.run_s->value) {
      const std::string cause = target.waiting_causes.empty() ? "imbalance" : target.waiting_causes.front().cause;
      limits.push_back({&*target.waiting_s, cause, "[waiting for other ranks]", ""});
    }
    std::stable_sort(limits.begin(), limits.end(),
                     [](const Limit& a, const Limit& b) { return a.estimate->value > b.estimate->value; });
    if (limits.empty()) {
      out_ += "\n" + heading("What limits it at " + report::text_of(target.at)) +
              ": no kernel of at least 1 % stops scaling for certain\n";
      return;
    }
    out_ += "\n" + heading("What limits it at " + report::text_of(target.at)) + "\n";
    const core::TimeFormat time(limits.front().estimate->value);
    core::Table table(
        {{std::string("time ") + time.unit()},
         {"between"},
         {"% of run"},
         {.title = "why", .align = Align::kLeft, .shrink_weight = 4},
         {.title = "kernel", .align = Align::kLeft, .shrink_weight = 5, .shorten = core::shorten_function},
         {.title = "source", .align = Align::kLeft, .shrink_weight = 3, .shorten = core::shorten_front}});
    const size_t shown = std::min(kMostLimits, limits.size());
    for (size_t i = 0; i < shown; ++i) {
      const Limit& limit = limits[i];
      const core::Bounded number = in_units(*limit.estimate, core::units_a_second(time));
      const double share = limit.estimate->value / target.run_s->value;
      table.add_row({number.value, number.interval(), core::fixed(100 * share, share < 0.0995 ? 1 : 0), limit.why,
                     limit.name, limit.source});
    }
    out_ += table.text(style());
    if (shown < limits.size()) out_ += "  (" + std::to_string(limits.size() - shown) + " more: --details)\n";
  }

  // Extra-P's formats: call paths, which may contain one another. A column a target.
  void print_series() {
    const TargetFindings& last = main_target(findings_);
    std::vector<std::string> metrics;
    for (const KernelFinding& k : last.kernels) {
      if (std::find(metrics.begin(), metrics.end(), k.metric) == metrics.end()) metrics.push_back(k.metric);
    }
    for (const std::string& metric : metrics) {
      std::vector<core::TableColumn> columns;
      for (const TargetFindings& t : findings_.targets) columns.push_back({report::text_of(t.at)});
      columns.push_back({"between"});
      columns.push_back({"scales"});
      columns.push_back({.title = last.is_unchecked ? "call path, neither ranked nor judged" : "call path",
                         .align = Align::kLeft,
                         .shrink_weight = 5,
                         .shorten = core::shorten_function});
      core::Table table(columns);
      size_t n = 0, left_out = 0;
      for (const KernelFinding& k : last.kernels) {
        if (k.metric != metric) continue;
        if (++n > kMostSeries) {
          ++left_out;
          continue;
        }
        std::vector<std::string> cells;
        for (const TargetFindings& t : findings_.targets) {
          const auto same = std::find_if(t.kernels.begin(), t.kernels.end(),
                                         [&](const KernelFinding& other) { return other.id == k.id; });
          cells.push_back(same == t.kernels.end() ? "-" : in_units(same->estimate, 1).value);
        }
        cells.push_back(in_units(k.estimate, 1).interval());
        cells.push_back(!k.scales ? (k.exponent ? "not decided" : "-") : *k.scales ? "yes" : "no");
        cells.push_back(name_of(k));
        table.add_row(std::move(cells));
      }
      out_ += "\n" + heading(metric + ", 90 % interval at " + report::text_of(last.at)) + "\n" + table.text(style());
      if (left_out > 0) out_ += "  (" + std::to_string(left_out) + " more: --details)\n";
    }
  }

  void field(const std::string& name, const std::string& value) {
    constexpr size_t kIndent = 11;
    if (!value.empty()) line("  " + name + std::string(kIndent - 2 - name.size(), ' '), value, kIndent);
  }

  // Short sentences, four at most.
  std::string backtest_text() const {
    const BacktestFindings& b = findings_.backtest;
    if (b.all_values_zero) return "impossible: all measured values are 0";
    if (!b.possible) return "impossible: there are too few scales; the intervals are guesses from experience";
    std::string text = b.parameter + "=" + core::to_text(b.scale) + ", predicted from " + core::short_list_of(b.from);
    if (b.error) {
      text += ", came out " + core::fixed(100 * std::abs(*b.error), std::abs(*b.error) < 0.0995 ? 1 : 0) +
              (*b.error < 0 ? " % too low, " : " % too high, ") + (b.inside ? "inside" : "OUTSIDE") + " its interval";
    }
    text += ".";
    if (b.error && std::abs(*b.error) > kFarOff) text += " The answer may be as far off.";
    if (b.kernels > 0) {
      text += " Single functions were off by " + core::fixed(100 * b.median_kernel_error, 0) + " % in the median.";
    }
    const double reach = main_target(findings_).beyond.value_or(1);
    const double checked = b.from.empty() || !(b.from.back() > 0) ? 1 : b.scale / b.from.back();
    if (reach > 1.01 * checked) {
      text += " That checks a step of " + core::times_text(checked) + ", not of " + core::times_text(reach) + ".";
    }
    return text;
  }

  void print_certainty() {
    out_ += "\n" + heading("How sure") + "\n";
    field("backtest", backtest_text());
    std::vector<std::string> sources;
    const TargetFindings& target = main_target(findings_);
    for (const auto component :
         {predict::Component::kComputation, predict::Component::kCommunication, predict::Component::kWaiting}) {
      const std::string taken = predict::taken_sources(target.sources, component);
      if (!taken.empty()) sources.push_back(std::string(predict::name_of(component)) + ": " + taken);
    }
    field("sources", core::join(sources, "; "));
    if (findings_.lone_factor != 1) {
      field("shared cores", "computation is that of ranks alone: " + core::fixed(findings_.lone_factor, 2) +
                                " of what was measured at the largest scale");
    }
    if (findings_.on_host_network) field("network", "this host's; that of a cluster: --network NAME (such as hdr)");
  }

  void print_doubts() {
    const std::vector<HarmfulDoubt> doubts = doubts_of(findings_);
    size_t shown = 0;
    for (const HarmfulDoubt& doubt : doubts) {
      if (shown == kMostDoubts || doubt.harm == Harm::kRemark) break;
      line(label_text("warning", "1;33", options_.color), doubt.text);
      ++shown;
    }
    out_ += (shown < doubts.size() ? std::to_string(doubts.size() - shown) + " more and all tables" : "All tables") +
            std::string(": --details\n");
  }

  const Findings& findings_;
  const TerminalOptions& options_;
  std::string out_;
};

}  // namespace

std::string next_step(const Findings& findings) { return findings.next_run ? sentence_of(*findings.next_run) : ""; }

std::string predict_screen(const Findings& findings, const TerminalOptions& options) {
  return PredictScreen(findings, options).text();
}

}  // namespace scalediag::report
