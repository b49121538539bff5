#include "report/platforms/platforms_text.h"

#include <algorithm>
#include <vector>

#include "core/text/bounded.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "core/text/table.h"
#include "core/text/wrapping.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

using Align = core::TableColumn::Align;

std::string names_of(const PlatformComparison& comparison, const std::vector<size_t>& platforms) {
  std::vector<std::string> names;
  for (const size_t i : platforms) names.push_back(comparison.platforms[i].name);
  return core::join(names);
}

// "Cheapest: b, whose interval lies below those of all others." Empty: there is nothing to compare.
std::string sentence_of(const PlatformComparison& comparison, const std::optional<Least>& least,
                        const std::string& superlative) {
  if (!least) return "";
  if (least->is_known()) {
    return capitalised(superlative) + ": " + comparison.platforms[least->index].name +
           ", whose interval lies below all others.";
  }
  std::vector<size_t> candidates = least->others;
  candidates.push_back(least->index);
  std::ranges::sort(candidates);
  const bool are_all = candidates.size() == comparison.platforms.size();
  return "Which is " + superlative + " cannot be told" + (are_all ? "" : " among " + names_of(comparison, candidates)) +
         ": the interval of " + names_of(comparison, least->others) + " overlaps that of " +
         comparison.platforms[least->index].name + ".";
}

std::string table_of(const PlatformComparison& comparison, const TerminalOptions& options) {
  double least_s = 0;
  bool has_costs = false;
  for (const PlatformFindings& platform : comparison.platforms) {
    least_s = least_s == 0 ? platform.run_s.value : std::min(least_s, platform.run_s.value);
    has_costs = has_costs || platform.cost;
  }
  const core::TimeFormat time(least_s);
  const core::TableColumn between{.title = "between", .gap = 1};
  std::vector<core::TableColumn> columns = {{.title = "platform", .align = Align::kLeft, .shrink_weight = 2},
                                            {.title = std::string("run ") + time.unit()},
                                            between,
                                            {.title = "core-hours"},
                                            between};
  if (has_costs) columns.insert(columns.end(), {{.title = "cost"}, between});
  core::Table table(columns);
  for (const PlatformFindings& platform : comparison.platforms) {
    std::vector<std::string> cells = {platform.name};
    const auto add = [&cells](const std::optional<Estimate>& estimate, double units) {
      const core::Bounded number = estimate ? in_units(*estimate, units) : core::Bounded{"-", "", ""};
      cells.insert(cells.end(), {number.value, estimate ? number.interval() : ""});
    };
    add(platform.run_s, core::units_a_second(time));
    add(platform.core_hours, 1);
    if (has_costs) add(platform.cost, 1);
    table.add_row(std::move(cells));
  }
  return table.text({.width = options.width, .color = options.color});
}

}  // namespace

std::string platforms_text(const PlatformComparison& comparison, const TerminalOptions& options) {
  std::string out = comparison.application + " at " + text_of(comparison.at) + " on " +
                    core::counted(comparison.platforms.size(), "platform") + "\n\n" + table_of(comparison, options);
  const auto line = [&](const std::string& first, const std::string& text) {
    out += core::wrapped(first, text, options.width);
  };
  line("  ",
       "Run: MPI_Init to MPI_Finalize. Between: 90 % intervals. Core-hours: of the run, by ranks and their threads.");
  for (const PlatformFindings& platform : comparison.platforms) {
    line("  ", platform.name + ": " +
                   (platform.processor.empty() ? "a processor that is not known" : platform.processor) + ", network " +
                   platform.network);
  }
  out += "\n";
  const auto nothing =
      std::ranges::find_if(comparison.platforms, [](const PlatformFindings& p) { return p.trust.tells_nothing(); });
  if (nothing != comparison.platforms.end()) {
    line("  ", weakened(nothing->trust, "", "which platform is the fastest or the cheapest"));
    return out;
  }
  for (const std::string& sentence :
       {sentence_of(comparison, comparison.fastest, "fastest"),
        comparison.cheapest ? sentence_of(comparison, comparison.cheapest, "cheapest")
                            : sentence_of(comparison, comparison.fewest_core_hours, "cheapest in core-hours")}) {
    if (!sentence.empty()) line("  ", sentence);
  }
  const auto least_sure = std::ranges::max_element(
      comparison.platforms, {}, [](const PlatformFindings& platform) { return platform.trust.grade(); });
  line("How sure: ", text_of(least_sure->trust));
  return out;
}

}  // namespace scalediag::report
