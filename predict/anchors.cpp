#include "predict/anchors.h"

#include <algorithm>
#include <cmath>

namespace scalediag::predict {

std::optional<double> factor_at(std::vector<Anchor> anchors, double processes) {
  if (anchors.empty()) return std::nullopt;
  std::sort(anchors.begin(), anchors.end(), [](const Anchor& a, const Anchor& b) { return a.processes < b.processes; });
  const auto above = std::find_if(anchors.begin(), anchors.end(),
                                  [processes](const Anchor& anchor) { return anchor.processes >= processes; });
  if (above == anchors.end()) return anchors.back().factor;
  if (above == anchors.begin()) return above->factor;
  const Anchor& below = *(above - 1);
  const double share = std::log(processes / below.processes) / std::log(above->processes / below.processes);
  return std::exp((1 - share) * std::log(below.factor) + share * std::log(above->factor));
}

}  // namespace scalediag::predict
