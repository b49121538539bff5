#include "report/render/text/show/show_rank_spread.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/profile/metric_names.h"
#include "core/text/function_name.h"
#include "core/text/shortening.h"

namespace scalediag::report {

const char* const kRankSpreadLegend =
    "over ranks: the values that so many of all ranks do not exceed, each within 1%; the lowest ranks that have\n"
    "the least and the greatest\n";

std::string rank_spread_table(const core::ConfigurationSummary& summary, size_t top, const core::TimeFormat& time,
                              const core::TableStyle& style) {
  using Align = core::TableColumn::Align;
  if (summary.runs.empty() || !summary.runs.front()->times.total_s.quantiles) return "";
  const core::Run& run = *summary.runs.front();
  std::vector<std::pair<std::string, const core::OverRanks*>> rows = {
      {"total", &run.times.total_s},
      {"computation", &run.times.computation_s},
      {"communication", &run.times.communication_s},
      {"others", &run.times.others_s},
  };
  const size_t kernels = top == 0 ? run.kernels.size() : std::min(top, run.kernels.size());
  for (size_t i = 0; i < kernels; ++i) {
    const core::Kernel& k = run.kernels[i];
    const auto found = k.metrics.find(metric::kTime);
    if (found != k.metrics.end()) rows.emplace_back(core::without_anonymous_namespaces(k.name), &found->second);
  }
  const size_t operations = top == 0 ? run.operations.size() : std::min(top, run.operations.size());
  for (size_t i = 0; i < operations; ++i) rows.emplace_back(run.operations[i].operation, &run.operations[i].time_s);

  core::Table table(
      {{"least " + std::string(time.unit())},
       {"rank"},
       {"1%"},
       {"25%"},
       {"median"},
       {"75%"},
       {"99%"},
       {"greatest"},
       {"rank"},
       {.title = "over ranks", .align = Align::kLeft, .shrink_weight = 1, .shorten = core::shorten_function}});
  for (const auto& [name, value] : rows) {
    if (!value->quantiles) continue;
    std::vector<std::string> cells = {time(value->min), std::to_string(value->rank_of_min)};
    for (const double q : *value->quantiles) cells.push_back(time(q));
    cells.insert(cells.end(), {time(value->max), std::to_string(value->rank_of_max), name});
    table.add_row(std::move(cells));
  }
  return "\n" + table.text(style);
}

}  // namespace scalediag::report
