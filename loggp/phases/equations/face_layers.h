// Layers of neighbours' cells in the messages along a side of a box: the same for all messages of a program along it.
//
// A message to the next rank along side s carries a face of the rank's block across s: k (b_i + h_i) (b_j + h_j) bytes,
// where i and j are the other two sides, b the rank's elements along them (of n along the whole side, as
// ValueHypothesis::Face has them), h the layers of neighbours' cells that it includes, and k the bytes of a cell. Grids
// of different n, as the levels of a multigrid program, are exchanged by the same code: n differs between messages, and
// the layers do not. So layers that all messages along a side can have are known of each of them, also where few scales
// leave open what one of them grows with.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/equations/process_grid.h"
#include "loggp/phases/equations/relation.h"
#include "loggp/phases/equations/value_hypothesis.h"

namespace scalediag::loggp {

struct FaceDirection {
  core::GridKind grid = core::GridKind::kSpaceFalling;
  int side = 0;                    // that the messages go along
  bool is_between_levels = false;  // RelationKind::kCoarseGive and kCoarseTake
  auto operator<=>(const FaceDirection&) const = default;
};

// Nothing: the partner is no neighbour along one side of a box.
std::optional<FaceDirection> face_direction(const Relation& relation);

class FaceLayers {
 public:
  // The bytes of a message along the side. The same samples count once for a direction.
  void add(const FaceDirection& direction, const std::vector<ValueSample>& samples);

  struct Face {
    ValueHypothesis hypothesis;
    size_t met = 0;  // of what was added for the direction that the layers are of
  };
  // With the layers that most of what was added for the direction can have: at least two, and more than half of it; of
  // several such those with the smallest cells. Samples of one scale that were not added, of messages between levels,
  // are taken to have the layers of such messages along another side, else those of messages within levels, and as many
  // elements as one of these. Nothing:
  // there are none, or these samples are no face with them.
  std::optional<Face> face(const FaceDirection& direction, const std::vector<ValueSample>& samples) const;

 private:
  using Layers = std::array<int, 3>;  // by side; 0 along the message's own
  struct Agreed {
    Layers layers;
    size_t met = 0;
    std::set<int> elements;  // along a side, of those that have them
  };
  std::optional<Agreed> agreed(const FaceDirection& direction) const;
  std::vector<Agreed> assumed(const FaceDirection& direction) const;

  using Faces = std::map<Layers, ValueHypothesis>;
  std::map<FaceDirection, std::map<std::vector<ValueSample>, Faces>> known_;
};

}  // namespace scalediag::loggp
