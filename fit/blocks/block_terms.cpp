#include "fit/blocks/block_terms.h"

#include "core/text/join.h"

namespace scalediag::fit {

double BlockTerm::value(const std::vector<double>& row) const {
  double product = 1;
  for (const auto& [attribute, power] : factors) {
    for (int i = 0; i < power; ++i) product *= row[attribute];
  }
  return product;
}

std::string BlockTerm::text(const std::vector<std::string>& attributes) const {
  std::vector<std::string> parts;
  for (const auto& [attribute, power] : factors) {
    parts.push_back(attributes[attribute] + (power == 1 ? "" : "^" + std::to_string(power)));
  }
  return core::join(parts, " ");
}

std::vector<BlockTerm> linear_terms(const std::vector<size_t>& attributes) {
  std::vector<BlockTerm> terms;
  for (const size_t attribute : attributes) terms.push_back({{{attribute, 1}}});
  return terms;
}

std::vector<BlockTerm> polynomial_terms(const std::vector<size_t>& attributes) {
  constexpr int kHighestPower = 3;
  std::vector<BlockTerm> terms;
  for (int power = 1; power <= kHighestPower; ++power) {
    for (const size_t attribute : attributes) terms.push_back({{{attribute, power}}});
  }
  if (attributes.size() > kMostInProducts) return terms;
  for (size_t i = 0; i < attributes.size(); ++i) {
    for (size_t j = i + 1; j < attributes.size(); ++j) terms.push_back({{{attributes[i], 1}, {attributes[j], 1}}});
  }
  return terms;
}

}  // namespace scalediag::fit
