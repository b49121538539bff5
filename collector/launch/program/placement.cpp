#include "collector/launch/program/placement.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/text/value_list.h"

namespace scalediag::launch {
namespace {

int quotient_rounded_up(int dividend, int divisor) { return (dividend + divisor - 1) / divisor; }

Error refused_placement(const std::string& option, const std::string& message, const std::string& hint) {
  return {ErrorCode::kUsage, option + ": " + message, hint, option};
}

Status fill_nodes_of(const std::string& list, const std::vector<int>& process_counts, Placement& placement) {
  const auto values = TRY(core::parse_value_list(list, "--nodes"));
  const size_t n = values.size();
  if (n != 1 && n != process_counts.size()) {
    return refused_placement("--nodes",
                             std::to_string(n) + " numbers of nodes are given for " +
                                 std::to_string(process_counts.size()) + " numbers of processes",
                             "give one number, or as many as -n has");
  }
  for (size_t i = 0; i < process_counts.size(); ++i) {
    const core::ListValue& value = values[n == 1 ? 0 : i];
    if (!(value.value >= 1) || value.value != std::floor(value.value) || value.value > process_counts[i]) {
      return refused_placement("--nodes",
                               std::to_string(process_counts[i]) + " processes cannot be on " + value.text + " nodes",
                               "give whole numbers, at most one node a process");
    }
    placement.nodes_of[process_counts[i]] = static_cast<int>(value.value);
  }
  return Done{};
}

}  // namespace

int Placement::nodes_for(int np) const {
  if (const auto asked = nodes_of.find(np); asked != nodes_of.end()) return asked->second;
  if (ranks_per_node <= 0) return 0;
  const int filled = quotient_rounded_up(np, ranks_per_node);
  return nodes > 0 ? std::min(nodes, filled) : filled;
}

int Placement::ranks_per_node_for(int np) const {
  const int n = nodes_for(np);
  return n > 0 ? quotient_rounded_up(np, n) : 0;
}

int first_of_node_list(const std::string& list) {
  const long first = std::strtol(list.c_str(), nullptr, 10);
  return first > 0 && first < 1'000'000 ? static_cast<int>(first) : 0;
}

Status ask_for_placement(const std::string& nodes, int ranks_per_node, const std::vector<int>& process_counts,
                         Placement& placement) {
  if (nodes.empty() && ranks_per_node == 0) return Done{};
  if (!nodes.empty() && ranks_per_node != 0) {
    return refused_placement("--ranks-per-node", "--nodes says already how many ranks a node has",
                             "leave one of them out");
  }
  if (ranks_per_node < 0) return refused_placement("--ranks-per-node", "it must be at least 1", "--ranks-per-node 4");
  placement.is_asked = true;
  if (ranks_per_node > 0) {
    placement.ranks_per_node = ranks_per_node;
    for (const int np : process_counts) placement.nodes_of[np] = quotient_rounded_up(np, ranks_per_node);
  } else if (auto filled = fill_nodes_of(nodes, process_counts, placement); !filled) {
    return filled;
  }
  for (const auto& [np, n] : placement.nodes_of) {
    if (placement.nodes == 0 || n <= placement.nodes) continue;
    return refused_placement(nodes.empty() ? "--ranks-per-node" : "--nodes",
                             std::to_string(np) + " processes need " + std::to_string(n) +
                                 " nodes, the allocation has " + std::to_string(placement.nodes),
                             "ask for more nodes (salloc -N " + std::to_string(n) + "), or measure fewer processes");
  }
  return Done{};
}

}  // namespace scalediag::launch
