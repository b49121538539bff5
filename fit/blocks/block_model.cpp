#include "fit/blocks/block_model.h"

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"

namespace scalediag::fit {
namespace {

// Of attributes that were learnt from at one value only.
constexpr double kFarBeyond = 1e9;

}  // namespace

const char* name_of(BlockMethod method) {
  switch (method) {  // without default: the compiler asks for the name of a new method
    case BlockMethod::kMean: return "mean";
    case BlockMethod::kLinearRegression: return "linear_regression";
    case BlockMethod::kLeastMedianOfSquares: return "least_median_of_squares";
    case BlockMethod::kLinearSupportVectors: return "support_vectors_linear";
    case BlockMethod::kRadialSupportVectors: return "support_vectors_radial";
  }
  return nullptr;
}

std::vector<std::string> block_method_names() {
  std::vector<std::string> names;
  for (int number = 0;; ++number) {
    const char* const name = name_of(static_cast<BlockMethod>(number));
    if (name == nullptr) return names;
    names.emplace_back(name);
  }
}

std::optional<BlockMethod> block_method(const std::string& name) {
  const std::vector<std::string> names = block_method_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<BlockMethod>(found - names.begin());
}

double BlockFunction::value(const std::vector<double>& row) const {
  double value = intercept;
  if (radial) {
    Eigen::VectorXd picked(static_cast<Eigen::Index>(radial_columns.size()));
    for (size_t i = 0; i < radial_columns.size(); ++i) picked[static_cast<Eigen::Index>(i)] = row[radial_columns[i]];
    value = radial->value(picked);
  } else {
    for (const auto& [term, coefficient] : terms) value += coefficient * term.value(row);
  }
  return std::max(0.0, value);
}

BlockEstimate BlockModel::estimate(const std::vector<double>& row) const {
  BlockEstimate result;
  result.value = function.value(row);
  if (deviations) {
    result.interval =
        BlockInterval{result.value * std::max(0.0, 1 + deviations->low), result.value * (1 + deviations->high)};
  }
  for (size_t i = 0; i < attributes.size(); ++i) {
    const double range = attributes[i].most - attributes[i].least;
    const double off = std::max({0.0, attributes[i].least - row[i], row[i] - attributes[i].most});
    result.is_outside |= off > 0;
    if (off > 0) result.beyond = std::max(result.beyond, range > 0 ? off / range : kFarBeyond);
  }
  return result;
}

std::vector<std::string> BlockModel::outside(const std::vector<double>& row) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (row[i] < attributes[i].least || row[i] > attributes[i].most) names.push_back(attributes[i].name);
  }
  return names;
}

std::string BlockModel::formula() const {
  if (function.radial) {
    return "radial basis functions around " + std::to_string(function.radial->vectors.rows()) + " executions";
  }
  std::vector<std::string> names;
  for (const UsedAttribute& attribute : attributes) names.push_back(attribute.name);
  std::string text;
  const auto add = [&text](double coefficient, const std::string& what) {
    text += text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    text += core::four_digits(std::abs(coefficient)) + what;
  };
  for (const auto& [term, coefficient] : function.terms) add(coefficient, " " + term.text(names));
  if (function.intercept != 0 || function.terms.empty()) add(function.intercept, "");
  return text;
}

}  // namespace scalediag::fit
