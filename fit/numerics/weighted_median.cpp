#include "fit/numerics/weighted_median.h"

#include <algorithm>

namespace scalediag::fit {

double weighted_quantile(std::span<Weighted> items, double share) {
  const auto less = [](const Weighted& a, const Weighted& b) { return a.value < b.value; };
  double total = 0;
  for (const Weighted& item : items) total += item.weight;
  // Halves are discarded until this few are left: sorting a hundred thousand takes longer than fitting their curves.
  constexpr size_t kFew = 32;
  double below = 0;
  while (items.size() > kFew) {
    const size_t half = items.size() / 2;
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(), less);
    double lower = 0;
    for (const Weighted& item : items.first(half)) lower += item.weight;
    if (below + lower >= share * total) {
      items = items.first(half);
    } else {
      below += lower;
      items = items.subspan(half);
    }
  }
  std::ranges::sort(items, less);
  for (const Weighted& item : items) {
    below += item.weight;
    if (below >= share * total) return item.value;
  }
  return items.back().value;
}

}  // namespace scalediag::fit
