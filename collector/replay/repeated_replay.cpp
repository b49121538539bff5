#include "collector/replay/repeated_replay.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "collector/replay/message_log_file.h"
#include "core/statistics.h"

namespace scalediag::replay {
namespace {

using RankReplays = std::vector<std::vector<double>>;  // the computations of each

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// The standard error of the median of the sums, relative to them.
double error_of(const RankReplays& replays) {
  std::vector<double> sums;
  for (const auto& replay : replays) sums.push_back(sum_of(replay));
  return core::coefficient_of_variation(sums) * core::error_of_median(sums.size());
}

struct GroupReplays {
  std::vector<RankReplays> of_ranks;
  double elapsed_s = 0;
  bool is_done = false;
};

std::string path_of_vector(const std::string& results, const ReplayedRank& rank) {
  return results + "/" + message_log::rank_file(static_cast<uint32_t>(rank.rank), message_log::kVectorEnding);
}

// Takes what the last replay of each rank left. Returns the largest error.
Result<double> add_replay(const std::string& results, std::vector<ReplayedRank>& ranks, GroupReplays& replays) {
  double error = 0;
  replays.of_ranks.resize(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) {
    auto vector = TRY(read_vector(path_of_vector(results, ranks[i]), ranks[i].rank));
    replays.of_ranks[i].push_back(std::move(vector));
    ranks[i].repeats = static_cast<int>(replays.of_ranks[i].size());
    ranks[i].error = error_of(replays.of_ranks[i]);
    error = std::max(error, ranks[i].error);
  }
  replays.elapsed_s += ranks.front().elapsed_s;
  return error;
}

bool are_interrupted(const std::vector<ReplayedRank>& ranks) {
  return std::ranges::any_of(ranks, [](const ReplayedRank& rank) { return rank.interrupted_by != 0; });
}

}  // namespace

Status repeat_replays(std::optional<int> repeats, const std::string& results,
                      std::vector<std::vector<ReplayedRank>>& groups,
                      const std::function<Result<std::vector<ReplayedRank>>(size_t)>& again) {
  const int most = repeats.value_or(kMostReplays);
  if (most == 1 || std::ranges::any_of(groups, are_interrupted)) return Done{};
  std::vector<GroupReplays> replays(groups.size());
  for (int n = 1; n <= most; ++n) {
    for (size_t g = 0; g < groups.size(); ++g) {
      if (replays[g].is_done) continue;
      if (n > 1) {
        const auto repeated = TRY(again(g));
        if (are_interrupted(repeated)) {
          groups[g] = repeated;
          return Done{};
        }
      }
      const auto error = TRY(add_replay(results, groups[g], replays[g]));
      const bool is_enough = error < kEnoughError || replays[g].elapsed_s > kLongestReplays_s;
      replays[g].is_done = !repeats && n >= kFewestReplays && is_enough;
    }
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    for (size_t i = 0; i < groups[g].size(); ++i) {
      ReplayedRank& rank = groups[g][i];
      const auto medians = TRY(write_medians(path_of_vector(results, rank), rank.rank, replays[g].of_ranks[i]));
      rank.computation_s = sum_of(medians);
    }
  }
  return Done{};
}

}  // namespace scalediag::replay
