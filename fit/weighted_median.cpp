#include "fit/weighted_median.h"

#include <algorithm>

namespace scalediag::fit {

double weighted_quantile(std::span<Weighted> items, double share) {
  std::sort(items.begin(), items.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double total = 0;
  for (const Weighted& item : items) total += item.weight;
  double below = 0;
  for (const Weighted& item : items) {
    below += item.weight;
    if (below >= share * total) return item.value;
  }
  return items.back().value;
}

}  // namespace scalediag::fit
