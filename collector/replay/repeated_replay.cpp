#include "collector/replay/repeated_replay.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "collector/replay/message_log_file.h"
#include "core/statistics.h"

namespace scalediag::replay {
namespace {

using Replays = std::vector<std::vector<double>>;  // the computations of each

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// The standard error of the median of the sums, relative to them.
double error_of(const Replays& replays) {
  std::vector<double> sums;
  for (const auto& replay : replays) sums.push_back(sum_of(replay));
  return core::coefficient_of_variation(sums) * std::sqrt(std::numbers::pi / 2 / static_cast<double>(sums.size()));
}

}  // namespace

core::Status repeat_replays(std::optional<int> repeats, const std::string& results, std::vector<ReplayedRank>& ranks,
                            const std::function<core::Result<std::vector<ReplayedRank>>()>& again) {
  const int most = repeats.value_or(kMostReplays);
  if (most == 1) return core::Done{};
  const auto file_of = [&](const ReplayedRank& rank) {
    return results + "/" + message_log::rank_file(static_cast<uint32_t>(rank.rank), message_log::kVectorEnding);
  };
  std::vector<Replays> replays(ranks.size());
  double elapsed_s = 0;
  for (int n = 1;; ++n) {
    double error = 0;
    for (size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i].interrupted_by != 0) return core::Done{};
      auto vector = read_vector(file_of(ranks[i]), ranks[i].rank);
      if (!vector) return vector.error();
      replays[i].push_back(std::move(vector).value());
      ranks[i].repeats = n;
      ranks[i].error = error_of(replays[i]);
      error = std::max(error, ranks[i].error);
    }
    elapsed_s += ranks.front().elapsed_s;
    const bool is_enough = n >= kFewestReplays && (error < kEnoughError || elapsed_s > kLongestReplays_s);
    if (n == most || (!repeats && is_enough)) break;
    const auto repeated = again();
    if (!repeated) return repeated.error();
    for (size_t i = 0; i < ranks.size(); ++i) ranks[i].interrupted_by = repeated.value()[i].interrupted_by;
  }
  for (size_t i = 0; i < ranks.size(); ++i) {
    const auto medians = write_medians(file_of(ranks[i]), ranks[i].rank, replays[i]);
    if (!medians) return medians.error();
    ranks[i].computation_s = sum_of(medians.value());
  }
  return core::Done{};
}

}  // namespace scalediag::replay
