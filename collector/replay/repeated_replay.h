// Ranks replayed several times: one replay has the noise of a moment, which simulations of programs that wait for each
// other amplify; the median of each computation has less.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collector/replay/replayed_rank.h"
#include "core/result.h"

namespace scalediag::replay {

constexpr double kEnoughError = 0.02;
constexpr int kFewestReplays = 5, kMostReplays = 10;
constexpr double kLongestReplays_s = 30;  // of a rank, or of those that are replayed together

// Calls again(g) for `groups`, which were replayed once, until there are `repeats` replays of each, and leaves medians
// in the ranks' vectors in the folder `results`. No `repeats`: until the error of a group's medians is below
// kEnoughError, kFewestReplays at least, kMostReplays at most. All groups take turns, so that a time in which the host
// is busy is not one rank's. Nothing more is done once a rank was interrupted. Errors: as of again(); a vector cannot
// be read or written.
Status repeat_replays(std::optional<int> repeats, const std::string& results,
                      std::vector<std::vector<ReplayedRank>>& groups,
                      const std::function<Result<std::vector<ReplayedRank>>(size_t)>& again);

}  // namespace scalediag::replay
