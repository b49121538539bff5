// The call tree of a run (CallPath): names of paths, and whether a list is a tree.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/profile/kernel_id.h"
#include "core/profile/profile.h"

namespace scalediag::core {

// At least one run has call paths.
bool has_call_paths(const Profile& profile);

// A readable function without its parameters and the type that it returns, which names of templates have.
std::string short_function_name(const std::string& function);

// The paths of several runs as one tree.
struct PathUnion {
  struct Node {
    int parent = -1;  // in `nodes`, before this one
    CallPathKind kind = CallPathKind::kFunction;
    KernelId id;
    // Functions from the thread's first one on, without parameters where that tells siblings apart:
    // "main->solve->MPI_Allreduce".
    std::string name;
  };
  std::vector<Node> nodes;
  std::vector<std::vector<int>> node_of;  // by run, then by its path
};
PathUnion unite_paths(std::span<const Run* const> runs);

// The first path that no call tree has; empty where there is none. The checks: parents come first, siblings differ, and
// inclusive time is exclusive time and that of what was called.
struct WrongPath {
  size_t index = 0;
  std::string what;
};
std::optional<WrongPath> find_wrong_path(const std::vector<CallPath>& paths);

}  // namespace scalediag::core
