// Ranks replayed at the same time, as those of one node run.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "collector/replay/replayed_rank.h"
#include "core/result.h"

namespace scalediag::replay {

// Calls replay_one(0) ... replay_one(n - 1) at the same time, each in a child process: running a program waits for
// everything that this process has started. A signal that ends commands is passed on to the children. The results in
// order, or the error that came first: it ends the others, which may wait for what that one would have sent.
Result<std::vector<ReplayedRank>> side_by_side(size_t n, const std::function<Result<ReplayedRank>(size_t)>& replay_one);

}  // namespace scalediag::replay
