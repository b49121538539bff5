#include "loggp/phases/value_hypothesis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/regression.h"

namespace scalediag::loggp {
namespace {

struct Feature {
  std::string text;
  double (*value)(int ranks, int rank, int grid, int side);
  int grid = 0, side = 0;
};

ProcessGrid grid_of(int kind, int ranks) { return process_grid(static_cast<GridKind>(kind), ranks); }

std::vector<Feature> make_features() {
  std::vector<Feature> all = {
      {"", [](int, int, int, int) { return 1.0; }},
      {"/P", [](int p, int, int, int) { return 1.0 / p; }},
      {" P", [](int p, int, int, int) { return 1.0 * p; }},
      {" log2 P", [](int p, int, int, int) { return std::log2(p); }},
      {" sqrt P", [](int p, int, int, int) { return std::sqrt(p); }},
      {"/sqrt P", [](int p, int, int, int) { return 1 / std::sqrt(p); }},
      {"/P^2", [](int p, int, int, int) { return 1.0 / p / p; }},
      {" P^(1/3)", [](int p, int, int, int) { return std::cbrt(p); }},
      {"/P^(1/3)", [](int p, int, int, int) { return 1 / std::cbrt(p); }},
      {"/P^(2/3)", [](int p, int, int, int) { return 1 / std::cbrt(p) / std::cbrt(p); }},
  };
  for (int grid = 1; grid < kGridKinds; ++grid) {
    const int sides = grid_of(grid, 1).dimensions;
    for (int side = 0; side < sides; ++side) {
      const std::string name = " side " + std::to_string(side + 1) + " of a " + name_of(static_cast<GridKind>(grid));
      all.push_back({"/" + name.substr(1),
                     [](int p, int, int g, int s) { return 1.0 / grid_of(g, p).sides[static_cast<size_t>(s)]; }, grid,
                     side});
      all.push_back({name, [](int p, int, int g, int s) { return 1.0 * grid_of(g, p).sides[static_cast<size_t>(s)]; },
                     grid, side});
      if (sides == 3) {
        all.push_back({"/ product of sides but" + name,
                       [](int p, int, int g, int s) { return 1.0 * grid_of(g, p).sides[static_cast<size_t>(s)] / p; },
                       grid, side});
      }
    }
  }
  // Places last: a hypothesis without them is preferred.
  for (int grid = 0; grid < kGridKinds; ++grid) {
    for (int side = 0; side < grid_of(grid, 1).dimensions; ++side) {
      const std::string name =
          " along side " + std::to_string(side + 1) + " of a " + name_of(static_cast<GridKind>(grid));
      all.push_back({" [first" + name + "]",
                     [](int p, int r, int g, int s) {
                       return grid_of(g, p).coordinates(r)[static_cast<size_t>(s)] == 0 ? 1.0 : 0.0;
                     },
                     grid, side});
      all.push_back({" [last" + name + "]",
                     [](int p, int r, int g, int s) {
                       const ProcessGrid made = grid_of(g, p);
                       const auto i = static_cast<size_t>(s);
                       return made.coordinates(r)[i] == made.sides[i] - 1 ? 1.0 : 0.0;
                     },
                     grid, side});
    }
  }
  return all;
}

const std::vector<Feature>& features() {
  static const std::vector<Feature> all = make_features();
  return all;
}

double feature_at(size_t feature, int ranks, int rank) {
  const Feature& f = features()[feature];
  return f.value(ranks, rank, f.grid, f.side);
}

bool meets(double value, double expected) {
  return std::fabs(value - expected) < 1e-6 * std::max(1.0, std::fabs(expected));
}

// The coefficients of n columns that meet all values; nothing where they are dependent or do not. The tables are small:
// normal equations with pivoting.
std::optional<std::vector<double>> solve(const std::vector<const std::vector<double>*>& columns,
                                         const std::vector<double>& values) {
  const size_t n = columns.size();
  std::array<std::array<double, 4>, 3> m{};
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < values.size(); ++k) {
      for (size_t j = 0; j < n; ++j) m[i][j] += (*columns[i])[k] * (*columns[j])[k];
      m[i][3] += (*columns[i])[k] * values[k];
    }
  }
  for (size_t i = 0; i < n; ++i) {
    size_t pivot = i;
    for (size_t j = i + 1; j < n; ++j) {
      if (std::fabs(m[j][i]) > std::fabs(m[pivot][i])) pivot = j;
    }
    if (std::fabs(m[pivot][i]) < 1e-9) return std::nullopt;
    std::swap(m[i], m[pivot]);
    for (size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      const double factor = m[j][i] / m[i][i];
      for (size_t k = 0; k < 4; ++k) m[j][k] -= factor * m[i][k];
    }
  }
  std::vector<double> result(n);
  for (size_t i = 0; i < n; ++i) result[i] = m[i][3] / m[i][i];
  for (size_t k = 0; k < values.size(); ++k) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += result[i] * (*columns[i])[k];
    if (!meets(sum, values[k])) return std::nullopt;
  }
  return result;
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace

ValueHypothesis ValueHypothesis::constant(double value) {
  ValueHypothesis hypothesis;
  hypothesis.terms = {{0, value}};
  return hypothesis;
}

double ValueHypothesis::at(int ranks, int rank) const {
  if (!exact) return factor * std::pow(ranks, exponent);
  double sum = 0;
  for (const Term& term : terms) sum += term.coefficient * feature_at(term.feature, ranks, rank);
  return sum;
}

std::string ValueHypothesis::formula() const {
  if (!exact) return "about " + number_text(factor) + " P^" + number_text(exponent);
  std::string text;
  for (const Term& term : terms) {
    text += (text.empty() ? "" : " + ") + number_text(term.coefficient) + features()[term.feature].text;
  }
  return text.empty() ? "0" : text;
}

std::optional<ValueHypothesis> exact_value_hypothesis(const std::vector<ValueSample>& samples, GridKind grid) {
  if (samples.empty()) return std::nullopt;
  if (std::all_of(samples.begin(), samples.end(),
                  [&](const ValueSample& s) { return meets(s.value, samples.front().value); })) {
    return ValueHypothesis::constant(samples.front().value);
  }
  std::set<int> scales;
  for (const ValueSample& sample : samples) scales.insert(sample.ranks);
  // One sample of each scale and set of features is enough to solve; all have to be met.
  std::vector<std::vector<double>> columns(features().size());
  std::vector<double> values;
  for (const ValueSample& sample : samples) {
    values.push_back(sample.value);
    for (size_t f = 0; f < features().size(); ++f) columns[f].push_back(feature_at(f, sample.ranks, sample.rank));
  }
  // More different rows than terms.
  const auto is_determined = [&](const std::vector<size_t>& chosen) {
    std::set<std::vector<double>> rows;
    for (size_t k = 0; k < values.size(); ++k) {
      std::vector<double> row;
      for (const size_t f : chosen) row.push_back(columns[f][k]);
      rows.insert(std::move(row));
      if (rows.size() > chosen.size()) return true;
    }
    return false;
  };
  const auto hypothesis_of = [&](const std::vector<size_t>& chosen) -> std::optional<ValueHypothesis> {
    std::vector<const std::vector<double>*> used;
    for (const size_t f : chosen) used.push_back(&columns[f]);
    const auto found = solve(used, values);
    if (!found || !is_determined(chosen)) return std::nullopt;
    ValueHypothesis hypothesis;
    for (size_t i = 0; i < chosen.size(); ++i) hypothesis.terms.push_back({chosen[i], (*found)[i]});
    return hypothesis;
  };
  // A constant, then the terms of the grid, then all others.
  std::vector<size_t> order(features().size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin() + 1, order.end(), [grid](size_t a, size_t b) {
    const auto is_other = [grid](size_t f) {
      return grid == GridKind::kLine || features()[f].grid != static_cast<int>(grid);
    };
    return is_other(a) < is_other(b);
  });
  const size_t n = order.size();
  for (size_t i = 0; i < n; ++i) {
    if (auto hypothesis = hypothesis_of({order[i]})) return hypothesis;
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      if (auto hypothesis = hypothesis_of({order[i], order[j]})) return hypothesis;
    }
  }
  // Three terms only of one grid.
  size_t n_own = 1;
  while (n_own < n && grid != GridKind::kLine && features()[order[n_own]].grid == static_cast<int>(grid)) ++n_own;
  for (size_t i = 0; i < n_own; ++i) {
    for (size_t j = i + 1; j < n_own; ++j) {
      for (size_t k = j + 1; k < n_own; ++k) {
        if (auto hypothesis = hypothesis_of({order[i], order[j], order[k]})) return hypothesis;
      }
    }
  }
  return std::nullopt;
}

ValueHypothesis power_hypothesis(const std::vector<ValueSample>& samples) {
  std::map<int, std::pair<double, int>> sums;
  for (const ValueSample& sample : samples) {
    sums[sample.ranks].first += sample.value;
    ++sums[sample.ranks].second;
  }
  std::vector<double> x, y;
  double mean = 0;
  for (const auto& [ranks, sum] : sums) {
    const double value = sum.first / sum.second;
    mean += value / static_cast<double>(sums.size());
    if (value <= 0) continue;
    x.push_back(std::log(ranks));
    y.push_back(std::log(value));
  }
  ValueHypothesis hypothesis;
  hypothesis.exact = false;
  hypothesis.factor = mean;
  if (x.size() < sums.size()) return hypothesis;
  if (const auto line = core::line_through(x, y)) {
    hypothesis.exponent = line->slope;
    hypothesis.factor = std::exp(line->mean_y - line->slope * line->mean_x);
  }
  return hypothesis;
}

}  // namespace scalediag::loggp
