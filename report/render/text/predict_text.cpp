#include "report/render/text/predict_text.h"

#include <algorithm>
#include <cmath>

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
#include "report/findings/places/call_site_findings.h"
#include "report/render/source_text.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

using Align = core::TableColumn::Align;

std::string scales_text(const KernelFinding& kernel) {
  if (!kernel.scales) return kernel.exponent ? "?" : "-";
  if (*kernel.scales) return "yes";
  return "no, from " + core::to_text(std::round(kernel.stops_at.value_or(0)));
}

class PredictText {
 public:
  PredictText(const Findings& findings, const TerminalOptions& options) : findings_(findings), options_(options) {}

  std::string text() {
    print_header();
    print_backtest();
    const bool application = !findings_.targets.empty() && findings_.targets.front().run_s.has_value();
    if (application) print_totals();
    print_efficiencies();
    for (const TargetFindings& target : findings_.targets) {
      print_kernels(target, application);
      print_stopping(target);
    }
    print_legend(application);
    return std::move(out_);
  }

 private:
  core::TableStyle style() const { return {options_.width, options_.color, 2}; }
  std::string heading(const std::string& text) const { return heading_text(core::printable(text), options_.color); }
  std::string label(const std::string& text, const char* color) const {
    return label_text(text, color, options_.color);
  }

  void paragraph(const std::string& first, const std::string& raw) {
    out_ += core::wrapped(first, raw, options_.width);
  }

  void field(const std::string& name, const std::string& value) {
    if (value.empty()) return;
    paragraph("  " + name + std::string(12 - std::min<size_t>(11, name.size()) - 1, ' '), value);
  }

  std::string measured_text() const {
    std::string text;
    constexpr size_t kShown = 12;
    for (size_t i = 0; i < std::min(kShown, findings_.measured.size()); ++i) {
      text += (i == 0 ? "" : ", ") + text_of(findings_.measured[i]);
    }
    if (findings_.measured.size() > kShown) {
      text +=
          ", ... " + text_of(findings_.measured.back()) + " (" + std::to_string(findings_.measured.size()) + " points)";
    }
    return text;
  }

  void print_header() {
    out_ += heading(findings_.application.empty() ? findings_.input : findings_.application) + ": predicted\n";
    for (const std::string& sentence : verdict_of(findings_)) paragraph("  ", sentence);
    field("measured", measured_text());
    if (!findings_.clock.empty()) {
      field("clock", findings_.clock + (findings_.clock_reason.empty() ? "" : " (" + findings_.clock_reason + ")"));
      const std::string why = findings_.counters_reason.empty() ? "" : " (" + findings_.counters_reason + ")";
      if (findings_.region.empty()) {
        field("counters", core::counters_text(findings_.counters) + why);
        field("commun.", findings_.communication);
      }
    }
    std::string scaling = name_of(findings_.scaling);
    if (!findings_.scaling_reason.empty()) scaling += " (" + findings_.scaling_reason + ")";
    if (!findings_.scaling_contradiction.empty()) scaling += ", but " + findings_.scaling_contradiction;
    field("scaling", scaling);
  }

  void print_backtest() {
    const BacktestFindings& b = findings_.backtest;
    if (b.all_values_zero) return field("backtest", "impossible: all values are 0");
    if (!b.possible)
      return field("backtest", "impossible: too few scales; the intervals below are guesses from experience");
    std::vector<std::string> parts;
    if (b.measured && b.predicted && b.error) {
      const core::TimeFormat time(std::max(*b.measured, *b.predicted));
      parts.push_back(std::string(name_of_predicted(findings_)) + " " + time(*b.predicted) + " " + time.unit() + ", " +
                      origin_of_totals(findings_) + " " + time(*b.measured) + " (" + core::signed_percent(*b.error) +
                      inside_text(b) + ")");
      if (b.computation_error && tells_communication(findings_)) {
        parts.push_back("computation " + core::signed_percent(*b.computation_error));
      }
    }
    if (b.kernels > 0) {
      parts.push_back(std::string(findings_.totals_modelled ? "functions" : "kernels") + ": median error " +
                      core::percent(b.median_kernel_error) + " over " + std::to_string(b.kernels));
    }
    if (parts.empty()) parts.push_back("no measured time to be held against");
    field("backtest", b.parameter + "=" + core::to_text(b.scale) + " predicted from " + core::short_list_of(b.from) +
                          ": " + core::join(parts, "; "));
  }

  static std::string ends_of(const core::Bounded& number) { return number.low + " - " + number.high; }

  void print_totals() {
    double largest = 0;
    for (const TargetFindings& t : findings_.targets) largest = std::max(largest, t.run_s->value);
    const core::TimeFormat time(largest);
    const double units = core::units_a_second(time);
    const std::vector<TotalsPart> parts = totals_parts(findings_);
    std::vector<core::TableColumn> columns = {
        {"target"}, {std::string(name_of_predicted(findings_)) + " " + time.unit()}, {"90% interval"}};
    for (const TotalsPart& part : parts) columns.push_back({part.short_title});
    for (const char* title : {"speed-up", "efficiency"}) columns.push_back({title});
    core::Table table(columns);
    for (const TargetFindings& t : findings_.targets) {
      const core::Bounded run = in_units(*t.run_s, units);
      std::vector<std::string> cells = {text_of(t.at), run.value, ends_of(run)};
      for (const TotalsPart& part : parts) {
        cells.push_back(t.*part.value ? in_units(*(t.*part.value), units).value : "-");
      }
      const auto speedup = speedup_of(t);
      cells.push_back(speedup ? in_units(*speedup, 1).value : "-");
      cells.push_back(efficiency_cell(t));
      table.add_row(std::move(cells));
    }
    out_ += "\n" + table.text(style());
    for (const TargetFindings& t : findings_.targets) {
      if (const std::string causes = causes_text(t.waiting_causes); !causes.empty()) {
        paragraph("  ", "waiting at " + text_of(t.at) + ": " + causes);
      }
    }
    for (const TargetFindings& t : findings_.targets) {
      for (const std::string& text : source_lines(findings_, t)) paragraph("  ", text);
    }
    print_memory();
    paragraph("  ", run_line(findings_));
    if (const std::string line = start_and_end_line(findings_); !line.empty()) paragraph("  ", line);
  }

  void print_memory() {
    for (const TargetFindings& t : findings_.targets) {
      if (!t.memory) continue;
      const auto text = [](const Estimate& e) {
        return core::bytes_text(e.value) + " (" + core::bytes_text(e.low) + " - " + core::bytes_text(e.high) + ")";
      };
      paragraph("  ", "memory at " + text_of(t.at) + ": " + text(t.memory->rank_bytes) + " a rank at its peak, " +
                          text(t.memory->most_bytes) + " the largest" +
                          (t.memory->node_bytes ? ", " + text(*t.memory->node_bytes) + " a node" : ""));
    }
    if (findings_.memory_limit) paragraph("  ", memory_limit_text(*findings_.memory_limit));
  }

  static std::string text_of(const Point& at) { return report::text_of(at); }

  void print_efficiencies() {
    if (findings_.efficiencies.empty()) return;
    const auto cell = [](const std::optional<double>& value) {
      return value ? core::percent(*value) : std::string("-");
    };
    const bool threads = findings_.efficiencies.front().thread_efficiency.has_value();
    std::vector<core::TableColumn> columns = {{"efficiencies"}, {"parallel"}, {"load balance"}};
    if (threads) columns.push_back({"threads"});
    const bool gpu = findings_.efficiencies.front().offload_efficiency.has_value();
    if (gpu) columns.push_back({"offload"});
    for (const char* title : {"commun.", "comput. scal.", "instr. scal.", "IPC scal."}) columns.push_back({title});
    const bool network = findings_.blocking.of_network.has_value();
    if (!findings_.totals_modelled) columns.push_back({"BF_comm"});
    if (network) columns.push_back({"of network"});
    core::Table table(columns);
    for (const Efficiencies& e : findings_.efficiencies) {
      std::vector<std::string> cells = {text_of(e.at) + (e.predicted ? " *" : ""), core::percent(e.parallel_efficiency),
                                        core::percent(e.load_balance)};
      if (threads) cells.push_back(cell(e.thread_efficiency));
      if (gpu) cells.push_back(cell(e.offload_efficiency));
      cells.push_back(core::percent(e.communication_efficiency));
      for (const auto& scalability : {e.computation_scalability, e.instruction_scalability, e.ipc_scalability}) {
        cells.push_back(cell(scalability));
      }
      const auto factor = [](const std::optional<double>& value) {
        return value ? core::fixed(*value, 3) : std::string("-");
      };
      if (!findings_.totals_modelled) cells.push_back(factor(e.blocking.of_source));
      if (network) cells.push_back(factor(e.blocking.of_network));
      table.add_row(std::move(cells));
    }
    out_ += "\n" + table.text(style());
    print_devices();
    for (const Efficiencies& e : findings_.efficiencies) {
      if (e.predicted || e.waiting_causes.empty()) continue;
      paragraph("  ", "waiting at " + text_of(e.at) + ", simulated: " + causes_text(e.waiting_causes));
    }
    paragraph("  ", "* predicted; load balance does not count imbalance that sampling alone makes" +
                        std::string(findings_.totals_modelled ? "" : "; BF_comm: run without computation / T_comm"));
  }

  void print_devices() {
    if (std::ranges::none_of(findings_.efficiencies, [](const Efficiencies& e) { return e.devices.has_value(); }))
      return;
    core::Table table({{"of devices"}, {"efficiency"}, {"load balance"}, {"communication"}, {"orchestration"}});
    for (const Efficiencies& e : findings_.efficiencies) {
      if (!e.devices) continue;
      table.add_row({text_of(e.at) + (e.predicted ? " *" : ""), core::percent(e.devices->efficiency),
                     core::percent(e.devices->load_balance), core::percent(e.devices->communication),
                     core::percent(e.devices->orchestration)});
    }
    out_ += "\n" + table.text(style());
  }

  void print_kernels(const TargetFindings& target, bool application) {
    for (const std::string& metric : metrics_of(target)) {
      std::vector<const KernelFinding*> members;
      for (const KernelFinding& kernel : target.kernels) {
        if (kernel.metric == metric) members.push_back(&kernel);
      }
      const bool on_devices = overlaps_run(*members.front());
      std::string title = text_of(target.at) + kernels_by_text(target) +
                          (on_devices    ? "time on devices"
                           : application ? "time"
                                         : metric);
      if (target.beyond && *target.beyond > 1)
        title += ", " + core::times_text(*target.beyond) + " the largest measured";
      out_ += "\n" + heading(title) + "\n";
      print_table(members, application);
      if (on_devices) out_ += "  while the host computes or waits: no part of the run\n";
      print_costs(members);
    }
  }

  void print_table(const std::vector<const KernelFinding*>& kernels, bool application) {
    const core::TimeFormat time(kernels.empty() ? 0 : of_slowest(*kernels.front()).value);
    const double units = application ? core::units_a_second(time) : 1;
    std::vector<core::TableColumn> columns = {
        {"rank"}, {"was"}, {application ? std::string("time ") + time.unit() : "value"}, {"90% interval"}};
    if (application) columns.push_back({"share"});
    columns.push_back({"scales"});
    if (application) columns.push_back({"method"});
    columns.push_back(
        {.title = "kernel", .align = Align::kLeft, .shrink_weight = 5, .shorten = core::shorten_function});
    columns.push_back({.title = application ? "why not" : "model", .align = Align::kLeft, .shrink_weight = 2});
    core::Table table(columns);
    const size_t shown = options_.top == 0 ? kernels.size() : std::min(options_.top, kernels.size());
    for (size_t i = 0; i < shown; ++i) {
      const KernelFinding& k = *kernels[i];
      const core::Bounded number = in_units(of_slowest(k), units);
      std::vector<std::string> cells = {place_text(k), k.rank_measured ? std::to_string(*k.rank_measured) : "-",
                                        number.value, ends_of(number)};
      if (application) cells.push_back(core::percent(k.share));
      cells.push_back(scales_text(k));
      if (application) cells.push_back(k.method == fit::Method::kResources ? "res." : "time");
      cells.push_back(options_.width == core::kUnlimited ? k.name : core::without_anonymous_namespaces(k.name));
      cells.push_back(application ? cause_text(k) : k.formula.empty() ? "-" : k.formula);
      table.add_row(std::move(cells));
    }
    out_ += table.text(style());
    if (shown < kernels.size()) {
      double rest = 0;
      for (size_t i = shown; i < kernels.size(); ++i) rest += of_slowest(*kernels[i]).value;
      out_ += "  (" + std::to_string(kernels.size() - shown) + " more" +
              (application ? ", together " + time(rest) + " " + time.unit() : std::string()) +
              "; --top 0 prints all)\n";
    }
  }

  // Prints the algorithms of collectives, since their cost depends on them.
  void print_costs(const std::vector<const KernelFinding*>& kernels) {
    bool titled = false;
    for (const KernelFinding* k : kernels) {
      if (k->cost.empty()) continue;
      if (!titled) out_ += "\n" + heading("Cost on the network") + ":\n";
      titled = true;
      paragraph("  ", k->name + ": " + k->cost);
    }
  }

  void print_stopping(const TargetFindings& target) {
    if (findings_.scaling == Scaling::kUnknown) return;
    const std::string title = "Does not scale up to " + text_of(target.at);
    std::vector<const KernelFinding*> stopping = stopping_kernels(target);
    for (const KernelFinding* on_device : stopping_kernels(target, true)) stopping.push_back(on_device);
    if (stopping.empty()) {
      out_ += "\n" + heading(title) + ": " +
              (target.is_unchecked ? "two scales do not tell" : "no kernel of at least 2% for certain") + "\n";
    } else {
      out_ += "\n" + heading(title) + ":\n";
    }
    const size_t shown = options_.top == 0 ? stopping.size() : std::min(options_.top, stopping.size());
    for (size_t i = 0; i < shown; ++i) {
      const KernelFinding& k = *stopping[i];
      std::string text = (options_.width == core::kUnlimited ? k.name : core::without_anonymous_namespaces(k.name)) +
                         ", from " + findings_.processes + "=" + core::to_text(std::round(k.stops_at.value_or(0)));
      if (k.cause != Cause::kNone) {
        text += ": " + cause_text(k) + " (" + k.evidence + ")";
      } else if (!k.evidence.empty()) {
        text += ": " + k.evidence;
      }
      if (const std::string sites = call_sites_text(k, findings_); !sites.empty()) text += "; " + sites;
      paragraph("  ", text);
    }
    if (shown < stopping.size()) out_ += "  (" + std::to_string(stopping.size() - shown) + " more)\n";
  }

  void print_legend(bool application) {
    out_ += "\nwas = rank at the largest measured scale; ? = the data do not decide it\n";
    if (application) {
      out_ +=
          "time, share, rank: of the slowest rank, where one is slower than chance makes it, so that shares may add "
          "up\n"
          "to more than 100%\n"
          "method: time = modelled directly, res. = composed of instructions, memory and messages, whichever "
          "predicted\n"
          "the largest measured scale better; res. where that does not tell and counts are steadier\n";
    } else {
      print_model_legend();
    }
    if (findings_.next_run) paragraph(label("further run", "1;32"), sentence_of(*findings_.next_run));
    for (const std::string& note : findings_.notes) paragraph(label("note", "1;33"), note);
  }

  void print_model_legend() {
    bool any = false;
    for (const TargetFindings& target : findings_.targets) {
      for (const KernelFinding& kernel : target.kernels) any = any || !kernel.formula_note.empty();
    }
    if (any)
      out_ +=
          "model: the likeliest hypothesis, or what sums up several curves; most values are weighted medians of "
          "several hypotheses\n"
          "(--json and `scalediag models` say which); -: the formula would differ from the value by more than 10%\n";
  }

  const Findings& findings_;
  const TerminalOptions& options_;
  std::string out_;
};

}  // namespace

std::string memory_limit_text(const MemoryLimit& limit) {
  const std::string node = core::bytes_text(limit.node_bytes) + " a node with " + std::to_string(limit.ranks_per_node) +
                           (limit.ranks_per_node == 1 ? " rank" : " ranks");
  const auto number = [](const std::optional<double>& p, const char* none) { return p ? core::to_text(*p) : none; };
  if (!limit.exceeded_at) {
    return node + " suffice up to " + core::to_text(limit.searched_to) + " processes" +
           (limit.exceeded_from ? ", by the interval perhaps only below " + core::to_text(*limit.exceeded_from) : "");
  }
  return node + " no longer suffice from " + core::to_text(*limit.exceeded_at) + " processes (90% interval: from " +
         number(limit.exceeded_from, "?") + " to " + number(limit.exceeded_surely_at, "never") + ")";
}

std::string findings_text(const Findings& findings, const TerminalOptions& options) {
  return PredictText(findings, options).text();
}

}  // namespace scalediag::report
