#include "fit/blocks/block_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text/numbers.h"

namespace scalediag::fit {
namespace {

constexpr std::array<std::pair<BlockMethod, const char*>, 5> kBlockMethods = {{
    {BlockMethod::kMean, "mean"},
    {BlockMethod::kLinearRegression, "linear_regression"},
    {BlockMethod::kLeastMedianOfSquares, "least_median_of_squares"},
    {BlockMethod::kLinearSupportVectors, "support_vectors_linear"},
    {BlockMethod::kRadialSupportVectors, "support_vectors_radial"},
}};

// Of attributes that were learnt from at one value only.
constexpr double kFarBeyond = 1e9;

}  // namespace

const char* name_of(BlockMethod method) { return kBlockMethods[static_cast<size_t>(method)].second; }

std::optional<BlockMethod> block_method(const std::string& name) {
  for (const auto& [method, its_name] : kBlockMethods) {
    if (name == its_name) return method;
  }
  return std::nullopt;
}

BlockEstimate BlockModel::estimate(const std::vector<double>& row) const {
  BlockEstimate result;
  double value = intercept;
  if (radial) {
    value = radial->value(Eigen::Map<const Eigen::VectorXd>(row.data(), static_cast<Eigen::Index>(row.size())));
  } else {
    for (const auto& [term, coefficient] : terms) value += coefficient * term.value(row);
  }
  result.value = std::max(0.0, value);
  result.low = result.value * std::max(0.0, 1 + low);
  result.high = result.value * (1 + high);
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
  if (radial) {
    return "radial basis functions around " + std::to_string(radial->vectors.rows()) + " executions";
  }
  std::vector<std::string> names;
  for (const UsedAttribute& attribute : attributes) names.push_back(attribute.name);
  std::string text;
  const auto add = [&text](double coefficient, const std::string& what) {
    text += text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    text += core::four_digits(std::abs(coefficient)) + what;
  };
  for (const auto& [term, coefficient] : terms) add(coefficient, " " + term.text(names));
  if (intercept != 0 || terms.empty()) add(intercept, "");
  return text;
}

}  // namespace scalediag::fit
