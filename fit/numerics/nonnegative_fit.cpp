#include "fit/numerics/nonnegative_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace scalediag::fit {
namespace {

// A determinant, relative to its diagonal, near rounding: the terms cannot be told apart at these scales.
constexpr double kDependent = 1e-10;
// The coefficient, relative to the others, below which a term counts as absent: rounding leaves as much.
constexpr double kNothing = 1e-9;

// Least squares with the chosen terms alone; false where they are not independent or a coefficient is negative.
bool solve_subset(const NormalEquations& n, std::span<const size_t> chosen, NonnegativeSolution* out) {
  const auto x = core::parts_of(n, chosen);
  if (!x) return false;
  const double largest = *std::max_element(x->begin(), x->begin() + static_cast<std::ptrdiff_t>(chosen.size()));
  NonnegativeSolution s;
  for (size_t i = 0; i < chosen.size(); i++) {
    const double part = (*x)[i], scale = n.scale(chosen[i]);
    if (std::abs(part) < kNothing * largest) continue;
    if (part < 0) return false;
    s.c[chosen[i]] = part * scale;
    s.gain += part * (n.right[chosen[i]] * scale);
  }
  *out = s;
  return true;
}

// The solution of two terms in closed form: nearly all hypotheses have two, and it is needed dozens of times a curve.
NonnegativeSolution solve_pair(const NormalEquations& n) {
  NonnegativeSolution s;
  const double a = n.gram[0][0], b = n.gram[0][1], d = n.gram[1][1];
  const double determinant = a * d - b * b;
  if (determinant > kDependent * a * d) {
    const double first = n.right[0] * d - n.right[1] * b;
    const double second = n.right[1] * a - n.right[0] * b;
    // In units of each term's contribution, rounding leaves a little of a term that is absent.
    const double nothing = kNothing * std::max(first * std::sqrt(a), second * std::sqrt(d));
    if (first * std::sqrt(a) > nothing && second * std::sqrt(d) > nothing) {
      s.c = {first / determinant, second / determinant, 0};
      s.gain = s.c[0] * n.right[0] + s.c[1] * n.right[1];
      return s;
    }
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!(n.gram[i][i] > 0) || !(n.right[i] > 0)) continue;
    const double gain = n.right[i] * n.right[i] / n.gram[i][i];
    if (gain <= s.gain) continue;
    s.gain = gain;
    s.c = {};
    s.c[i] = n.right[i] / n.gram[i][i];
  }
  return s;
}

}  // namespace

NonnegativeSolution solve_nonnegative(const NormalEquations& n, size_t count) {
  if (count == 2) return solve_pair(n);
  constexpr std::array<size_t, kMaxColumns> kAll = {0, 1, 2};
  NonnegativeSolution best;
  if (solve_subset(n, std::span(kAll).first(count), &best)) return best;
  NonnegativeSolution s;
  for (const auto& pair : {std::array<size_t, 2>{0, 1}, {0, 2}, {1, 2}})
    if (solve_subset(n, pair, &s) && s.gain > best.gain) best = s;
  for (size_t i = 0; i < count; i++)
    if (solve_subset(n, std::span(kAll).subspan(i, 1), &s) && s.gain > best.gain) best = s;
  return best;
}

std::optional<NonnegativeFit> fit_nonnegative(std::span<const std::vector<double>> columns,
                                              std::span<const double> values) {
  const size_t n = columns.size();
  if (n == 0 || n > kMaxColumns) return std::nullopt;
  NormalEquations equations;
  double rows = 0;
  for (size_t i = 0; i < values.size(); i++) {
    if (!(values[i] > 0)) continue;
    core::PerTerm f{};
    for (size_t j = 0; j < n; j++) f[j] = columns[j][i] / values[i];
    equations.add(f, 1);
    rows += 1;
  }
  const NonnegativeSolution solution = solve_nonnegative(equations, n);
  if (!(solution.gain > 0)) return std::nullopt;
  NonnegativeFit fit;
  fit.coefficients.assign(solution.c.begin(), solution.c.begin() + static_cast<std::ptrdiff_t>(n));
  double squares = 0;
  for (size_t i = 0; i < values.size(); i++) {
    if (!(values[i] > 0)) continue;
    double fitted = 0;
    for (size_t j = 0; j < n; j++) fitted += solution.c[j] * columns[j][i];
    const double deviation = fitted / values[i] - 1;
    fit.largest_deviation = std::max(fit.largest_deviation, std::abs(deviation));
    squares += deviation * deviation;
  }
  fit.rms_deviation = std::sqrt(squares / rows);
  return fit;
}

}  // namespace scalediag::fit
