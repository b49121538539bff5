// The distance between rounds of a loop in a series of values, such as computations.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

namespace scalediag::core {

// The mean distance of successive rounds (the sum of the differences of their values), relative to the mean round, both
// without the first, in which caches and pages are cold. `values`: `per_round` of each of `rounds`. Nothing: there are
// fewer than two others.
template <class Value> std::optional<double> distance_of_rounds(const Value* values, size_t per_round, size_t rounds) {
  if (rounds < 3) return std::nullopt;
  double apart = 0, all = 0;
  for (size_t i = per_round; i < per_round * rounds; ++i) {
    all += static_cast<double>(values[i]);
    if (i >= 2 * per_round)
      apart += std::abs(static_cast<double>(values[i]) - static_cast<double>(values[i - per_round]));
  }
  const auto others = static_cast<double>(rounds - 1);
  return all > 0 ? apart / (others - 1) / (all / others) : 0;
}

}  // namespace scalediag::core
