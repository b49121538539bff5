#include "predict/sources/replayed_computation.h"

#include <algorithm>

#include "core/text/numbers.h"
#include "core/text/quantities.h"

namespace scalediag::predict {

fit::Estimate replayed_estimate(double seconds, double level) {
  constexpr double kLeast = 0.90, kMost = 1.28;
  return {seconds, kLeast * seconds, kMost * seconds, level};
}

bool replays_tell_computation(std::span<const core::Run> runs) {
  return std::ranges::all_of(runs, [](const core::Run& run) { return run.gpu.empty(); });
}

std::string text_of(const ReplayedComputation& replayed) {
  std::string text = "computation is that of ";
  text += replayed.replayed == replayed.ranks
              ? "its " + std::to_string(replayed.ranks) + " ranks"
              : std::to_string(replayed.replayed) + " of its " + std::to_string(replayed.ranks) +
                    " ranks, which stand for the others,";
  return text + " replayed in " + replayed.folder + ": " + core::fixed(replayed.factor(), 3) +
         " times what would be predicted; functions are multiplied by that. The rank that computed longest took " +
         core::fixed(replayed.mean_s > 0 ? replayed.most_s / replayed.mean_s : 1, 2) +
         " times the mean, which may be chance";
}

}  // namespace scalediag::predict
