#include "loggp/phases/equations/value_hypothesis.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdio>
#include <map>
#include <utility>

#include "core/equations/combinations.h"
#include "core/equations/terms.h"
#include "core/regression.h"

namespace scalediag::loggp {
namespace {

// The elements of a box of cells along one side: of those that are at 0 .. side - 1.
struct CellSides {
  int elements = 1, side = 1;
  bool is_without_border = false;
  auto operator<=>(const CellSides&) const = default;
  int at(int cell) const {
    const int at_border = (cell == 0 ? 1 : 0) + (cell == side - 1 ? 1 : 0);
    return block_of(elements, side, cell) - (is_without_border ? at_border : 0);
  }
};

// The sum over c of the elements at c times those at (shift + turn c) modulo the side, for each shift.
double faces_over_cells(const CellSides& sides, int turn, int shift) {
  const auto sum = [&sides, turn](int shifted_by) {
    double faces = 0;
    int other = shifted_by;
    for (int c = 0; c < sides.side; ++c, other = core::around(other + turn, sides.side)) {
      faces += 1.0 * sides.at(c) * sides.at(other);
    }
    return faces;
  };
  constexpr int kShort = 64;  // sides that are summed as fast as they are looked up
  if (sides.side <= kShort) return sum(shift);
  // Of very many ranks each asks for the same few sums.
  constexpr size_t kMostKept = 64;
  thread_local std::map<std::pair<CellSides, int>, std::vector<double>> known;
  if (known.size() > kMostKept) known.clear();
  std::vector<double>& sums = known[{sides, turn}];
  for (int i = static_cast<int>(sums.size()); i < sides.side; ++i) sums.push_back(sum(i));
  return sums[static_cast<size_t>(shift)];
}

double faces_at(const ValueHypothesis::Cells& cells, int ranks, int rank, int round) {
  using Which = ValueHypothesis::Cells::Which;
  const core::ProcessGrid plane = process_grid(core::GridKind::kPlaneFalling, ranks);
  const std::array<int, 3> place = plane.coordinates(rank);
  const int side = plane.sides[0];
  const CellSides sides{cells.elements, side, cells.is_without_border};
  const auto axis = static_cast<size_t>(cells.axis);
  // Of the rank's cell in this layer: each layer has one.
  const auto face_in = [&](int layer) {
    const int c = axis == 2 ? layer : core::around(cells.turn[axis] * (layer - place[axis]), side);
    const std::array<int, 3> cell = {core::around(place[0] + cells.turn[0] * c, side),
                                     core::around(place[1] + cells.turn[1] * c, side), c};
    return 1.0 * sides.at(cell[(axis + 1) % 3]) * sides.at(cell[(axis + 2) % 3]);
  };
  if (cells.which == Which::kOfRound) {
    return cells.coefficient * face_in(core::around(cells.first + cells.step * round, side));
  }
  // Across axis 3 the two others are x + t c and y + u c, of which the second is y - u t x + u t (x + t c).
  const int both = cells.turn[0] * cells.turn[1];
  const double all = axis == 0   ? faces_over_cells(sides, cells.turn[1], place[1])
                     : axis == 1 ? faces_over_cells(sides, cells.turn[0], place[0])
                                 : faces_over_cells(sides, both, core::around(place[1] - both * place[0], side));
  return cells.coefficient * (all - face_in(cells.which == Which::kAllButFirst ? 0 : side - 1));
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string faces_text(const ValueHypothesis::Cells& cells) {
  using Which = ValueHypothesis::Cells::Which;
  const auto sign = [](int turn) { return turn > 0 ? "+" : "-"; };
  std::string text = number_text(cells.coefficient) + " (faces of " + std::to_string(cells.elements) +
                     "/side across axis " + std::to_string(cells.axis + 1) + " of the cells (x " + sign(cells.turn[0]) +
                     " c, y " + sign(cells.turn[1]) + " c, c) of a plane";
  if (cells.is_without_border) text += " without the border";
  if (cells.which == Which::kAllButFirst) return text + ", but the first)";
  if (cells.which == Which::kAllButLast) return text + ", but the last)";
  return text + ", in layer " + std::to_string(cells.first) + " " + sign(cells.step) + " round)";
}

double elements_at(const ValueHypothesis::Part& part, int ranks, int rank) {
  const core::ProcessGrid grid = process_grid(part.grid, ranks);
  const std::array<int, 3> place = grid.coordinates(rank);
  double value = part.coefficient;
  for (size_t side = 0; side < 3; ++side) {
    if (!part.is_along[side]) continue;
    const bool has_more =
        (part.more_of_first && place[side] == 0) || (part.more_of_last && place[side] == grid.sides[side] - 1);
    value *= block_of(part.elements, grid.sides[side], place[side]) + (has_more ? 1 : 0);
  }
  return value;
}

std::string part_text(const ValueHypothesis::Part& part) {
  std::string text = number_text(part.coefficient);
  for (int side = 0; side < 3; ++side) {
    if (!part.is_along[static_cast<size_t>(side)]) continue;
    text += " (block of " + std::to_string(part.elements) + " along " + core::side_text(part.grid, side) +
            (part.more_of_first  ? ", 1 more of the first)"
             : part.more_of_last ? ", 1 more of the last)"
                                 : ")");
  }
  return text;
}

std::string term_text(const ValueHypothesis::Term& term) {
  const core::RankTerm& t = core::rank_terms()[term.feature];
  const std::string number = number_text(term.coefficient);
  if (term.elements == 0) return number + t.text();
  const std::string n = std::to_string(term.elements);
  if (t.role() == core::Role::kShareOfSide) {
    return number + " (block of " + n + " along " + core::side_text(t.grid, t.side) + ")";
  }
  if (term.is_rounded_down) return number + " (" + n + "/P rounded down)";
  return number + " (" + n + "/P rounded up for the first ranks" +
         (term.of_rank < 0   ? ", of the rank before)"
          : term.of_rank > 0 ? ", of the next rank)"
                             : ")");
}

std::map<int, double> means_over_ranks(const std::vector<ValueSample>& samples) {
  std::map<int, std::pair<double, int>> sums;
  for (const ValueSample& sample : samples) {
    sums[sample.ranks].first += sample.value;
    ++sums[sample.ranks].second;
  }
  std::map<int, double> means;
  for (const auto& [ranks, sum] : sums) means[ranks] = sum.first / sum.second;
  return means;
}

size_t term_with_side(const core::RankTerm& wanted, int side) {
  const std::vector<core::RankTerm>& all = core::rank_terms();
  const auto found = std::find_if(all.begin(), all.end(), [&](const core::RankTerm& t) {
    return t.row == wanted.row && t.grid == wanted.grid && t.side == side;
  });
  return static_cast<size_t>(found - all.begin());
}

}  // namespace

int block_of(int elements, int parts, int at) { return elements / parts + (at < elements % parts ? 1 : 0); }

size_t term_of(core::Role role, core::GridKind grid, int side) {
  const std::vector<core::RankTerm>& all = core::rank_terms();
  const auto found = std::find_if(all.begin(), all.end(), [&](const core::RankTerm& t) {
    return t.role() == role && t.grid == grid && t.side == side;
  });
  return static_cast<size_t>(found - all.begin());
}

bool same_value(double value, double expected) {
  return std::fabs(value - expected) < 1e-6 * std::max(1.0, std::fabs(expected));
}

bool ValueHypothesis::Cells::can_go(const std::array<int, 3>& partner) const {
  const std::array<std::array<int, 3>, 3> next = {{{1, 0, 0}, {0, 1, 0}, {-turn[0], -turn[1], 0}}};
  const std::array<int, 3>& up = next[static_cast<size_t>(axis)];
  const std::array<int, 3> down = {-up[0], -up[1], 0};
  return (which != Which::kAllButFirst && partner == up) || (which != Which::kAllButLast && partner == down);
}

double ValueHypothesis::Face::at(const core::ProcessGrid& of_ranks, const std::array<int, 3>& place) const {
  double value = coefficient;
  for (size_t i = 0; i < 2; ++i) {
    const auto along = static_cast<size_t>(side[i]);
    const int parts = of_ranks.sides[along];
    const int block = is_rounded_down ? elements / parts : block_of(elements, parts, place[along]);
    // With fewer elements than ranks some ranks have one; the others have none, and nothing to send.
    value *= std::max(block, 1) + layers[i];
  }
  return value;
}

ValueHypothesis ValueHypothesis::constant(double value) {
  ValueHypothesis hypothesis;
  hypothesis.terms = {{0, value, 0}};
  return hypothesis;
}

double ValueHypothesis::at(int ranks, int rank, int round) const {
  if (!exact && terms.empty()) return factor * growth.at(ranks);
  if (cells) return faces_at(*cells, ranks, rank, round);
  if (part) return elements_at(*part, ranks, rank);
  if (face) {
    const core::ProcessGrid of_ranks = process_grid(face->grid, ranks);
    return face->at(of_ranks, of_ranks.coordinates(rank));
  }
  double sum = 0;
  for (const Term& term : terms) {
    const core::RankTerm& f = core::rank_terms()[term.feature];
    if (term.elements > 0 && f.role() == core::Role::kShareOfRanks) {
      const int place = core::around(rank + term.of_rank, ranks);
      sum += term.coefficient * (term.is_rounded_down ? term.elements / ranks : block_of(term.elements, ranks, place));
    } else if (term.elements > 0) {
      const core::ProcessGrid grid = process_grid(f.grid, ranks);
      const auto side = static_cast<size_t>(f.side);
      sum += term.coefficient * block_of(term.elements, grid.sides[side], grid.coordinates(rank)[side]);
    } else {
      sum += term.coefficient * f.at(ranks, rank);
    }
  }
  return sum;
}

size_t ValueHypothesis::free_coefficients() const {
  if (cells || part) return 2;
  if (face)
    return 2 + (face->layers[0] != 0 ? 1 : 0) + (face->layers[1] != 0 && face->side[0] != face->side[1] ? 1 : 0);
  if (terms.empty()) return 2;
  size_t n = terms.size();
  for (const Term& term : terms) n += term.elements > 0 ? 1 : 0;
  return n;
}

bool ValueHypothesis::meets(const std::vector<ValueSample>& samples) const {
  return std::all_of(samples.begin(), samples.end(),
                     [&](const ValueSample& s) { return same_value(at(s.ranks, s.rank, s.round), s.value); });
}

std::string ValueHypothesis::formula() const {
  if (!exact && terms.empty()) return "about " + number_text(factor) + " P^" + number_text(growth.power);
  if (cells) return faces_text(*cells);
  if (part) return part_text(*part);
  if (face) {
    std::string text = number_text(face->coefficient);
    for (size_t i = 0; i < 2; ++i) {
      text += " (block of " + std::to_string(face->elements) + " along " + core::side_text(face->grid, face->side[i]);
      if (face->layers[i] != 0)
        text += (face->layers[i] > 0 ? " + " : " - ") + std::to_string(std::abs(face->layers[i]));
      text += face->is_rounded_down ? ", rounded down)" : ")";
    }
    return text;
  }
  std::string text;
  for (const Term& term : terms) text += (text.empty() ? "" : " + ") + term_text(term);
  return (exact ? "" : "about ") + (text.empty() ? "0" : text);
}

ValueHypothesis ValueHypothesis::with_sides(const std::array<int, 3>& order) const {
  ValueHypothesis turned = *this;
  for (Term& term : turned.terms) {
    const core::RankTerm& f = core::rank_terms()[term.feature];
    if (f.grid == core::GridKind::kLine || process_grid(f.grid, 1).dimensions <= order[static_cast<size_t>(f.side)])
      continue;
    if (core::is_of_side(f.role())) term.feature = term_with_side(f, order[static_cast<size_t>(f.side)]);
  }
  if (turned.face) {
    for (int& side : turned.face->side) side = order[static_cast<size_t>(side)];
  }
  return turned;
}

ValueHypothesis power_hypothesis(const std::vector<ValueSample>& samples) {
  const std::map<int, double> means = means_over_ranks(samples);
  std::vector<double> x, y;
  double mean = 0;
  for (const auto& [ranks, value] : means) {
    mean += value / static_cast<double>(means.size());
    if (value <= 0) continue;
    x.push_back(std::log(ranks));
    y.push_back(std::log(value));
  }
  ValueHypothesis hypothesis;
  hypothesis.exact = false;
  hypothesis.factor = mean;
  if (x.size() < means.size()) return hypothesis;
  if (const auto line = core::line_through(x, y)) {
    hypothesis.growth.power = line->slope;
    hypothesis.factor = std::exp(line->mean_y - line->slope * line->mean_x);
  }
  return hypothesis;
}

ValueHypothesis power_hypothesis(const std::vector<ValueSample>& samples, double most) {
  ValueHypothesis power = power_hypothesis(samples);
  const core::Growth growth = {std::min(power.growth.power, most)};
  if (growth == power.growth) return power;
  const auto [ranks, mean] = *means_over_ranks(samples).rbegin();
  power.growth = growth;
  power.factor = mean / growth.at(ranks);
  return power;
}

ValueHypothesis divided_hypothesis(const std::vector<ValueSample>& samples, double most) {
  const std::map<int, double> means = means_over_ranks(samples);
  const ValueHypothesis power = power_hypothesis(samples, most);
  const bool is_positive = std::all_of(means.begin(), means.end(), [](const auto& mean) { return mean.second > 0; });
  if (means.size() < 2 || !is_positive) return power;
  std::vector<core::Column> columns(2);
  core::Column values;
  for (const auto& [ranks, mean] : means) {
    columns[0].push_back(1);
    columns[1].push_back(1.0 / ranks);
    values.push_back(mean);
  }
  const auto sum = core::combination_of(std::array<size_t, 2>{0, 1}, columns, values);
  if (!sum || !(sum->coefficients[1] > 0)) return power;
  double repeated = sum->coefficients[0], divided = sum->coefficients[1];
  if (!(repeated > 0)) {
    repeated = 0;
    divided = means.rbegin()->second * means.rbegin()->first;
  }
  ValueHypothesis hypothesis;
  hypothesis.exact = false;
  hypothesis.terms = {{0, repeated, 0}, {term_of(core::Role::kShareOfRanks, core::GridKind::kLine, 0), divided, 0}};
  return hypothesis;
}

ValueHypothesis regression_hypothesis(const std::vector<ValueSample>& samples) {
  constexpr double kMostMissed = 1e-3, kRoundingNoise = 1e-9;
  const std::map<int, double> means = means_over_ranks(samples);
  ValueHypothesis closest = power_hypothesis(samples);
  if (means.size() < 3) return closest;
  double least_missed = kMostMissed;
  for (size_t i = 0; i < core::rank_terms().size(); ++i) {
    const core::RankTerm& term = core::rank_terms()[i];
    if (core::is_of_side(term.role()) || term.role() == core::Role::kConstant) continue;
    std::vector<double> x, y;
    for (const auto& [ranks, value] : means) {
      x.push_back(term.at(ranks, 0));
      y.push_back(value);
    }
    const auto line = core::line_through(x, y);
    if (!line) continue;
    double missed = 0;
    for (size_t s = 0; s < x.size(); ++s) {
      const double told = line->mean_y + line->slope * (x[s] - line->mean_x);
      missed = std::max(missed, std::fabs(told - y[s]) / std::fabs(y[s]));
    }
    if (!(missed < least_missed)) continue;
    least_missed = missed;
    closest = {};
    closest.exact = false;
    closest.terms = {{i, line->slope, 0}};
    // What is left of the difference of two equal numbers is no term.
    const double at_zero = line->mean_y - line->slope * line->mean_x;
    if (std::fabs(at_zero) > kRoundingNoise * std::fabs(line->mean_y)) {
      closest.terms.insert(closest.terms.begin(), {0, at_zero, 0});
    }
  }
  return closest;
}

}  // namespace scalediag::loggp
