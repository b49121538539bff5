// Products of powers of attributes, which linear models of blocks are sums of.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace scalediag::fit {

struct BlockTerm {
  std::vector<std::pair<size_t, int>> factors;  // attribute, power above 0

  double value(const std::vector<double>& row) const;
  std::string text(const std::vector<std::string>& attributes) const;  // "n^2 m"
};

// Each of these attributes by itself.
std::vector<BlockTerm> linear_terms(const std::vector<size_t>& attributes);
// Powers up to the third of each of these attributes and, of at most kMostInProducts of them, products of two.
std::vector<BlockTerm> polynomial_terms(const std::vector<size_t>& attributes);
constexpr size_t kMostInProducts = 6;

}  // namespace scalediag::fit
