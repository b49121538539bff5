#include "report/platforms/platforms_json.h"

#include <algorithm>

namespace scalediag::report {
namespace {

Json least_json(const PlatformComparison& comparison, const std::optional<Least>& least) {
  if (!least) return nullptr;
  Json others = Json::array();
  for (const size_t i : least->others) others.push_back(comparison.platforms[i].name);
  return {{"platform", comparison.platforms[least->index].name}, {"known", least->is_known()}, {"or", others}};
}

}  // namespace

Json platforms_json(const PlatformComparison& comparison) {
  const bool tells =
      std::ranges::none_of(comparison.platforms, [](const PlatformFindings& p) { return p.trust.tells_nothing(); });
  Json platforms = Json::array();
  for (const PlatformFindings& platform : comparison.platforms) {
    platforms.push_back({{"name", platform.name},
                         {"replayed", platform.replayed},
                         {"network", platform.network},
                         {"processor", text_or_null(platform.processor)},
                         {"differences", platform.differences},
                         {"disagreement", text_or_null(platform.disagreement)},
                         {"cores_per_rank", platform.cores_per_rank},
                         {"price", json_of(platform.price)},
                         {"run_s", json_of(platform.run_s)},
                         {"core_hours", json_of(platform.core_hours)},
                         {"cost", json_of(platform.cost)},
                         {"trust", json_of(platform.trust)}});
  }
  const auto least = [&](const std::optional<Least>& of) { return tells ? least_json(comparison, of) : Json(nullptr); };
  return {{"schema", "scalediag-platforms/1"},     {"application", comparison.application},
          {"at", json_of(comparison.at)},          {"platforms", platforms},
          {"fastest", least(comparison.fastest)},  {"fewest_core_hours", least(comparison.fewest_core_hours)},
          {"cheapest", least(comparison.cheapest)}};
}

}  // namespace scalediag::report
