#include "loggp/phases/equations/face_layers.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace scalediag::loggp {
namespace {

constexpr int kMostCells = 2048;  // along a side
constexpr int kMostFaceLayers = 2;

// Where a rank's block lies across the message's side, and what was measured there.
struct FacePlace {
  core::ProcessGrid grid;
  std::array<int, 3> at = {};
  double value = 0;
};

std::vector<FacePlace> face_places(const FaceDirection& direction, const std::vector<ValueSample>& samples) {
  std::vector<FacePlace> places;
  std::set<std::tuple<int, std::array<int, 3>, double>> known;
  for (const ValueSample& sample : samples) {
    FacePlace place{process_grid(direction.grid, sample.ranks), {}, sample.value};
    place.at = place.grid.coordinates(sample.rank);
    place.at[static_cast<size_t>(direction.side)] = 0;
    if (known.insert({sample.ranks, place.at, sample.value}).second) places.push_back(place);
  }
  return places;
}

// The largest element of 1, 2, 4 or 8 bytes that all are multiples of.
double cell_bytes_of(const std::vector<ValueSample>& samples) {
  double element = 8;
  for (const ValueSample& sample : samples) {
    while (element > 1 && std::fmod(sample.value, element) != 0) element /= 2;
  }
  return element;
}

// Of even blocks any part of the elements meets the samples as well, with a larger coefficient: the largest number of
// elements, from `most` to `least`, comes first. `layers`: by side.
std::optional<ValueHypothesis> face_with(const FaceDirection& direction, const std::array<int, 3>& layers,
                                         const std::vector<FacePlace>& places, double cell_bytes, int most = kMostCells,
                                         int least = 1) {
  const std::array<int, 2> sides = {direction.side == 0 ? 1 : 0, direction.side == 2 ? 1 : 2};
  ValueHypothesis::Face face{direction.grid, sides};
  face.layers = {layers[static_cast<size_t>(sides[0])], layers[static_cast<size_t>(sides[1])]};
  for (face.elements = most; face.elements >= least; --face.elements) {
    face.coefficient = 1;
    const double coefficient = places.front().value / face.at(places.front().grid, places.front().at);
    face.coefficient = std::round(coefficient);
    if (face.coefficient < 1 || !same_value(coefficient, face.coefficient)) continue;
    const bool is_met = std::fmod(face.coefficient, cell_bytes) == 0 &&
                        std::all_of(places.begin(), places.end(), [&](const FacePlace& place) {
                          return same_value(face.at(place.grid, place.at), place.value);
                        });
    if (!is_met) continue;
    ValueHypothesis hypothesis;
    hypothesis.face = face;
    return hypothesis;
  }
  return std::nullopt;
}

}  // namespace

std::optional<FaceDirection> face_direction(const Relation& relation) {
  if (process_grid(relation.grid, 1).dimensions != 3) return std::nullopt;
  if (is_coarse(relation)) return FaceDirection{relation.grid, relation.side, relation.kind != RelationKind::kCoarse};
  if (relation.kind != RelationKind::kOffset) return std::nullopt;
  std::optional<FaceDirection> direction;
  for (int side = 0; side < 3; ++side) {
    const int step = relation.step[static_cast<size_t>(side)];
    if (step == 0) continue;
    if (direction || std::abs(step) != 1) return std::nullopt;
    direction = FaceDirection{relation.grid, side, false};
  }
  return direction;
}

void FaceLayers::add(const FaceDirection& direction, const std::vector<ValueSample>& samples) {
  const auto [at, is_new] = known_[direction].try_emplace(samples);
  if (!is_new) return;
  const std::vector<FacePlace> places = face_places(direction, samples);
  const double cell_bytes = cell_bytes_of(samples);
  const auto most = [&](int side) { return side == direction.side ? 0 : kMostFaceLayers; };
  Layers layers = {};
  for (layers[0] = 0; layers[0] <= most(0); ++layers[0]) {
    for (layers[1] = 0; layers[1] <= most(1); ++layers[1]) {
      for (layers[2] = 0; layers[2] <= most(2); ++layers[2]) {
        if (auto found = face_with(direction, layers, places, cell_bytes))
          at->second.emplace(layers, std::move(*found));
      }
    }
  }
}

std::optional<FaceLayers::Agreed> FaceLayers::agreed(const FaceDirection& direction) const {
  const auto along = known_.find(direction);
  if (along == known_.end()) return std::nullopt;
  std::map<Layers, std::pair<size_t, double>> possible;  // how many have them, and less the bytes of all their cells
  for (const auto& [samples, faces] : along->second) {
    for (const auto& [layers, hypothesis] : faces) {
      ++possible[layers].first;
      possible[layers].second -= hypothesis.face->coefficient;
    }
  }
  const auto best = std::max_element(possible.begin(), possible.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (best == possible.end()) return std::nullopt;
  const size_t met = best->second.first;
  if (met < 2 || 2 * met <= along->second.size()) return std::nullopt;
  Agreed agreed{best->first, met, {}};
  for (const auto& [samples, faces] : along->second) {
    if (const auto face = faces.find(best->first); face != faces.end()) {
      agreed.elements.insert(face->second.face->elements);
    }
  }
  return agreed;
}

std::vector<FaceLayers::Agreed> FaceLayers::assumed(const FaceDirection& direction) const {
  std::vector<Agreed> all;
  if (!direction.is_between_levels) return all;
  for (int i = 0; i < 3; ++i) {
    const int side = (direction.side + i) % 3;
    auto found = agreed({direction.grid, side, true});
    if (!found) continue;
    found->layers[static_cast<size_t>(side)] = std::exchange(found->layers[static_cast<size_t>(direction.side)], 0);
    all.push_back(*found);
  }
  if (const auto within = agreed({direction.grid, direction.side, false})) all.push_back(*within);
  return all;
}

std::optional<FaceLayers::Face> FaceLayers::face(const FaceDirection& direction,
                                                 const std::vector<ValueSample>& samples) const {
  if (const auto along = known_.find(direction); along != known_.end()) {
    if (const auto own = along->second.find(samples); own != along->second.end()) {
      const auto layers = agreed(direction);
      const auto found = layers ? own->second.find(layers->layers) : own->second.end();
      return found == own->second.end() ? std::nullopt : std::optional(Face{found->second, layers->met});
    }
  }
  if (samples.empty() || samples.front().ranks != samples.back().ranks) return std::nullopt;
  for (const Agreed& of_others : assumed(direction)) {
    // Of the elements that others have along a side, since one scale leaves open how many there are.
    for (auto n = of_others.elements.rbegin(); n != of_others.elements.rend(); ++n) {
      auto found =
          face_with(direction, of_others.layers, face_places(direction, samples), cell_bytes_of(samples), *n, *n);
      if (found) return Face{std::move(*found), of_others.met};
    }
  }
  return std::nullopt;
}

}  // namespace scalediag::loggp
