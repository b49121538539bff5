#include "collector/merge/paths/path_tree.h"

#include <algorithm>

namespace scalediag::merge {
namespace {

constexpr int kLongestCycle = 8;
constexpr double kLeastShare = 0.0005;
constexpr size_t kMostPaths = 1000;

core::OverRanks plus(core::OverRanks a, const core::OverRanks& b) {
  a.sum += b.sum;
  a.mean += b.mean;
  // Bounds, since the values of single ranks are not known here.
  a.min += b.min;
  a.max += b.max;
  return a;
}

}  // namespace

bool PathTree::is_same(int node, core::CallPathKind kind, const core::KernelId& id) const {
  const Node& n = nodes_[static_cast<size_t>(node)];
  return n.kind == kind && n.id == id;
}

// The node that `id` below `parent` repeats; kTop where it repeats none.
int PathTree::folded(int parent, core::CallPathKind kind, const core::KernelId& id) const {
  std::vector<int> above;  // from the parent on
  for (int n = parent; n != kTop && above.size() < 2 * size_t{kLongestCycle}; n = parent_of(n)) above.push_back(n);
  // Of the path that ends with `id`, element 0 is `id` and element i is above[i - 1].
  for (int length = 1; length <= kLongestCycle && 2 * static_cast<size_t>(length) - 1 <= above.size(); ++length) {
    const auto at = [&](int i) { return above[static_cast<size_t>(i) - 1]; };
    bool repeats = is_same(at(length), kind, id);
    for (int i = 1; i < length && repeats; ++i) {
      const Node& n = nodes_[static_cast<size_t>(at(i))];
      repeats = is_same(at(i + length), n.kind, n.id);
    }
    if (repeats) return at(length);
  }
  return kTop;
}

int PathTree::child(int parent, core::CallPathKind kind, const core::KernelId& id) {
  if (kind == core::CallPathKind::kFunction) {
    if (const int repeated = folded(parent, kind, id); repeated != kTop) return repeated;
  }
  const auto [entry, is_new] = numbers_.try_emplace({parent, kind, id}, static_cast<int>(nodes_.size()));
  if (is_new) {
    Node& n = nodes_.emplace_back();
    n.parent = parent;
    n.kind = kind;
    n.id = id;
  }
  return entry->second;
}

void PathTree::add(int rank, std::vector<double> exclusive_s, std::vector<uint64_t> samples) {
  std::vector<double> inclusive_s = exclusive_s;
  for (size_t i = inclusive_s.size(); i-- > 0;) {
    Node& n = nodes_[i];
    if (inclusive_s[i] > 0) n.inclusive_s.add(rank, inclusive_s[i]);
    if (exclusive_s[i] > 0) n.exclusive_s.add(rank, exclusive_s[i]);
    n.samples += samples[i];
    if (n.parent == kTop) continue;
    inclusive_s[static_cast<size_t>(n.parent)] += inclusive_s[i];
    samples[static_cast<size_t>(n.parent)] += samples[i];
  }
}

void PathTree::finish(int n_ranks, core::Run& run) const {
  std::vector<core::CallPath> all(nodes_.size());
  std::vector<std::vector<size_t>> children(nodes_.size());
  std::vector<size_t> top;
  double total_s = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    core::CallPath& p = all[i];
    p.function = n.id.name;
    p.module = n.id.module;
    p.file = n.id.file;
    p.line = n.id.line;
    p.kind = n.kind;
    p.samples = n.samples;
    p.inclusive_s = n.inclusive_s.finish(n_ranks);
    p.exclusive_s = n.exclusive_s.finish(n_ranks);
    (n.parent == kTop ? top : children[static_cast<size_t>(n.parent)]).push_back(i);
    if (n.parent == kTop) total_s += p.inclusive_s.sum;
  }
  const auto sort = [&](std::vector<size_t>& siblings) {
    std::ranges::stable_sort(siblings, [&](size_t a, size_t b) {
      const core::CallPath &x = all[a], &y = all[b];
      return std::make_tuple(-x.inclusive_s.sum, x.kind, nodes_[a].id) <
             std::make_tuple(-y.inclusive_s.sum, y.kind, nodes_[b].id);
    });
  };
  sort(top);
  for (std::vector<size_t>& siblings : children) sort(siblings);

  // The share that at most so many paths have.
  std::vector<double> sums;
  for (const core::CallPath& p : all) sums.push_back(p.inclusive_s.sum);
  std::ranges::sort(sums, std::greater<>());
  double least_s = kLeastShare * total_s;
  if (sums.size() > kMostPaths) least_s = std::max(least_s, sums[kMostPaths]);
  run.call_paths_from = total_s > 0 ? least_s / total_s : 0;

  const auto emit = [&](const auto& self, const std::vector<size_t>& siblings, int parent) -> void {
    core::CallPath rest;
    bool has_rest = false;
    for (const size_t i : siblings) {
      if (all[i].inclusive_s.sum < least_s) {
        rest.inclusive_s = has_rest ? plus(rest.inclusive_s, all[i].inclusive_s) : all[i].inclusive_s;
        rest.samples += all[i].samples;
        has_rest = true;
        continue;
      }
      const auto at = static_cast<int>(run.call_paths.size());
      run.call_paths.push_back(all[i]);
      run.call_paths.back().parent = parent;
      self(self, children[i], at);
    }
    if (!has_rest || rest.inclusive_s.sum == 0) return;
    rest.parent = parent;
    rest.function = "[other]";
    rest.kind = core::CallPathKind::kOther;
    rest.exclusive_s = rest.inclusive_s;
    run.call_paths.push_back(rest);
  };
  emit(emit, top, -1);
}

}  // namespace scalediag::merge
