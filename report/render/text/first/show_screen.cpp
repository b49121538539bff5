#include "report/render/text/first/show_screen.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/profile/run_summary.h"
#include "core/text/bounded.h"
#include "core/text/function_name.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "core/text/shortening.h"
#include "core/text/table.h"
#include "core/text/wrapping.h"
#include "report/render/text/first/doubts.h"

namespace scalediag::report {
namespace {

using core::ConfigurationSummary;
using Align = core::TableColumn::Align;

constexpr size_t kMostRows = 10, kMostScales = 6, kMostWarnings = 3;
// A part of the run is printed where it is more of it at any scale.
constexpr double kLeastPart = 0.001;

// A time and the relative half-width of its 90 % interval, by which its digits are chosen.
struct Time {
  double seconds = 0;
  double error = 0;
};

// The error by chance of a mean over `runs`: the repeats' scatter, or the samples' where that is more.
double error_of(double cv, double sampling_error, size_t runs) {
  constexpr double kNormal90 = 1.645;
  const double scatter = runs < 2 ? 0 : cv / std::sqrt(static_cast<double>(runs));
  return std::min(0.99, kNormal90 * std::max(scatter, sampling_error));
}

struct ScreenRow {
  std::string name, source;
  std::vector<std::optional<Time>> times;  // a scale each
  double share = 0;                        // of the largest scale's total
};

class ShowScreen {
 public:
  ShowScreen(const ShownProfile& input, const TerminalOptions& options) : input_(input), options_(options) {
    for (const auto& runs : core::group_by_configuration(input.profile, true)) all_.push_back(core::summarize(runs));
    // The smallest one is what the others are compared with.
    for (size_t i = 0; i < all_.size(); ++i) {
      if (i == 0 || all_.size() - i < kMostScales) scales_.push_back(&all_[i]);
    }
  }

  std::string text() {
    print_title();
    if (scales_.empty()) {
      out_ += "\nNo run is complete.\n";
    } else {
      print_times();
      print_facts();
    }
    print_warnings();
    out_ += "Kernels' counts, places of MPI calls, files and regions at each scale: --details\n";
    return std::move(out_);
  }

 private:
  void line(const std::string& first, const std::string& text) { out_ += core::wrapped(first, text, options_.width); }

  static std::string title_of(const ConfigurationSummary& s) {
    std::string title = "np=" + std::to_string(s.np);
    for (const auto& [name, value] : s.parameters) title += " " + name + "=" + core::to_text(value);
    return title;
  }

  void print_title() {
    const core::Profile& profile = input_.profile;
    out_ +=
        heading_text(core::printable(profile.application.empty() ? input_.path : profile.application), options_.color) +
        ": " + core::counted(profile.runs.size(), "run") + " of " +
        core::counted(core::group_by_configuration(profile, false).size(), "configuration") + "\n";
    std::vector<std::string> said = {core::join_shell_words(profile.command)};
    std::set<std::string> counters;
    for (const core::Run& run : profile.runs) counters.insert(core::counters_text(run.counters));
    said.push_back("counters: " + core::join(counters));
    if (!profile.runs.empty()) {
      const core::Run& run = profile.runs.back();
      said.push_back(std::string("clock: ") + core::name_of(run.clock) +
                     (run.clock_reason.empty() ? "" : ", " + run.clock_reason));
    }
    line("  ", core::join(said, "; "));
  }

  void print_times() {
    std::vector<ScreenRow> parts = {row_of("whole job", &ConfigurationSummary::total_s)};
    for (const auto& [name, part] : {std::pair("  computation", &ConfigurationSummary::computation_s),
                                     std::pair("  threads wait for threads", &ConfigurationSummary::openmp_waiting_s),
                                     std::pair("  calls of GPUs", &ConfigurationSummary::gpu_s),
                                     std::pair("  communication", &ConfigurationSummary::communication_s),
                                     std::pair("  start and end", &ConfigurationSummary::others_s),
                                     std::pair("  in no function", &ConfigurationSummary::unattributed_s)}) {
      const auto share = [part = part](const ConfigurationSummary* s) {
        return s->total_s > 0 ? s->*part / s->total_s : 0;
      };
      const bool shows =
          std::any_of(scales_.begin(), scales_.end(), [&](const auto* s) { return share(s) > kLeastPart; });
      if (shows) parts.push_back(row_of(name, part));
    }
    double largest = 0;
    for (const ConfigurationSummary* s : scales_) largest = std::max(largest, s->total_s);
    const core::TimeFormat time(largest);
    const std::string what = std::string("time in ") + time.unit() + ", mean of ranks";
    print_table(what, parts, time);
    std::vector<ScreenRow> kernels = kernel_rows();
    const size_t all = kernels.size();
    if (kernels.size() > kMostRows) kernels.resize(kMostRows);
    print_table("largest kernels, " + std::string(time.unit()), kernels, time);
    if (all > kMostRows) out_ += "  (" + std::to_string(all - kMostRows) + " more: --details)\n";
    if (scales_.size() < all_.size()) {
      line("  ", core::counted(all_.size() - scales_.size(), "smaller configuration") + " more: --details");
    }
  }

  ScreenRow row_of(const std::string& name, double ConfigurationSummary::*part) const {
    ScreenRow row{name, "", {}, 0};
    for (const ConfigurationSummary* s : scales_) {
      row.times.push_back(
          Time{s->*part, error_of(s->total_cv, core::sampling_error(static_cast<double>(s->samples)), s->runs.size())});
    }
    const ConfigurationSummary& last = *scales_.back();
    row.share = last.total_s > 0 ? last.*part / last.total_s : 0;
    return row;
  }

  // Functions and MPI operations, the largest at the largest scale first.
  std::vector<ScreenRow> kernel_rows() const {
    std::map<std::tuple<std::string, std::string, std::string, int>, ScreenRow> rows;
    for (size_t i = 0; i < scales_.size(); ++i) {
      const ConfigurationSummary& s = *scales_[i];
      const bool is_last = i + 1 == scales_.size();
      const auto add = [&](const auto& key, Time time, double share, const std::string& source) {
        ScreenRow& row = rows[key];
        row.name = std::get<0>(key);
        row.source = source;
        row.times.resize(scales_.size());
        row.times[i] = time;
        if (is_last) row.share = share;
      };
      for (const core::KernelSummary& k : s.kernels) {
        add(std::tuple(k.name, k.module, k.file, k.line), {k.time_s, error_of(k.cv, k.sampling_error, s.runs.size())},
            k.share, k.file.empty() ? k.module : place_text(k.file, k.line));
      }
      for (const core::OperationSummary& o : s.operations) {
        add(std::tuple(o.operation, std::string(), std::string(), 0),
            {o.time_s, error_of(o.cv, o.sampling_error, s.runs.size())}, o.share, "");
      }
    }
    std::vector<ScreenRow> sorted;
    for (auto& [key, row] : rows) {
      if (row.times.back() && row.times.back()->seconds > 0) sorted.push_back(std::move(row));
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const ScreenRow& a, const ScreenRow& b) { return a.share > b.share; });
    return sorted;
  }

  void print_table(const std::string& title, const std::vector<ScreenRow>& rows, const core::TimeFormat& time) {
    const bool with_source =
        std::any_of(rows.begin(), rows.end(), [](const ScreenRow& row) { return !row.source.empty(); });
    std::vector<core::TableColumn> columns = {
        {.title = title, .align = Align::kLeft, .shrink_weight = 5, .shorten = core::shorten_function}};
    for (const ConfigurationSummary* s : scales_) columns.push_back({title_of(*s)});
    if (scales_.size() > 1) columns.push_back({"last / first"});
    columns.push_back({"% of last"});
    if (with_source) {
      columns.push_back({.title = "source", .align = Align::kLeft, .shrink_weight = 3, .shorten = core::shorten_front});
    }
    core::Table table(columns);
    for (const ScreenRow& row : rows) {
      std::vector<std::string> cells = {options_.width == core::kUnlimited ? row.name : core::plain_function(row.name)};
      for (const std::optional<Time>& t : row.times) {
        if (!t) {
          cells.emplace_back("-");
          continue;
        }
        const double value = t->seconds * core::units_a_second(time), half = std::abs(value) * t->error;
        cells.push_back(core::bounded(value, value - half, value + half).value);
      }
      if (scales_.size() > 1) cells.push_back(change_of(row));
      cells.push_back(core::percent_digits(row.share));
      if (with_source) cells.push_back(row.source);
      table.add_row(std::move(cells));
    }
    out_ += "\n" + table.text({options_.width, options_.color, 2});
  }

  // Time at the largest scale over that at the smallest, with the errors of both.
  static std::string change_of(const ScreenRow& row) {
    const std::optional<Time>&first = row.times.front(), &last = row.times.back();
    if (!first || !last || !(first->seconds > 0) || !(last->seconds >= 0)) return "-";
    const double ratio = last->seconds / first->seconds, half = ratio * std::hypot(first->error, last->error);
    return core::bounded(ratio, std::max(0.0, ratio - half), ratio + half).value;
  }

  void print_facts() {
    const ConfigurationSummary& last = *scales_.back();
    std::string text = "At " + title_of(last) + " the slowest rank computes " + core::fixed(100 * last.imbalance, 0) +
                       " % longer than the mean";
    if (last.runs.size() > 1) {
      text += "; its " + std::to_string(last.runs.size()) + " repeats vary by " + core::fixed(100 * last.total_cv, 0) +
              " %";
    }
    if (last.lost_samples > 0) {
      text += "; " + core::count_text(static_cast<double>(last.lost_samples)) + " samples were lost";
    }
    out_ += "\n";
    line("  ", text + ".");
  }

  void print_warnings() {
    size_t shown = 0, more = 0;
    for (const UnmeasuredRun& run : input_.unmeasured) {
      if (shown == kMostWarnings) {
        ++more;
        continue;
      }
      line(label_text(run.state, "1;31", options_.color), run.id + ": " + run.reason);
      ++shown;
    }
    std::vector<HarmfulDoubt> doubts;
    for (const core::RunWarning& warning : core::group_warnings(input_.profile.runs)) {
      const auto& runs = warning.runs;
      HarmfulDoubt& doubt = doubts.emplace_back(doubt_of(warning.text));
      doubt.text += runs.size() == 1                            ? ": " + runs.front()
                    : runs.size() == input_.profile.runs.size() ? ": all runs"
                                                                : ": " + std::to_string(runs.size()) + " runs";
    }
    std::stable_sort(doubts.begin(), doubts.end(),
                     [](const HarmfulDoubt& a, const HarmfulDoubt& b) { return a.harm < b.harm; });
    for (const HarmfulDoubt& doubt : doubts) {
      if (shown == kMostWarnings) {
        ++more;
        continue;
      }
      line(label_text("warning", "1;33", options_.color), doubt.text);
      ++shown;
    }
    if (more > 0) out_ += core::counted(more, "more warning") + ": --details\n";
  }

  const ShownProfile& input_;
  const TerminalOptions& options_;
  std::vector<ConfigurationSummary> all_;
  std::vector<const ConfigurationSummary*> scales_;
  std::string out_;
};

}  // namespace

std::string show_screen(const ShownProfile& input, const TerminalOptions& options) {
  return ShowScreen(input, options).text();
}

}  // namespace scalediag::report
