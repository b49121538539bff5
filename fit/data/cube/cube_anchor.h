// The description of a Cube profile, anchor.xml: metrics, call tree, and the processes and threads that have values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace scalediag::fit {

struct CubeMetric {
  int id = 0;              // of its members: 3.index, 3.data
  bool inclusive = false;  // how values are stored
  std::string type;        // "INCLUSIVE", "EXCLUSIVE", or another kind, which is computed from others
  std::string name, dtype, unit;
};

struct CubeNode {
  int parent = -1;   // index into CubeAnchor::nodes
  std::string path;  // "main->solve->MPI_Send"
  std::vector<int> children;
};

struct CubeLocation {
  int rank = 0;           // index of its process, from 0
  bool is_thread = true;  // executes the program; false: an accelerator or a source of metrics
};

struct CubeAnchor {
  std::vector<CubeMetric> metrics;
  std::vector<CubeNode> nodes;          // callers before callees, in the document's order
  std::vector<CubeLocation> locations;  // in the order in which rows have their values
  int ranks = 0;
};

// Limits of a description, beyond which it is refused.
constexpr size_t kMostCubeNodes = 2'000'000;
constexpr size_t kMostCubeLocations = 4'000'000;

// `where` is the name in errors ("profile.cubex: anchor.xml"). Errors (kInput): it is no XML (with the line), has no
// metrics, call tree or locations, refers to a region that is missing, is larger than the limits, its call paths
// together are longer than 256 MiB.
core::Result<CubeAnchor> parse_cube_anchor(std::string_view xml, const std::string& where);

}  // namespace scalediag::fit
