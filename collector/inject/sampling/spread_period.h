// Sampling periods that differ a little. Ranks that do the same work in step would otherwise all be sampled at the same
// places of it, and their sum would be no better than one rank's.
#pragma once

#include <cstdint>

namespace scalediag::inject {

// A period within a tenth of `period_ns`, by `number`: numbers that follow one another give periods that are spread
// evenly.
inline uint64_t spread_period_ns(uint64_t period_ns, uint64_t number) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15u;
  const double unit = static_cast<double>((number * kGoldenRatio) >> 32) / 4294967296.0;
  return static_cast<uint64_t>(static_cast<double>(period_ns) * (0.9 + 0.2 * unit));
}

}  // namespace scalediag::inject
