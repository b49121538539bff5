// The search for all sums of few terms that meet measured values.
//
//   y(s) = sum over i of c_i t_i(s), for all samples s
//
// The coefficients of n <= 3 terms are those with the least squares of deviations relative to the values (absolute ones
// where a value is 0). A sum is found where its terms can be told apart at the samples.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace scalediag::core {

constexpr size_t kMostTerms = 3;
using PerTerm = std::array<double, kMostTerms>;

// Normal equations: minimise sum w (y - sum_j c_j f_j)^2.
struct NormalEquations {
  std::array<PerTerm, kMostTerms> gram{};
  PerTerm right{};

  // One row more; f_j is 0 where there are fewer terms.
  void add(const PerTerm& f, double weight, double y = 1) {
    for (size_t i = 0; i < kMostTerms; ++i) {
      right[i] += weight * f[i] * y;
      for (size_t j = 0; j < kMostTerms; ++j) gram[i][j] += weight * f[i] * f[j];
    }
  }
  // Makes the diagonal 1, since terms differ by many orders of magnitude.
  double scale(size_t term) const { return 1 / std::sqrt(gram[term][term]); }
};

// The coefficients of the chosen terms alone, in their order, divided by scale(); nothing where these cannot be told
// apart.
std::optional<PerTerm> parts_of(const NormalEquations& equations, std::span<const size_t> chosen);

using Column = std::vector<double>;  // the values of a term, or those measured, by sample

struct Combination {
  std::vector<size_t> terms;  // places among the columns
  PerTerm coefficients{};     // of the terms, in their order
  double largest_deviation = 0;
};

// Nothing: the terms cannot be told apart. Precondition: 1 to kMostTerms terms; columns as long as `values`.
std::optional<Combination> combination_of(std::span<const size_t> terms, const std::vector<Column>& columns,
                                          const Column& values);

// Calls `use` with each choice of `n` out of `of`, in its order.
void for_each_choice(std::span<const size_t> of, size_t n, const std::function<void(std::span<const size_t>)>& use);

}  // namespace scalediag::core
