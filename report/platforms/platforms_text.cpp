#include "report/platforms/platforms_text.h"

#include <algorithm>
#include <vector>

#include "core/text/bounded.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/table.h"
#include "core/text/wrapping.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

using Align = core::TableColumn::Align;

// "a, b and c". Precondition: there are platforms.
std::string names_of(const PlatformComparison& comparison, const std::vector<size_t>& platforms) {
  std::string names = comparison.platforms[platforms.front()].name;
  for (size_t i = 1; i < platforms.size(); ++i) {
    names += (i + 1 == platforms.size() ? " and " : ", ") + comparison.platforms[platforms[i]].name;
  }
  return names;
}

// "Cheapest: b, whose interval lies below all others." Empty: there is nothing to compare. `all_take_part`: none lacks
// a price.
std::string sentence_of(const PlatformComparison& comparison, const std::optional<Least>& least,
                        const std::string& superlative, bool all_take_part) {
  if (!least) return "";
  const std::string& name = comparison.platforms[least->index].name;
  if (least->is_known()) {
    return capitalised(superlative) + ": " + name + ", whose interval lies below " +
           (all_take_part ? "all others." : "those of the others with a price.");
  }
  const bool is_one = least->others.size() == 1;
  return "Which is " + superlative + (all_take_part ? "" : " of those with a price") + " is not known: the interval" +
         (is_one ? " of " : "s of ") + names_of(comparison, least->others) + (is_one ? " overlaps" : " overlap") +
         " that of " + name + ".";
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
    line("  ",
         platform.name + ": " + (platform.processor.empty() ? "a processor that is not known" : platform.processor) +
             ", network " + platform.network +
             (platform.cores_per_rank > 1 ? ", " + core::to_text(platform.cores_per_rank) + " cores a rank" : ""));
    for (const std::string& difference : platform.differences) line("    ", "not as recorded: " + difference);
    if (!platform.disagreement.empty()) line("    ", capitalised(platform.disagreement) + ".");
  }
  out += "\n";
  const auto nothing =
      std::ranges::find_if(comparison.platforms, [](const PlatformFindings& p) { return p.trust.tells_nothing(); });
  if (nothing != comparison.platforms.end()) {
    line("  ", weakened(nothing->trust, "", "which platform is the fastest or the cheapest"));
    return out;
  }
  const bool all_have_costs =
      std::ranges::all_of(comparison.platforms, [](const PlatformFindings& p) { return p.cost.has_value(); });
  for (const std::string& sentence :
       {sentence_of(comparison, comparison.fastest, "fastest", true),
        comparison.cheapest ? sentence_of(comparison, comparison.cheapest, "cheapest", all_have_costs)
                            : sentence_of(comparison, comparison.fewest_core_hours, "cheapest in core-hours", true)}) {
    if (!sentence.empty()) line("  ", sentence);
  }
  const auto least_sure = std::ranges::max_element(
      comparison.platforms, {}, [](const PlatformFindings& platform) { return platform.trust.grade(); });
  line("How sure: ", text_of(least_sure->trust));
  return out;
}

}  // namespace scalediag::report
