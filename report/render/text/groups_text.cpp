#include "report/render/text/groups_text.h"

#include <optional>
#include <vector>

#include "core/text/quantities.h"
#include "core/text/value_list.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {
namespace {

size_t number_of_ranks(const loggp::Representatives& representatives) {
  size_t ranks = 0;
  for (const loggp::RepresentedRanks& set : representatives.sets) ranks += set.ranks.size();
  return ranks;
}

}  // namespace

std::string rank_ranges(const std::vector<int>& ranks) {
  std::string text;
  for (size_t i = 0; i < ranks.size();) {
    size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last < i + 2) last = i;
    if (!text.empty()) text += ",";
    text += std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string set_text(const loggp::RepresentedRanks& set) {
  const std::string text = "rank " + std::to_string(set.representative);
  if (set.ranks.size() == 1) return text + " stands for itself";
  return text + " stands for ranks " + rank_ranges(set.ranks) +
         (set.apart ? ", up to " + core::spaced_percent(set.apart->all) + " apart"
                    : ", it is not known how far apart") +
         (set.apart && set.apart->noise ? " (noise: " + core::spaced_percent(*set.apart->noise) + ")" : "");
}

std::string groups_text(const loggp::Representatives& representatives, const std::string& program, bool is_scaled,
                        const core::TableStyle& style) {
  const auto percent = [](const std::optional<double>& share) { return share ? core::percent(*share) : "-"; };
  core::TableColumn members{"all of them", 2, core::TableColumn::Align::kLeft, 1};
  core::Table table({{"group"}, {"ranks"}, {"representative"}, {"apart"}, {"noise"}, members});
  for (const loggp::RepresentedRanks& set : representatives.sets) {
    table.add_row({std::to_string(set.group + 1), std::to_string(set.ranks.size()), std::to_string(set.representative),
                   percent(set.apart ? std::optional(set.apart->all) : std::nullopt),
                   percent(set.apart ? set.apart->noise : std::nullopt), rank_ranges(set.ranks)});
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
                                {"apart", json_of(set.apart ? std::optional(set.apart->all) : std::nullopt)},
                                {"noise", json_of(set.apart ? set.apart->noise : std::nullopt)},
                                {"ranks", set.ranks}});
  }
  document["merges"] = nlohmann::ordered_json::array();
  for (const loggp::SetMerge& merge : representatives.merges) {
    document["merges"].push_back({merge.into, merge.gone, merge.apart});
  }
  return document;
}

}  // namespace scalediag::report
