// The number of nodes that ranks are put on, inside the allocation of a resource manager.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::launch {

struct Placement {
  int nodes = 0;                     // of the allocation; 0: not known
  int ranks_per_node = 0;            // that a node takes before the next one gets any; 0: not known
  std::map<int, int> nodes_of = {};  // that were asked for, by the number of processes
  bool is_asked = false;             // by the user; else nodes are filled, as the allocation has them

  // Nodes are filled: ceil(np / ranks_per_node), and at most those of the allocation. 0: not known.
  int nodes_for(int np) const;
  // ceil(np / nodes_for(np)); 0: not known.
  int ranks_per_node_for(int np) const;
};

// The first number of Slurm's compressed list "4(x3),2" of tasks or CPUs a node; 0 where it cannot be read.
int first_of_node_list(const std::string& list);

// Adds what --nodes and --ranks-per-node say for these numbers of processes. `nodes` is a LIST of one number, or of one
// for each number of processes; empty, and 0 for `ranks_per_node`: not given. Errors (kUsage): both are given, a number
// is not positive, the list has another length, there are more nodes than processes, or than the allocation has.
Status ask_for_placement(const std::string& nodes, int ranks_per_node, const std::vector<int>& process_counts,
                         Placement& placement);

}  // namespace scalediag::launch
