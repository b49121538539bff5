#include "loggp/phases/equations/rank_deviation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace scalediag::loggp {
namespace {

using PlaceTerm = RankDeviation::Term;
using Values = std::vector<double>;

constexpr size_t kMostPlaceTerms = 4;
// A term is taken that leaves at most this part of the sum of squares, and for each degree of freedom that is left at
// most one part in kLeastRatio of what it explains; differences below the least one are left alone.
constexpr double kMostLeft = 0.5, kLeastRatio = 20, kLeastPlaceDifference = 1e-3;
// Values beyond the number of scales and terms.
constexpr size_t kFewestDegreesLeft = 2;

std::vector<PlaceTerm> place_terms(core::GridKind grid) {
  const auto dimensions = static_cast<unsigned>(process_grid(grid, 1).dimensions);
  const unsigned all = (1U << dimensions) - 1;
  std::vector<PlaceTerm> terms;
  const auto add = [&](unsigned sides, unsigned over) {
    for (const auto kind : {PlaceTerm::Kind::kEnds, PlaceTerm::Kind::kFirst, PlaceTerm::Kind::kLast}) {
      terms.push_back({kind, sides, over});
    }
  };
  if (dimensions > 1) add(all, all);
  if (dimensions > 1) add(all, 0);
  for (unsigned side = 0; side < dimensions; ++side) {
    for (unsigned over = all + 1; over-- > 0;) {
      if ((over >> side & 1U) == 0) add(1U << side, over);
    }
  }
  if (dimensions == 2) terms.push_back({PlaceTerm::Kind::kDiagonal, 0, 0});
  return terms;
}

// Subtracts from each value the mean over its number of ranks, and divides it by `scale` of its sample.
Values centred(Values values, const std::vector<ValueSample>& samples, const Values& scale) {
  std::map<int, std::pair<double, double>> sums;
  for (size_t i = 0; i < samples.size(); ++i) {
    auto& [sum, n] = sums[samples[i].ranks];
    sum += values[i];
    ++n;
  }
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto& [sum, n] = sums.at(samples[i].ranks);
    values[i] = (values[i] - sum / n) / scale[i];
  }
  return values;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// A basis of the columns that were taken, each without its part along those before it.
class Basis {
 public:
  // What of `column` the basis does not have; nothing where that is next to nothing.
  std::optional<Values> beyond(Values column) const {
    const double all = dot(column, column);
    for (const Values& known : columns_) {
      const double part = dot(column, known) / dot(known, known);
      for (size_t i = 0; i < column.size(); ++i) column[i] -= part * known[i];
    }
    if (!(dot(column, column) > 1e-9 * all)) return std::nullopt;
    return column;
  }
  void add(Values column) { columns_.push_back(std::move(column)); }
  const std::vector<Values>& columns() const { return columns_; }

 private:
  std::vector<Values> columns_;
};

}  // namespace

double RankDeviation::Term::at(const core::ProcessGrid& grid, int rank) const {
  const std::array<int, 3> place = grid.coordinates(rank);
  if (kind == Kind::kDiagonal) {
    const auto begin = [&](size_t i) { return 1.0 * place[i] / grid.sides[i]; };
    const auto end = [&](size_t i) { return (place[i] + 1.0) / grid.sides[i]; };
    return std::max(0.0, std::min(end(0), end(1)) - std::max(begin(0), begin(1)));
  }
  double sum = 0;
  for (unsigned side = 0; side < 3; ++side) {
    if ((sides >> side & 1U) == 0) continue;
    double ends = 0;
    if (kind != Kind::kLast && place[side] == 0) ++ends;
    if (kind != Kind::kFirst && place[side] == grid.sides[side] - 1) ++ends;
    for (unsigned other = 0; other < 3; ++other) {
      if (other != side && (over >> other & 1U) != 0) ends /= grid.sides[other];
    }
    sum += ends;
  }
  return sum;
}

RankDeviation RankDeviation::of(const std::vector<ValueSample>& samples, core::GridKind grid) {
  RankDeviation made;
  made.grid_ = grid;
  std::map<int, std::pair<double, double>> sums;
  Values values;
  for (const ValueSample& sample : samples) {
    values.push_back(sample.value);
    auto& [sum, n] = sums[sample.ranks];
    sum += sample.value;
    ++n;
  }
  // Differences are relative to the mean of the same number of ranks.
  Values scale;
  for (const ValueSample& sample : samples) {
    const auto& [sum, n] = sums.at(sample.ranks);
    if (!(sum > 0)) return made;
    scale.push_back(sum / n);
  }
  Values left = centred(std::move(values), samples, scale);
  const std::vector<PlaceTerm> terms = place_terms(grid);
  std::vector<Values> columns;
  for (const PlaceTerm& term : terms) {
    Values column;
    for (const ValueSample& sample : samples) column.push_back(term.at(process_grid(grid, sample.ranks), sample.rank));
    columns.push_back(centred(std::move(column), samples, scale));
  }
  Basis basis;
  std::vector<size_t> taken;
  std::vector<double> parts;  // of the values along each column of the basis
  while (taken.size() < kMostPlaceTerms && samples.size() >= sums.size() + taken.size() + 1 + kFewestDegreesLeft) {
    const auto degrees = static_cast<double>(samples.size() - sums.size() - taken.size() - 1);
    const double largest = std::accumulate(left.begin(), left.end(), 0.0,
                                           [](double most, double v) { return std::max(most, std::fabs(v)); });
    if (largest < kLeastPlaceDifference) break;
    std::optional<size_t> best;
    double most = (1 - std::min(kMostLeft, degrees / (degrees + kLeastRatio))) * dot(left, left);
    for (size_t t = 0; t < terms.size(); ++t) {
      const auto beyond = basis.beyond(columns[t]);
      if (!beyond) continue;
      const double explained = std::pow(dot(left, *beyond), 2) / dot(*beyond, *beyond);
      if (explained <= most * (1 + 1e-9)) continue;  // of those that explain as much, the first
      most = explained;
      best = t;
    }
    if (!best) break;
    Values next = *basis.beyond(columns[*best]);
    parts.push_back(dot(left, next) / dot(next, next));
    for (size_t i = 0; i < left.size(); ++i) left[i] -= parts.back() * next[i];
    basis.add(std::move(next));
    taken.push_back(*best);
  }
  // From the basis back to the columns: the last one is only in the last of the basis.
  made.coefficients_.assign(taken.size(), 0);
  for (size_t k = taken.size(); k-- > 0;) {
    double coefficient = parts[k];
    const Values& direction = basis.columns()[k];
    for (size_t later = k + 1; later < taken.size(); ++later) {
      coefficient -= made.coefficients_[later] * dot(columns[taken[later]], direction) / dot(direction, direction);
    }
    made.coefficients_[k] = coefficient;
  }
  for (const size_t t : taken) made.terms_.push_back(terms[t]);
  return made;
}

std::vector<double> RankDeviation::at(int ranks) const {
  std::vector<double> all(static_cast<size_t>(ranks), 0.0);
  const core::ProcessGrid grid = process_grid(grid_, ranks);
  for (size_t k = 0; k < terms_.size(); ++k) {
    double sum = 0;
    for (int rank = 0; rank < ranks; ++rank) sum += terms_[k].at(grid, rank);
    for (int rank = 0; rank < ranks; ++rank) {
      all[static_cast<size_t>(rank)] += coefficients_[k] * (terms_[k].at(grid, rank) - sum / ranks);
    }
  }
  return all;
}

}  // namespace scalediag::loggp
