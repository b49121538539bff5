#include "fit/blocks/block_models.h"

#include <numeric>
#include <optional>
#include <utility>

#include "core/atomic_file.h"
#include "core/json/json_reader.h"

namespace scalediag::fit {
namespace {

using core::JsonNode;
using nlohmann::ordered_json;

constexpr const char* kBlocksSchema = "scalediag-blocks";
constexpr int kBlocksVersion = 1;
constexpr const char* kBlocksHint = "`scalediag blocks learn` writes such files";

std::vector<double> listed_values(const Eigen::VectorXd& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

Eigen::VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

ordered_json radial_json(const RadialFit& radial) {
  ordered_json vectors = ordered_json::array();
  for (Eigen::Index i = 0; i < radial.vectors.rows(); ++i) vectors.push_back(listed_values(radial.vectors.row(i)));
  return {{"means", listed_values(radial.means)},
          {"scales", listed_values(radial.scales)},
          {"gamma", radial.gamma},
          {"offset", radial.offset},
          {"weights", listed_values(radial.weights)},
          {"vectors", vectors}};
}

ordered_json number_or_null(const std::optional<double>& number) { return number ? ordered_json(*number) : nullptr; }

ordered_json block_json(const BlockModel& block) {
  ordered_json attributes = ordered_json::array();
  for (const UsedAttribute& attribute : block.attributes) {
    attributes.push_back(
        {{"name", attribute.name}, {"least", attribute.least}, {"most", attribute.most}, {"effect", attribute.effect}});
  }
  ordered_json terms = ordered_json::array();
  for (const auto& [term, coefficient] : block.function.terms) {
    ordered_json factors = ordered_json::array();
    for (const auto& [attribute, power] : term.factors) {
      factors.push_back({{"attribute", attribute}, {"power", power}});
    }
    terms.push_back({{"coefficient", coefficient}, {"factors", factors}});
  }
  ordered_json json = {{"name", block.name},
                       {"model", name_of(block.method)},
                       {"formula", block.formula()},
                       {"held_out_error", number_or_null(block.held_out_error)},
                       {"held_out_error_of_sum", block.held_out_error_of_sum},
                       {"cross_validation_error", number_or_null(block.cross_validation_error)},
                       {"executions", block.executions},
                       {"fitted_executions", block.fitted_executions},
                       {"mean", block.mean},
                       {"share", block.share},
                       {"low", block.deviations ? ordered_json(block.deviations->low) : nullptr},
                       {"high", block.deviations ? ordered_json(block.deviations->high) : nullptr},
                       {"attributes", attributes},
                       {"intercept", block.function.intercept},
                       {"terms", terms}};
  if (block.function.stopped_early) json["stopped_early"] = true;
  if (block.function.radial) json["radial"] = radial_json(*block.function.radial);
  return json;
}

RadialFit read_radial(const JsonNode& node, size_t attributes) {
  RadialFit radial;
  std::vector<double> means, scales, weights;
  node.read("means", means);
  node.read("scales", scales);
  node.read("weights", weights);
  node.read("gamma", radial.gamma);
  node.read("offset", radial.offset);
  radial.vectors.resize(static_cast<Eigen::Index>(weights.size()), static_cast<Eigen::Index>(attributes));
  Eigen::Index row = 0;
  node.each("vectors", [&](const JsonNode& vector) {
    std::vector<double> values;
    vector.each_element([&](const JsonNode& value) { value.get(values.emplace_back()); });
    if (values.size() != attributes || row >= radial.vectors.rows())
      return vector.fail("has another size than it should");
    radial.vectors.row(row++) = vector_of(values).transpose();
  });
  if (!node.failed() && (row != radial.vectors.rows() || means.size() != attributes || scales.size() != attributes)) {
    node.fail("its lists do not fit together");
  }
  for (const double scale : scales) {
    if (!(scale > 0)) node.fail("scales", "holds a number that is not above 0");
  }
  radial.means = vector_of(means);
  radial.scales = vector_of(scales);
  radial.weights = vector_of(weights);
  return radial;
}

WeightedTerm read_term(const JsonNode& node, size_t attributes) {
  constexpr int kLargestPower = 9;
  WeightedTerm weighted;
  node.read("coefficient", weighted.coefficient);
  node.each("factors", [&](const JsonNode& factor) {
    uint64_t attribute = 0;
    int power = 1;
    factor.read("attribute", attribute);
    factor.read("power", power, 1);
    if (attribute >= attributes) factor.fail("attribute", "there is no attribute of this number");
    if (power < 1 || power > kLargestPower) factor.fail("power", "is not from 1 to " + std::to_string(kLargestPower));
    weighted.term.factors.emplace_back(static_cast<size_t>(attribute), power);
  });
  return weighted;
}

std::pair<int, int> read_range(const JsonNode& node) {
  std::vector<int> ends;
  node.each_element([&](const JsonNode& end) { end.get(ends.emplace_back()); });
  if (!node.failed() && (ends.size() != 2 || ends[0] > ends[1])) node.fail("is no range of tags");
  return ends.size() == 2 ? std::pair(ends[0], ends[1]) : std::pair(0, 0);
}

BlockModel read_block(const JsonNode& node) {
  BlockModel block;
  std::string method;
  uint64_t executions = 0, fitted = 0;
  std::optional<double> low, high;
  BlockFunction& function = block.function;
  node.read("name", block.name);
  node.read("model", method);
  node.read("held_out_error", block.held_out_error);
  if (node.has("held_out_error_of_sum")) node.read("held_out_error_of_sum", block.held_out_error_of_sum);
  node.read("cross_validation_error", block.cross_validation_error);
  node.read("executions", executions);
  fitted = executions;  // files of older versions do not tell
  if (node.has("fitted_executions")) node.read("fitted_executions", fitted);
  node.read("mean", block.mean);
  node.read("share", block.share);
  node.read("low", low);
  node.read("high", high);
  if (low.has_value() != high.has_value()) node.fail("high", "is known where low is not, or the other way round");
  if (low && high) block.deviations = BlockInterval{*low, *high};
  node.read("intercept", function.intercept);
  if (node.has("stopped_early")) node.read("stopped_early", function.stopped_early);
  block.executions = static_cast<size_t>(executions);
  block.fitted_executions = static_cast<size_t>(fitted);
  const auto known = block_method(method);
  if (!node.failed() && !known) node.fail("model", "there is no method '" + method + "'");
  block.method = known.value_or(BlockMethod::kMean);
  node.each("attributes", [&](const JsonNode& attribute) {
    UsedAttribute used;
    attribute.read("name", used.name);
    attribute.read("least", used.least);
    attribute.read("most", used.most);
    attribute.read("effect", used.effect);
    block.attributes.push_back(std::move(used));
  });
  node.each("terms", [&](const JsonNode& term) { function.terms.push_back(read_term(term, block.attributes.size())); });
  if (block.method == BlockMethod::kRadialSupportVectors) {
    function.radial_columns.resize(block.attributes.size());
    std::iota(function.radial_columns.begin(), function.radial_columns.end(), 0);
    node.object("radial",
                [&](const JsonNode& radial) { function.radial = read_radial(radial, block.attributes.size()); });
  }
  return block;
}

}  // namespace

ordered_json block_models_json(const BlockModels& models) {
  ordered_json blocks = ordered_json::array();
  for (const BlockModel& block : models.blocks) blocks.push_back(block_json(block));
  return {{"schema", std::string(kBlocksSchema) + "/" + std::to_string(kBlocksVersion)},
          {"program", models.program},
          {"metric", models.metric},
          {"ranks", models.ranks},
          {"listed", models.listed},
          {"tags", models.tags},
          {"blocks", blocks}};
}

Result<BlockModels> read_block_models(const std::string& file) {
  const auto text = TRY(core::read_file(file));
  const auto document = core::parse_json(text, file);
  if (!document) {
    Error error = document.error();
    error.hint = kBlocksHint;
    return error;
  }
  TRY(core::check_schema(document.value(), kBlocksSchema, kBlocksVersion, file, kBlocksHint));
  BlockModels models;
  std::optional<std::string> failure;
  const JsonNode root(document.value(), failure);
  root.read("program", models.program);
  root.read("metric", models.metric);
  if (!failure && models.metric != kSecondMetric && models.metric != kInstructionMetric) {
    root.fail("metric", "there is no metric '" + models.metric + "'");
  }
  if (root.has("ranks")) root.read("ranks", models.ranks);
  root.read("listed", models.listed);
  if (root.has("tags")) root.each("tags", [&](const JsonNode& range) { models.tags.push_back(read_range(range)); });
  root.each("blocks", [&](const JsonNode& block) { models.blocks.push_back(read_block(block)); });
  if (!failure && models.blocks.empty()) failure = "it has no block";
  if (failure) return Error{ErrorCode::kInput, file + ": " + *failure, kBlocksHint, file};
  return models;
}

}  // namespace scalediag::fit
