#include "report/render/text/comparison_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/text/function_name.h"
#include "core/text/join.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "core/text/table.h"
#include "report/diff/comparison_sides.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {
namespace {

using Align = core::TableColumn::Align;

// The word for a kernel's change. A kernel that only one side has is new or gone where that is beyond chance.
std::string change_text(const ComparedKernel& k) {
  if (!k.in_a && k.time.change == Change::kSlower) return "new";
  if (!k.in_b && k.time.change == Change::kFaster) return "gone";
  return name_of(k.time.change);
}

constexpr size_t kNameWidth = 60;  // of kernels, in columns

class Report {
 public:
  Report(const Comparison& comparison, const TerminalOptions& options)
      : comparison_(comparison),
        options_(options),
        time_(largest_time(comparison)),
        without_unit_(5 - magnitude(largest_time(comparison))) {
    for (const ComparedConfiguration& c : comparison.configurations) {
      for (const ComparedKernel& k : c.kernels) places_[k.name].insert({k.module, k.file});
    }
  }

  std::string text() {
    print_headline();
    print_side("A", comparison_.a);
    print_side("B", comparison_.b);
    out_ += (is_of_profiles() ? "clock " + comparison_.clock + "; a" : std::string("a")) + " change within " +
            core::percent(comparison_.tolerance) + " is none\n\n";
    print_verdict();
    for (const ComparedConfiguration& c : comparison_.configurations) print_configuration(c);
    print_growth();
    print_legend();
    return std::move(out_);
  }

 private:
  static double largest_time(const Comparison& comparison) {
    double largest = 0;
    for (const ComparedConfiguration& c : comparison.configurations)
      largest = std::max({largest, c.total.a, c.total.b});
    return largest;
  }

  // Five significant digits of the largest where the unit of times is not known.
  static int magnitude(double largest) {
    return largest > 0 ? static_cast<int>(std::floor(std::log10(largest))) + 1 : 1;
  }
  std::string text_of_time(double value) const {
    return comparison_.in_seconds ? time_(value) : core::fixed(value, std::clamp(without_unit_, 0, 16));
  }
  std::string unit() const { return comparison_.in_seconds ? std::string(" ") + time_.unit() : ""; }
  core::TableStyle style() const { return {options_.width, options_.color, 2}; }
  std::string heading(const std::string& text) const { return heading_text(text, options_.color); }
  std::string function(const std::string& name) const {
    return options_.width == core::kUnlimited ? name : core::without_anonymous_namespaces(name);
  }

  // The headline: the conditions that everything below depends on.
  void print_headline() {
    if (comparison_.differences.empty() || comparison_.differences.front().what != kPrograms) return;
    headline_ = text_of(comparison_.differences.front());
    out_ += (options_.color ? "\033[1m" + core::printable(headline_) + "\033[0m" : core::printable(headline_)) + "\n\n";
  }

  void print_side(const char* label, const ComparedSide& side) {
    out_ += heading(label) + "  " + core::printable(side.path);
    if (!side.command.empty()) out_ += ": " + core::printable(core::shorten_middle(core::join(side.command, " "), 80));
    out_ += "\n";
    std::string where = side.machine;
    if (!side.mpi.empty()) where += (where.empty() ? "" : ", ") + side.mpi;
    if (!where.empty()) out_ += "   " + core::printable(where) + "\n";
  }

  bool is_of_profiles() const { return !comparison_.clock.empty(); }
  const char* total_label() const { return comparison_.clock == "cpu" ? "[total CPU time per rank]" : "[total]"; }

  // The name, with its file or module where others have the same name.
  std::string label(const std::string& name, const std::string& module, const std::string& file) const {
    const auto places = places_.find(name);
    if (places == places_.end() || places->second.size() < 2) return function(name);
    return function(name) + " [" + (file.empty() ? module : file) + "]";
  }
  std::string label(const ComparedKernel& k) const { return label(k.name, k.module, k.file); }

  // The text for a kernel that only one side has. It comes first, whether or not the runs tell it from chance, so that
  // it is looked at. Calls of MPI are counted, so that they are told even where their time is not judged.
  static std::string existence_text(const ComparedKernel& k) {
    const bool is_beyond_chance = k.time.change == Change::kSlower || k.time.change == Change::kFaster;
    if (k.in_a == k.in_b || k.share < kShareThatIsJudged) return "";
    if (!is_beyond_chance && k.kind != "mpi") return k.in_b ? "only in B" : "only in A";
    return k.in_b ? "new" : "gone";
  }

  // The kernels that are not said to have changed, and those of them that cannot be judged.
  struct Undecided {
    size_t judged = 0;
    std::map<std::string, double> unknown;  // the largest difference of each, by label
  };

  Undecided undecided(const std::set<std::string>& named) const {
    Undecided result;
    std::set<std::string> seen;
    for (const ComparedConfiguration& c : comparison_.configurations) {
      for (const ComparedKernel& k : c.kernels) {
        if (k.time.change == Change::kNotJudged || k.in_a != k.in_b || named.count(label(k)) != 0) continue;
        if (seen.insert(label(k)).second) ++result.judged;
        if (k.time.change != Change::kUnknown) continue;
        double& largest = result.unknown[label(k)];
        if (std::abs(k.time.b - k.time.a) > std::abs(largest)) largest = k.time.b - k.time.a;
      }
    }
    return result;
  }

  // Sums up the functions that both sides have and that are not named. "Nothing changed" is said only where all of
  // their intervals show it.
  void print_undecided(const std::set<std::string>& named) {
    const bool any_named = !named.empty();
    const Undecided found = undecided(named);
    const std::string within = core::percent(comparison_.tolerance);
    const std::string what = any_named ? "other function" : "function";
    if (found.judged == 0) {
      if (!any_named)
        out_ += "nothing can be told of functions: none takes 0.5% of the total and has time that is judged\n";
      return;
    }
    if (found.unknown.empty()) {
      if (!any_named) out_ += "no function changed by more than " + within + "\n";
      return;
    }
    std::vector<std::pair<double, std::string>> largest;
    for (const auto& [name, difference] : found.unknown) largest.emplace_back(-std::abs(difference), name);
    std::sort(largest.begin(), largest.end());
    constexpr size_t kShown = 3;
    std::string names;
    for (size_t i = 0; i < largest.size() && i < kShown; ++i) {
      const double difference = found.unknown.at(largest[i].second);
      names += (i > 0 ? ", " : "") + function_name(largest[i].second) + " " + (difference >= 0 ? "+" : "") +
               text_of_time(difference) + unit();
    }
    const size_t n = found.unknown.size();
    out_ += "the repeats cannot tell of " + std::to_string(n) +
            (any_named ? " " + what : " of " + std::to_string(found.judged) + " " + what) +
            (n == 1 && any_named ? "" : "s") + " whether they changed by more than " + within +
            "; the largest differences: " + core::printable(names) + "\n";
  }

  std::string function_name(const std::string& name) const {
    return options_.width == core::kUnlimited ? name : core::shorten_function(name, kNameWidth);
  }

  // A kernel a line, with every configuration where it changed.
  void print_verdict() {
    using Line = std::pair<std::string, std::string>;  // change and kernel
    std::map<Line, std::vector<std::string>> changes;  // each with its configurations
    std::vector<Line> first, second;                   // kernels of one side only, and the rest; each by falling
                                                       // difference
    bool judged = false;
    const auto add = [&](std::vector<Line>& order, const std::string& change, const std::string& name,
                         const ComparedValue& v, const ComparedConfiguration& c) {
      const Line line(change, name);
      if (changes.count(line) == 0) order.push_back(line);
      const std::string by =
          v.relative && v.b > 0 ? core::signed_percent(*v.relative) : text_of_time(std::max(v.a, v.b)) + unit();
      changes[line].push_back(by + " at " + text_of(c.at));
    };
    const auto is_change = [](Change change) { return change == Change::kSlower || change == Change::kFaster; };
    for (const ComparedConfiguration& c : comparison_.configurations) {
      judged = judged || (c.runs_a > 1 && c.runs_b > 1);
      for (const ComparedKernel& k : c.kernels) {
        const std::string existence = existence_text(k);
        if (!existence.empty()) {
          add(first, existence, label(k), k.time, c);
        } else if (is_change(k.time.change)) {
          add(second, change_text(k), label(k), k.time, c);
        }
      }
    }
    std::vector<Line> order = first;
    order.insert(order.end(), second.begin(), second.end());
    std::set<std::string> named;
    for (const auto& [change, name] : order) named.insert(name);
    for (const ComparedConfiguration& c : comparison_.configurations) {
      if (!comparison_.has_totals) break;
      const bool may_matter = c.total.relative && std::abs(*c.total.relative) > comparison_.tolerance;
      if (is_change(c.total.change) || (c.total.change == Change::kUnknown && may_matter))
        add(order, name_of(c.total.change), total_label(), c.total, c);
    }
    std::vector<std::string> names;
    for (const auto& [change, name] : order) names.push_back(name);
    if (options_.width != core::kUnlimited) names = core::shorten_apart(names, kNameWidth, core::shorten_function);
    for (size_t i = 0; i < order.size(); ++i) {
      const std::string& change = order[i].first;
      out_ += (options_.color ? "\033[1m" + change + "\033[0m" : change) + "  " + core::printable(names[i]) + "  " +
              core::join(changes[order[i]]) + "\n";
    }
    if (judged) {
      print_undecided(named);
    } else {
      out_ += std::string("nothing can be told") + (named.empty() ? "" : " of the others") +
              ": a side has only one run at every configuration, and what differs may be chance\n";
    }
  }

  std::vector<std::string> cells(const ComparedValue& v, const std::string& change, const std::string& name) const {
    const std::string interval =
        v.low && v.high ? core::signed_percent(*v.low) + " to " + core::signed_percent(*v.high) : std::string("-");
    return {text_of_time(v.a),
            text_of_time(v.b),
            (v.b >= v.a ? "+" : "") + text_of_time(v.b - v.a),
            v.relative ? core::signed_percent(*v.relative) : "-",
            interval,
            v.against_others ? core::signed_percent(*v.against_others) : "-",
            change,
            name};
  }

  void print_configuration(const ComparedConfiguration& c) {
    out_ += "\n" + heading(text_of(c.at)) + ": " + std::to_string(c.runs_a) + (c.runs_a == 1 ? " run" : " runs") +
            " of A, " + std::to_string(c.runs_b) + " of B\n";
    core::Table table({{"A" + unit()},
                       {"B" + unit()},
                       {"B-A" + unit()},
                       {"change"},
                       {"95% interval"},
                       {"vs others"},
                       {.title = "verdict", .align = Align::kLeft},
                       {.title = "of", .align = Align::kLeft, .shrink_weight = 1, .shorten = core::shorten_function}});
    const std::string with_gpus = c.gpu && comparison_.clock == "cpu" ? ", with elapsed time in calls of GPUs" : "";
    if (comparison_.has_totals) table.add_row(cells(c.total, name_of(c.total.change), total_label() + with_gpus));
    if (is_of_profiles()) {
      table.add_row(cells(c.computation, name_of(c.computation.change), "[computation]"));
      if (c.gpu) table.add_row(cells(*c.gpu, name_of(c.gpu->change), "[calls of GPUs]"));
      table.add_row(cells(c.communication, name_of(c.communication.change), "[communication]"));
      table.add_row(cells(c.others, name_of(c.others.change), "[others]"));
    }
    const size_t n = options_.top == 0 ? c.kernels.size() : std::min(options_.top, c.kernels.size());
    std::string counts;
    for (size_t i = 0; i < n; ++i) {
      const ComparedKernel& k = c.kernels[i];
      table.add_row(cells(k.time, change_text(k), label(k)));
      // On lines of their own, since the table's are cut off at the terminal's width.
      if (const std::string text = counts_text(k); !text.empty()) {
        counts += "  " + core::printable(function_name(label(k))) + ": " + text + "\n";
      }
    }
    out_ += table.text(style());
    if (n < c.kernels.size()) out_ += "  (" + std::to_string(c.kernels.size() - n) + " more)\n";
    if (!counts.empty()) out_ += "counts of it that changed\n" + counts;
  }

  // The text of changed counts. Counts vary little: their change is one in what the program does.
  static std::string counts_text(const ComparedKernel& k) {
    std::string text;
    const auto add = [&text](const char* what, const std::optional<double>& change) {
      constexpr double kShown = 0.001;
      if (!change || std::abs(*change) < kShown) return;
      text += (text.empty() ? "" : ", ") + std::string(what) + " " + core::signed_percent(*change);
    };
    add("instructions", k.instructions);
    add("calls", k.calls);
    add("bytes", k.bytes);
    return text;
  }

  void print_growth() {
    if (!comparison_.growth_judged) return;
    core::Table table(
        {{"A P^e"},
         {"B P^e"},
         {.title = "growth of", .align = Align::kLeft, .shrink_weight = 1, .shorten = core::shorten_function}});
    size_t changed = 0, unknown = 0;
    std::string formulas;
    for (const GrowthChange& g : comparison_.growth) {
      if (!g.changed && !g.same) ++unknown;
      if (!g.changed) continue;
      ++changed;
      table.add_row({core::fixed(g.a, 2) + " +- " + core::fixed(g.error_a, 2),
                     core::fixed(g.b, 2) + " +- " + core::fixed(g.error_b, 2), label(g.name, g.module, "")});
      if (!g.formula_a.empty() && !g.formula_b.empty()) {
        formulas += "  " + core::printable(function(g.name)) + ": " + g.formula_a + "; now " + g.formula_b + "\n";
      }
    }
    if (changed > 0) out_ += "\nscales otherwise\n" + table.text(style()) + formulas;
    if (unknown > 0) {
      out_ += (changed > 0 ? "" : "\n") + std::string("the runs cannot tell of ") + std::to_string(unknown) + " of " +
              std::to_string(comparison_.growth.size()) + " functions whether they scale otherwise\n";
    } else if (changed == 0) {
      out_ += comparison_.growth.empty()
                  ? "\nnothing can be told of how functions scale: none was seen at three scales on both sides\n"
                  : "\nno function scales otherwise than before\n";
    }
  }

  void print_legend() {
    const std::string percent_wrong = core::fixed(100 * (1 - comparison_.level), 0) + "%";
    out_ +=
        "\nunknown: the runs do not tell it from chance; unchanged: within " + core::percent(comparison_.tolerance) +
        " with all of the interval;\nnot judged: below 0.5% of the total, or time in MPI with the CPU clock; new, "
        "gone: "
        "only one side has it;\n"
        "95% interval: of its line alone. Of many lines some leave out 0 by chance, so verdicts ask for more, and may\n"
        "be unknown all the same: the chance of any wrong one is " +
        percent_wrong + " for the totals and " + percent_wrong + " for the kernels, of all\nconfigurations together" +
        (comparison_.growth_judged ? ", and " + percent_wrong + " for what scales otherwise" : "") +
        ";\nvs others: change against the other functions of the same runs, which verdicts of functions go by where\n"
        "there are enough\n";
    for (const std::string& note : comparison_.notes) {
      if (note != headline_) out_ += "note: " + core::printable(note) + "\n";
    }
  }

  const Comparison& comparison_;
  const TerminalOptions& options_;
  const core::TimeFormat time_;
  const int without_unit_;                                                       // decimals
  std::map<std::string, std::set<std::pair<std::string, std::string>>> places_;  // modules and files by name
  std::string headline_;
  std::string out_;
};

}  // namespace

std::string comparison_text(const Comparison& comparison, const TerminalOptions& options) {
  return Report(comparison, options).text();
}

}  // namespace scalediag::report
