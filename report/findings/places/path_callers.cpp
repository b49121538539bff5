#include "report/findings/places/path_callers.h"

#include <algorithm>
#include <map>
#include <string>

namespace scalediag::report {

void lift_callers(std::vector<KernelFinding>& kernels) {
  const std::string arrow = "->";
  std::map<std::string, size_t> by_name;
  for (size_t i = 0; i < kernels.size(); ++i) by_name[kernels[i].name] = i;
  struct Callees {
    double sum = 0, highest_low = 0, highest_high = 0;
  };
  std::vector<Callees> callees(kernels.size());
  // From the longest name on: a path's callees come before it.
  std::vector<size_t> order(kernels.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return kernels[a].name.size() > kernels[b].name.size(); });
  for (const size_t i : order) {
    KernelFinding& k = kernels[i];
    Estimate& e = k.estimate;
    const Callees& c = callees[i];
    if (e.value < c.sum) {
      e.value = c.sum;
      k.formula.clear();
      k.formula_weight = 0;
      k.formula_note = "the value is the sum of what it calls, since its own curve comes to less";
    }
    e.low = std::min(e.value, std::max(e.low, c.highest_low));
    e.high = std::max({e.high, e.value, c.highest_high});
    // A function's name may have the arrow as well ("operator->"), so that the caller is looked for.
    for (size_t at = k.name.rfind(arrow); at != std::string::npos && at > 0; at = k.name.rfind(arrow, at - 1)) {
      const auto caller = by_name.find(k.name.substr(0, at));
      if (caller == by_name.end()) continue;
      Callees& of_caller = callees[caller->second];
      of_caller.sum += e.value;
      of_caller.highest_low = std::max(of_caller.highest_low, e.low);
      of_caller.highest_high = std::max(of_caller.highest_high, e.high);
      break;
    }
  }
}

}  // namespace scalediag::report
