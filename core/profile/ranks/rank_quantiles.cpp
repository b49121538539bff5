#include "core/profile/ranks/rank_quantiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/text/formatted.h"

namespace scalediag::core {
namespace {

// The number of bits of a double's 52 that a bin does not tell apart.
constexpr int kDroppedDigits = 46;

int64_t bin_of(double value) {
  if (value == 0) return 0;
  // The bits of a positive number rise with it; the smallest ones are in bin 1 with those that follow.
  const auto bits = static_cast<int64_t>(std::bit_cast<uint64_t>(std::abs(value)) >> kDroppedDigits) + 1;
  return value > 0 ? bits : -bits;
}

double middle_of(int64_t bin) {
  if (bin == 0) return 0;
  const auto bits = static_cast<uint64_t>(std::abs(bin) - 1) << kDroppedDigits;
  const double middle = std::bit_cast<double>(bits | uint64_t{1} << (kDroppedDigits - 1));
  return bin > 0 ? middle : -middle;
}

double of_four_digits(double value) { return std::strtod(formatted("%.3e", value).c_str(), nullptr); }

}  // namespace

uint32_t& QuantileCounts::count_of(int64_t bin) {
  auto at = std::lower_bound(bins_.begin(), bins_.end(), bin, [](const Bin& b, int64_t key) { return b.first < key; });
  if (at == bins_.end() || at->first != bin) at = bins_.insert(at, {bin, 0});
  return at->second;
}

void QuantileCounts::add(double value) { ++count_of(bin_of(value)); }

RankQuantiles QuantileCounts::quantiles(int64_t n, double min, double max) const {
  QuantileCounts all = *this;
  int64_t added = 0;
  for (const auto& [bin, count] : bins_) added += count;
  if (added < n) all.count_of(0) += static_cast<uint32_t>(n - added);
  RankQuantiles values{};
  for (size_t i = 0; i < kRankQuantiles.size(); ++i) {
    const double wanted = kRankQuantiles[i] * static_cast<double>(n);
    double sum = 0;
    for (const auto& [bin, count] : all.bins_) {
      sum += count;
      values[i] = std::clamp(of_four_digits(middle_of(bin)), min, max);
      if (sum >= wanted) break;
    }
  }
  return values;
}

}  // namespace scalediag::core
