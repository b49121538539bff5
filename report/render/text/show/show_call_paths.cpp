#include "report/render/text/show/show_call_paths.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "core/text/numbers.h"
#include "report/findings/places/call_tree.h"

namespace scalediag::report {
namespace {

constexpr double kShownPathShare = 0.01;

// The least inclusive time that is shown.
double least_shown_s(const CallTree& tree, std::optional<size_t> top) {
  if (!top) return kShownPathShare * tree.total_s.back();
  std::vector<double> times;
  for (const CallTreeNode& n : tree.nodes) times.push_back(n.times.back().inclusive_s);
  if (*top == 0 || *top >= times.size()) return 0;
  std::nth_element(times.begin(), times.begin() + static_cast<ptrdiff_t>(*top - 1), times.end(), std::greater<>());
  return times[*top - 1];
}

}  // namespace

const char* const kCallPathsLegend =
    "call paths: CPU time of all threads, mean over ranks and repeats; time with all that was called, self without;\n"
    "share of all that was sampled; recursion is folded; [other] are paths too small to be kept by themselves\n";

std::string call_paths_table(const core::ConfigurationSummary& summary, std::optional<size_t> top,
                             const core::TimeFormat& time, const core::TableStyle& style, bool& any_uncertain) {
  const CallTree tree = call_tree_of({summary.runs});
  if (tree.nodes.empty()) return "  no call path was recorded\n";
  const std::string unit = time.unit();
  core::Table table({{"time " + unit},
                     {"share"},
                     {"self " + unit},
                     {"max/mean"},
                     {"samples"},
                     {.title = "call path", .align = core::TableColumn::Align::kLeft, .shrink_weight = 5},
                     {.title = "module", .align = core::TableColumn::Align::kLeft, .shrink_weight = 1}});
  const double least_s = least_shown_s(tree, top);
  size_t left_out = 0;
  for (const CallTreeNode& n : tree.nodes) {
    const CallTreeTimes& t = n.times.back();
    if (t.inclusive_s < least_s) {
      ++left_out;
      continue;
    }
    const bool uncertain = core::sampling_error(t.samples) > core::kUncertainSamplingError;
    any_uncertain = any_uncertain || uncertain;
    table.add_row({(uncertain ? "~" : "") + time(t.inclusive_s), core::percent(t.inclusive_s / tree.total_s.back()),
                   t.exclusive_s > 0 ? time(t.exclusive_s) : "-",
                   t.inclusive_s > 0 ? core::fixed(t.slowest_s / t.inclusive_s, 2) : "-", core::count_text(t.samples),
                   std::string(static_cast<size_t>(n.depth), ' ') + name_of(n), n.module});
  }
  std::string text = table.text(style);
  if (left_out > 0) {
    text += "  " + std::to_string(left_out) + (left_out == 1 ? " smaller path" : " smaller paths") +
            (top ? "" : ", below " + core::percent(kShownPathShare) + " each") + "; --top 0 and --json have all\n";
  }
  return text;
}

}  // namespace scalediag::report
