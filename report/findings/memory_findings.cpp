#include "report/findings/memory_findings.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace scalediag::report {
namespace {

// The ranks of a fullest node: fewer than it has room for where the run is smaller.
double ranks_on_node(const NodeMemory& node, double processes) {
  return std::min(static_cast<double>(node.ranks), processes);
}

// The first whole number from `from` to `to` at which `exceeds` is true. Between the powers of two at which it changes
// it is taken to change once.
std::optional<double> first_where(const std::function<bool(double)>& exceeds, double from, double to) {
  double below = from;
  if (exceeds(from)) return from;
  for (double at = 2 * from;; at *= 2) {
    const double tried = std::min(at, to);
    if (exceeds(tried)) {
      double above = tried;
      while (above - below > 1) {
        const double middle = std::floor((below + above) / 2);
        (exceeds(middle) ? above : below) = middle;
      }
      return above;
    }
    if (tried >= to) return std::nullopt;
    below = tried;
  }
}

}  // namespace

std::optional<MemoryEstimate> memory_at(const fit::ApplicationModel& model, const std::vector<double>& at,
                                        const std::optional<NodeMemory>& node) {
  const fit::Model* const mean = model.total_model("memory_peak_bytes");
  const fit::Model* const most = model.total_model("memory_peak_max_bytes");
  if (mean == nullptr || most == nullptr) return std::nullopt;
  MemoryEstimate memory;
  memory.rank_bytes = mean->evaluate(at);
  memory.most_bytes = most->evaluate(at);
  // No rank needs more than the one that needs most; two models need not know that.
  memory.most_bytes.value = std::max(memory.most_bytes.value, memory.rank_bytes.value);
  memory.most_bytes.high = std::max(memory.most_bytes.high, memory.most_bytes.value);
  if (!node) return memory;
  const double others = ranks_on_node(*node, at[model.data().processes]) - 1;
  const auto sum = [others](double largest, double usual) { return largest + others * usual; };
  memory.node_bytes =
      Estimate{sum(memory.most_bytes.value, memory.rank_bytes.value), sum(memory.most_bytes.low, memory.rank_bytes.low),
               sum(memory.most_bytes.high, memory.rank_bytes.high), memory.rank_bytes.level};
  return memory;
}

MemoryLimit memory_limit(const fit::ApplicationModel& model, const std::vector<double>& at, const NodeMemory& node) {
  constexpr double kLargest = 1 << 20;
  const size_t processes = model.data().processes;
  MemoryLimit limit;
  limit.node_bytes = node.bytes;
  limit.ranks_per_node = node.ranks;
  const double from = model.data().scales().front();
  limit.searched_to = std::max(kLargest, at[processes]);
  const auto first = [&](double Estimate::*end) {
    return first_where(
        [&](double p) {
          std::vector<double> there = at;
          there[processes] = p;
          const auto memory = memory_at(model, there, node);
          return memory && memory->node_bytes && (*memory->node_bytes).*end > node.bytes;
        },
        from, limit.searched_to);
  };
  limit.exceeded_at = first(&Estimate::value);
  limit.exceeded_from = first(&Estimate::high);
  limit.exceeded_surely_at = first(&Estimate::low);
  return limit;
}

}  // namespace scalediag::report
