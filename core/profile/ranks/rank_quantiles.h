// Quantiles over the ranks of a large run, from counts of values in bins. Memory grows with the spread of the values
// and not with the number of ranks, and the order of the values does not change the result.
//
// A bin has the values whose first 7 binary digits are alike, so that it is at most 1/64 of them wide. Its middle
// stands for them: a quantile is off by at most 1/128 (0.8 %) of itself, and by the rounding to four digits.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace scalediag::core {

// Values that so many of all ranks do not exceed.
constexpr std::array<double, 5> kRankQuantiles = {0.01, 0.25, 0.5, 0.75, 0.99};
using RankQuantiles = std::array<double, kRankQuantiles.size()>;

class QuantileCounts {
 public:
  // `value` is finite.
  void add(double value);
  // The quantile q is the lowest value that at least q x `n` values do not exceed. Those that were not added, of `n`
  // altogether, are 0. None is below `min` or above `max`.
  RankQuantiles quantiles(int64_t n, double min, double max) const;

 private:
  using Bin = std::pair<int64_t, uint32_t>;  // rises with the values in it; their number
  std::vector<Bin> bins_;                    // rising
  uint32_t& count_of(int64_t bin);
};

}  // namespace scalediag::core
