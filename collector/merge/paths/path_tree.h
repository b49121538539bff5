// The call tree of a run over its ranks.
//
// Recursion is folded: where the functions that end a path are a repetition of those before them, up to eight of them,
// the repetition is left out ("a b a b" is "a b").
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "core/profile/kernel_id.h"
#include "core/profile/over_ranks.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

class PathTree {
 public:
  static constexpr int kTop = -1;

  // The node of a function below `parent`, which is made where there is none.
  int child(int parent, core::CallPathKind kind, const core::KernelId& id);
  int parent_of(int node) const { return nodes_[static_cast<size_t>(node)].parent; }
  size_t size() const { return nodes_.size(); }

  // Adds a rank, once: the exclusive CPU time and the samples of each node that existed when they were counted.
  void add(int rank, std::vector<double> exclusive_s, std::vector<uint64_t> samples);
  // Fills call_paths and call_paths_from. Paths of little time are put together below their parent.
  void finish(int n_ranks, core::Run& run) const;

 private:
  struct Node {
    int parent = kTop;
    core::CallPathKind kind = core::CallPathKind::kFunction;
    core::KernelId id;
    uint64_t samples = 0;  // inclusive
    core::OverRanksBuilder inclusive_s, exclusive_s;
  };
  int folded(int parent, core::CallPathKind kind, const core::KernelId& id) const;
  bool is_same(int node, core::CallPathKind kind, const core::KernelId& id) const;

  std::vector<Node> nodes_;  // parents first
  std::map<std::tuple<int, core::CallPathKind, core::KernelId>, int> numbers_;
};

}  // namespace scalediag::merge
