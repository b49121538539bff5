#include "core/equations/combinations.h"

#include <algorithm>
#include <cmath>

namespace scalediag::core {
std::optional<PerTerm> parts_of(const NormalEquations& equations, std::span<const size_t> chosen) {
  // A pivot near rounding: the terms cannot be told apart at these samples.
  constexpr double kDependent = 1e-10;
  const size_t n = chosen.size();
  PerTerm scale{}, x{};
  std::array<PerTerm, kMostTerms> a{};
  for (size_t i = 0; i < n; ++i) {
    if (!(equations.gram[chosen[i]][chosen[i]] > 0)) return std::nullopt;
    scale[i] = equations.scale(chosen[i]);
    x[i] = equations.right[chosen[i]] * scale[i];
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < n; ++k) a[i][k] = equations.gram[chosen[i]][chosen[k]] * scale[i] * scale[k];
  }
  // Cholesky.
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j) {
      double sum = a[i][j];
      for (size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = sum / a[j][j];
    }
    double pivot = a[i][i];
    for (size_t k = 0; k < i; ++k) pivot -= a[i][k] * a[i][k];
    if (pivot < kDependent) return std::nullopt;
    a[i][i] = std::sqrt(pivot);
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) x[i] -= a[k][i] * x[k];
    x[i] /= a[i][i];
  }
  return x;
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
  const auto parts = parts_of(equations, std::span(kInOrder).first(terms.size()));
  if (!parts) return std::nullopt;
  Combination made{{terms.begin(), terms.end()}, {}, 0};
  for (size_t i = 0; i < terms.size(); ++i) made.coefficients[i] = (*parts)[i] * equations.scale(i);
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
