// The call tree over the configurations that were measured.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "report/point.h"

namespace scalediag::report {

// Of a path at one configuration: CPU time, means over ranks and repeats. A repeat without the path counts as 0; it may
// have had less than the smallest share that is kept.
struct CallTreeTimes {
  double inclusive_s = 0;  // with all that it called
  double exclusive_s = 0;
  double slowest_s = 0;  // inclusive, of the rank with most
  double samples = 0;    // inclusive, over ranks and repeats
};

struct CallTreeNode {
  int parent = -1;  // in CallTree::nodes, before this one
  int depth = 0;
  core::CallPathKind kind = core::CallPathKind::kFunction;
  std::string function, module, file;  // as core::CallPath
  int line = 0;
  std::string path;                  // as core::PathUnion
  std::vector<CallTreeTimes> times;  // by CallTree::scales
};

struct CallTree {
  std::vector<Point> scales;          // with np and the configuration's parameters, by rising np
  std::vector<double> total_s;        // by scale: all that was sampled
  std::vector<double> left_out_from;  // by scale: paths of a smaller share may be in "[other]"
  std::vector<CallTreeNode> nodes;    // parents first, siblings by falling time at the largest scale
};

// `configurations`: repeats of one configuration each, by rising np. Those without call paths are left out; no nodes
// where none has any.
CallTree call_tree_of(const std::vector<std::vector<const core::Run*>>& configurations);
// Of all complete runs.
CallTree call_tree_of(const core::Profile& profile);

// The scale that growth is counted from: the one of fewest processes whose other parameters are those of the largest.
size_t growth_base(const CallTree& tree);
// The exponent of the path's inclusive time over the number of processes, from there to the largest scale. Empty where
// it had no time at one of them, or there is one scale only.
std::optional<double> growth_exponent(const CallTree& tree, const CallTreeNode& node);

// The function without its parameters.
std::string name_of(const CallTreeNode& node);

}  // namespace scalediag::report
