#include "report/findings/places/call_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/profile/call_paths.h"
#include "core/profile/run_summary.h"

namespace scalediag::report {
namespace {

Point point_of_repeats(const core::Run& run) {
  Point at = {{"np", run.np}};
  at.insert(at.end(), run.parameters.begin(), run.parameters.end());
  return at;
}

// Puts the nodes into the order of the tree.
std::vector<CallTreeNode> in_order(std::vector<CallTreeNode> nodes, size_t n_scales) {
  std::vector<std::vector<size_t>> children(nodes.size() + 1);  // of the node before; first those at the top
  for (size_t i = 0; i < nodes.size(); ++i) children[static_cast<size_t>(nodes[i].parent + 1)].push_back(i);
  const auto comes_first = [&](size_t a, size_t b) {
    const CallTreeNode &x = nodes[a], &y = nodes[b];
    for (size_t s = n_scales; s-- > 0;) {
      if (x.times[s].inclusive_s != y.times[s].inclusive_s) return x.times[s].inclusive_s > y.times[s].inclusive_s;
    }
    return x.function < y.function;
  };
  for (std::vector<size_t>& siblings : children) std::stable_sort(siblings.begin(), siblings.end(), comes_first);
  std::vector<CallTreeNode> ordered;
  const auto emit = [&](const auto& self, size_t group, int parent, int depth) -> void {
    for (const size_t i : children[group]) {
      const auto at = static_cast<int>(ordered.size());
      ordered.push_back(std::move(nodes[i]));
      ordered.back().parent = parent;
      ordered.back().depth = depth;
      self(self, i + 1, at, depth + 1);
    }
  };
  emit(emit, 0, -1, 0);
  return ordered;
}

}  // namespace

CallTree call_tree_of(const std::vector<std::vector<const core::Run*>>& configurations) {
  CallTree tree;
  std::vector<const core::Run*> runs;
  std::vector<size_t> scale_of;  // by run
  std::vector<double> weight_of;
  for (const std::vector<const core::Run*>& repeats : configurations) {
    const bool has_paths =
        std::any_of(repeats.begin(), repeats.end(), [](const core::Run* run) { return !run->call_paths.empty(); });
    if (!has_paths) continue;
    for (const core::Run* run : repeats) {
      runs.push_back(run);
      scale_of.push_back(tree.scales.size());
      weight_of.push_back(1.0 / static_cast<double>(repeats.size()));
    }
    tree.scales.push_back(point_of_repeats(*repeats.front()));
  }
  tree.total_s.resize(tree.scales.size(), 0);
  tree.left_out_from.resize(tree.scales.size(), 0);
  const core::PathUnion paths = core::unite_paths(runs);
  std::vector<CallTreeNode> nodes;
  for (const core::PathUnion::Node& n : paths.nodes) {
    nodes.push_back({n.parent, 0, n.kind, n.id.name, n.id.module, n.id.file, n.id.line, n.name,
                     std::vector<CallTreeTimes>(tree.scales.size())});
  }
  for (size_t r = 0; r < runs.size(); ++r) {
    const size_t scale = scale_of[r];
    for (size_t i = 0; i < runs[r]->call_paths.size(); ++i) {
      const core::CallPath& p = runs[r]->call_paths[i];
      CallTreeTimes& t = nodes[static_cast<size_t>(paths.node_of[r][i])].times[scale];
      t.inclusive_s += weight_of[r] * p.inclusive_s.mean;
      t.exclusive_s += weight_of[r] * p.exclusive_s.mean;
      t.slowest_s += weight_of[r] * p.inclusive_s.max;
      t.samples += static_cast<double>(p.samples);
      if (p.parent < 0) tree.total_s[scale] += weight_of[r] * p.inclusive_s.mean;
    }
    tree.left_out_from[scale] = std::max(tree.left_out_from[scale], runs[r]->call_paths_from);
  }
  tree.nodes = in_order(std::move(nodes), tree.scales.size());
  return tree;
}

CallTree call_tree_of(const core::Profile& profile) {
  return call_tree_of(core::group_by_configuration(profile, true));
}

size_t growth_base(const CallTree& tree) {
  const Point& largest = tree.scales.back();
  size_t base = tree.scales.size() - 1;
  for (size_t i = base; i-- > 0;) {
    if (std::equal(largest.begin() + 1, largest.end(), tree.scales[i].begin() + 1, tree.scales[i].end())) base = i;
  }
  return base;
}

std::optional<double> growth_exponent(const CallTree& tree, const CallTreeNode& node) {
  const size_t base = growth_base(tree);
  const double before = node.times[base].inclusive_s, after = node.times.back().inclusive_s;
  const double more = process_count(tree.scales.back()) / process_count(tree.scales[base]);
  if (!(before > 0 && after > 0 && more > 1)) return std::nullopt;
  return std::log(after / before) / std::log(more);
}

std::string name_of(const CallTreeNode& node) { return core::short_function_name(node.function); }

}  // namespace scalediag::report
