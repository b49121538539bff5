#include "predict/sources/point_computation.h"

#include <algorithm>
#include <cmath>

#include "core/text/join.h"
#include "core/text/quantities.h"
#include "predict/sources/replayed_computation.h"

namespace scalediag::predict {

fit::Estimate point_estimate(const PointComputation& points, const fit::Estimate& predicted) {
  const double rest = 1 - points.share;
  const auto relative = [&predicted](double end) {
    return predicted.value > 0 ? std::abs(end - predicted.value) / predicted.value : 0;
  };
  const fit::Estimate alone = replayed_estimate(1, predicted.level);
  const double down = points.share * (1 - alone.low + points.relative_error) + rest * relative(predicted.low);
  const double up = points.share * (alone.high - 1 + points.relative_error) + rest * relative(predicted.high);
  return {points.mean_s, points.mean_s * std::max(0.0, 1 - down), points.mean_s * (1 + up), predicted.level};
}

std::string text_of(const PointComputation& points) {
  std::string how;
  if (points.share > points.interpolated) {
    how = ", whose ranks' own differ by at most " + core::spaced_percent(std::abs(points.difference)) + " there";
  }
  if (points.interpolated > 0) {
    how += how.empty() ? "" : "; for " + core::spaced_percent(points.interpolated) + " of the instructions";
    how += how.empty() ? ", interpolated" : " it is interpolated";
    how += " between runs with more and with fewer";
  }
  std::string text = "computation is that of the measurable point" + std::string(points.runs.size() > 1 ? "s " : " ") +
                     core::join(points.runs) + " in phases with " + core::spaced_percent(points.share) +
                     " of the instructions" + how + ": " + core::fixed(points.factor(), 3) +
                     " times what would be predicted; functions are multiplied by that";
  if (points.without.empty()) return text;
  std::vector<std::string> phases;
  for (const int phase : points.without) phases.push_back(std::to_string(phase));
  return text + ". No point fits phase" + (phases.size() > 1 ? "s " : " ") + core::join(phases) +
         ", whose computation is a power of the number of ranks";
}

}  // namespace scalediag::predict
