#include "report/render/text/groups_text.h"

#include <utility>
#include <vector>

#include "core/text/quantities.h"
#include "core/text/value_list.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {
namespace {

// Rising numbers, rows of three and more as their ends: "0,3-7,9".
std::string ranges_text(const std::vector<int>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (last < i + 2) last = i;
    if (!text.empty()) text += ",";
    text += std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

size_t number_of_ranks(const loggp::Representatives& representatives) {
  size_t ranks = 0;
  for (const loggp::RepresentedRanks& set : representatives.sets) ranks += set.ranks.size();
  return ranks;
}

}  // namespace

std::string groups_text(const loggp::Representatives& representatives, const std::string& program, bool is_scaled,
                        const core::TableStyle& style) {
  core::TableColumn members{"all of them", 2, core::TableColumn::Align::kLeft, 1};
  core::Table table({{"group"}, {"ranks"}, {"representative"}, {"apart"}, members});
  for (const loggp::RepresentedRanks& set : representatives.sets) {
    table.add_row({std::to_string(set.group + 1), std::to_string(set.ranks.size()), std::to_string(set.representative),
                   set.apart ? core::percent(*set.apart) : "-", ranges_text(set.ranks)});
  }
  return program + " on " + core::counted(number_of_ranks(representatives), "rank") +
         (is_scaled ? ", scaled from smaller runs: " : ", as recorded: ") +
         core::counted(representatives.groups, "group") + " of ranks that communicate alike, " +
         core::counted(representatives.sets.size(), "representative") + "\n\n" + table.text(style) +
         "\nto record: --ranks " + core::list_of(representatives.ranks()) + "\n";
}

nlohmann::ordered_json groups_json(const loggp::Representatives& representatives, const std::string& program,
                                   bool is_scaled) {
  nlohmann::ordered_json document = {{"schema", "scalediag-groups/1"},
                                     {"program", program},
                                     {"ranks", number_of_ranks(representatives)},
                                     {"scaled", is_scaled},
                                     {"groups", representatives.groups},
                                     {"representatives", representatives.ranks()},
                                     {"sets", nlohmann::ordered_json::array()}};
  for (const loggp::RepresentedRanks& set : representatives.sets) {
    document["sets"].push_back({{"group", set.group + 1},
                                {"representative", set.representative},
                                {"apart", json_of(set.apart)},
                                {"ranks", set.ranks}});
  }
  return document;
}

}  // namespace scalediag::report
