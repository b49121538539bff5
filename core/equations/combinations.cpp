#include "core/equations/combinations.h"

#include <algorithm>
#include <cmath>

namespace scalediag::core {
std::optional<PerTerm> coefficients_of(const NormalEquations& equations, std::span<const size_t> chosen) {
  // A pivot near rounding: the terms cannot be told apart at these samples.
  constexpr double kDependent = 1e-10;
  const size_t n = chosen.size();
  // Scaled to a unit diagonal, since terms differ by many orders of magnitude; the right sides stand at [n].
  PerTerm scale{};
  std::array<std::array<double, kMostTerms + 1>, kMostTerms> rows{};
  for (size_t i = 0; i < n; ++i) {
    const double square = equations.gram[chosen[i]][chosen[i]];
    if (!(square > 0)) return std::nullopt;
    scale[i] = 1 / std::sqrt(square);
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < n; ++k) rows[i][k] = equations.gram[chosen[i]][chosen[k]] * scale[i] * scale[k];
    rows[i][n] = equations.right[chosen[i]] * scale[i];
  }
  // Such a matrix needs no exchange of rows.
  for (size_t i = 0; i < n; ++i) {
    if (!(rows[i][i] > kDependent)) return std::nullopt;
    for (size_t k = 0; k < n; ++k) {
      if (k == i) continue;
      const double factor = rows[k][i] / rows[i][i];
      for (size_t j = i; j <= n; ++j) rows[k][j] -= factor * rows[i][j];
    }
  }
  PerTerm found{};
  for (size_t i = 0; i < n; ++i) found[i] = rows[i][n] / rows[i][i] * scale[i];
  return found;
}

std::optional<Combination> combination_of(std::span<const size_t> terms, const std::vector<Column>& columns,
                                          const Column& values) {
  constexpr std::array<size_t, kMostTerms> kInOrder = {0, 1, 2};
  const auto unit_of = [](double value) { return value == 0 ? 1 : std::abs(value); };
  NormalEquations equations;
  for (size_t s = 0; s < values.size(); ++s) {
    PerTerm f{};
    for (size_t i = 0; i < terms.size(); ++i) f[i] = columns[terms[i]][s] / unit_of(values[s]);
    equations.add(f, 1, values[s] / unit_of(values[s]));
  }
  const auto solved = coefficients_of(equations, std::span(kInOrder).first(terms.size()));
  if (!solved) return std::nullopt;
  Combination made{{terms.begin(), terms.end()}, *solved, 0};
  for (size_t s = 0; s < values.size(); ++s) {
    double sum = 0;
    for (size_t i = 0; i < terms.size(); ++i) sum += made.coefficients[i] * columns[terms[i]][s];
    made.largest_deviation = std::max(made.largest_deviation, std::abs(sum - values[s]) / unit_of(values[s]));
  }
  return made;
}

void for_each_choice(std::span<const size_t> of, size_t n, const std::function<void(std::span<const size_t>)>& use) {
  std::vector<size_t> chosen;
  const auto choose = [&](const auto& self, size_t from) -> void {
    if (chosen.size() == n) return use(chosen);
    for (size_t i = from; i < of.size(); ++i) {
      chosen.push_back(of[i]);
      self(self, i + 1);
      chosen.pop_back();
    }
  };
  choose(choose, 0);
}

}  // namespace scalediag::core
