#include "collector/counters/callgrind/part_cost.h"

#include <algorithm>

#include "collector/counters/callgrind/valgrind.h"

namespace scalediag::counters {
namespace {

double replay_s(const CountedWork& rank, const CountedExtent& extent) {
  double counted_s = rank.computation_s, passed_s = 0;
  int restarts = 0;
  for (const CountedLoop& loop : rank.loops) {
    if (!extent.leaves_out(loop.iterations)) continue;
    const bool is_last = &loop == &rank.loops.back();
    if (is_last && extent.reach < 1) counted_s -= rank.after_s;
    const uint64_t passed = (is_last ? reached_rounds(loop, extent) : loop.iterations) - extent.rounds();
    counted_s -= loop.iteration_s * static_cast<double>(loop.iterations - extent.rounds());
    passed_s += loop.iteration_s * static_cast<double>(passed);
    if (passed > 0) restarts += extent.places;
  }
  return kReplayStart_s + kTranslation_s * restarts + kCountingSlowdown * std::max(0.0, counted_s) +
         kUncountedSlowdown * passed_s;
}

bool leaves_out_rounds(const std::vector<CountedWork>& ranks, const CountedExtent& extent) {
  return std::ranges::any_of(ranks, [&](const CountedWork& rank) {
    return std::ranges::any_of(rank.loops, [&](const CountedLoop& loop) { return extent.leaves_out(loop.iterations); });
  });
}

// In the order in which they are tried.
std::vector<CountedExtent> extents_of(const std::vector<CountedWork>& ranks) {
  constexpr double kMostGuessed = 0.02;
  std::vector<CountedExtent> extents = {{4, 12, 1}, {4, 6, 1}, {4, 3, 1}, {4, 2, 1}, {3, 1, 1}};
  const bool may_end = std::ranges::all_of(
      ranks, [](const CountedWork& rank) { return rank.after_s <= kMostGuessed * rank.computation_s; });
  if (may_end) {
    for (const double reach : {0.5, 0.25, 0.1}) extents.push_back({4, 2, reach});
  }
  std::erase_if(extents, [&](const CountedExtent& extent) { return !leaves_out_rounds(ranks, extent); });
  return extents;
}

}  // namespace

double replays_s(const std::vector<CountedWork>& ranks, const CountedExtent& extent, int cores) {
  const auto at_once = static_cast<size_t>(std::max(1, cores));
  double sum_s = 0, longest_s = 0;  // the longest of those at the same time
  for (size_t i = 0; i < ranks.size(); ++i) {
    longest_s = std::max(i % at_once == 0 ? 0 : longest_s, replay_s(ranks[i], extent));
    if ((i + 1) % at_once == 0 || i + 1 == ranks.size()) sum_s += longest_s;
  }
  return sum_s;
}

std::optional<CountedExtent> largest_extent(const std::vector<CountedWork>& ranks, int cores, double most_s) {
  for (const CountedExtent& extent : extents_of(ranks)) {
    if (replays_s(ranks, extent, cores) <= most_s) return extent;
  }
  return std::nullopt;
}

std::optional<CountedExtent> least_extent(const std::vector<CountedWork>& ranks) {
  const auto extents = extents_of(ranks);
  const auto takes_s = [&](const CountedExtent& extent) { return replays_s(ranks, extent, 1); };
  return extents.empty() ? std::nullopt : std::optional(*std::ranges::min_element(extents, {}, takes_s));
}

}  // namespace scalediag::counters
