#include "loggp/phases/equations/tag_hypothesis.h"

#include <algorithm>

#include "core/equations/process_grid.h"

namespace scalediag::loggp {
namespace {

int part_at(const std::array<int, 4>& part, const std::array<int, 3>& place, int round, int side) {
  return core::around(part[0] * place[0] + part[1] * place[1] + part[2] * round + part[3], side);
}

}  // namespace

TagHypothesis TagHypothesis::constant(int tag) {
  TagHypothesis hypothesis;
  hypothesis.base_ = tag;
  return hypothesis;
}

int TagHypothesis::at(int ranks, int rank, int round) const {
  if (!modular_) return base_;
  const core::ProcessGrid plane = process_grid(core::GridKind::kPlaneFalling, ranks);
  const int side = plane.sides[0];
  const std::array<int, 3> place = {rank % side, rank / side, 0};
  return base_ + part_at(column_, place, round, side) + side * part_at(row_, place, round, side);
}

std::optional<TagHypothesis> tag_hypothesis(const std::vector<TagSample>& samples) {
  TagHypothesis hypothesis = TagHypothesis::constant(samples.front().tag);
  const auto is_constant = [&](const TagSample& s) { return s.tag == hypothesis.base_; };
  if (std::all_of(samples.begin(), samples.end(), is_constant)) return hypothesis;
  struct Sampled {
    std::array<int, 3> at;
    int side, round, tag;
  };
  std::vector<Sampled> places;
  for (const TagSample& s : samples) {
    const core::ProcessGrid plane = process_grid(core::GridKind::kPlaneFalling, s.ranks);
    if (plane.sides[0] != plane.sides[1]) return std::nullopt;
    places.push_back({plane.coordinates(s.rank), plane.sides[0], s.round, s.tag});
  }
  // The largest side tells most: what is wrong shows early.
  std::stable_sort(places.begin(), places.end(), [](const Sampled& a, const Sampled& b) { return a.side > b.side; });
  std::vector<TagHypothesis::Part> parts;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int k = -1; k <= 1; ++k) {
        for (int c = -2; c <= 2; ++c) parts.push_back({x, y, k, c});
      }
    }
  }
  hypothesis.modular_ = true;
  for (const TagHypothesis::Part& column : parts) {
    for (const TagHypothesis::Part& row : parts) {
      const auto offset = [&](const Sampled& p) {
        return part_at(column, p.at, p.round, p.side) + p.side * part_at(row, p.at, p.round, p.side);
      };
      hypothesis.base_ = places.front().tag - offset(places.front());
      if (!std::all_of(places.begin(), places.end(),
                       [&](const Sampled& p) { return p.tag == hypothesis.base_ + offset(p); })) {
        continue;
      }
      hypothesis.column_ = column;
      hypothesis.row_ = row;
      return hypothesis;
    }
  }
  return std::nullopt;
}

}  // namespace scalediag::loggp
