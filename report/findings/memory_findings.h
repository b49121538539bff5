// The memory of ranks and nodes at scales that nobody ran, and the scale at which a node's memory no longer suffices.
//
// A node with n ranks holds, at most, the rank that needs most and n - 1 mean ones: that is exact where one rank alone
// needs more than the others, such as one that gathers what all have.
#pragma once

#include <optional>
#include <vector>

#include "fit/application/application_model.h"
#include "report/findings/findings.h"

namespace scalediag::report {

struct NodeMemory {
  double bytes = 0;  // of a node
  int ranks = 0;     // of each node, at every scale
};

// The peak of memory at `at`, empty where it was not measured. Without a node `node` of the result is empty.
std::optional<MemoryEstimate> memory_at(const fit::ApplicationModel& model, const std::vector<double>& at,
                                        const std::optional<NodeMemory>& node);

// The smallest numbers of processes at which a node needs more than it has, the other parameters those of `at`;
// searched up to a million processes, or the number in `at` where that is larger.
MemoryLimit memory_limit(const fit::ApplicationModel& model, const std::vector<double>& at, const NodeMemory& node);

}  // namespace scalediag::report
