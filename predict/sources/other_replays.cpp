#include "predict/sources/other_replays.h"

#include <algorithm>
#include <cmath>

#include "predict/sources/replayed_computation.h"

namespace scalediag::predict {

std::optional<fit::Estimate> computation_of_other_replays(std::vector<Anchor> replays, double measured,
                                                          double processes, const fit::Estimate& curves) {
  std::erase_if(replays, [&](const Anchor& replay) { return replay.processes <= measured || !(replay.factor > 0); });
  if (replays.empty() || processes <= measured || !(curves.value > 0 && curves.low > 0)) return std::nullopt;
  const double from_measured = std::log(processes / measured);
  double distance = from_measured;
  for (const Anchor& replay : replays) distance = std::min(distance, std::abs(std::log(processes / replay.processes)));
  replays.push_back({measured, 1});
  const double value = curves.value * factor_at(std::move(replays), processes).value_or(1);
  const double part = distance / from_measured;
  const fit::Estimate models = {value, value * std::pow(curves.low / curves.value, part),
                                value * std::pow(curves.high / curves.value, part), curves.level};
  const fit::Estimate replayed = replayed_estimate(value, curves.level);
  const double below = std::hypot(std::log(value / models.low), std::log(value / replayed.low));
  const double above = std::hypot(std::log(models.high / value), std::log(replayed.high / value));
  return fit::Estimate{value, value * std::exp(-below), value * std::exp(above), curves.level};
}

}  // namespace scalediag::predict
