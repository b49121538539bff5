#include "fit/blocks/block_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/atomic_file.h"
#include "core/json/json_writer.h"
#include "fit/blocks/block_learning.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::fit {
namespace {

// A block for each method: times that go as n^2 + 1, n from 1 to 40, in 60 executions, and 18 of another one, which are
// too few for an interval.
BlockModels learnt_models() {
  BlockModels models;
  models.program = "app";
  models.ranks = 8;
  models.tags = {{0, 0}, {3000, 3063}};
  std::mt19937 random(3);
  for (const std::string& name : block_method_names()) {
    BlockSamples samples;
    samples.name = name;
    samples.attributes = {"m", "n"};
    for (int i = 0; i < (name == "mean" ? 18 : 60); ++i) {
      const auto n = static_cast<double>(random() % 40 + 1);
      samples.rows.push_back({static_cast<double>(random() % 9), n});
      samples.values.push_back(n * n + 1);
    }
    samples.total_of_program = 1e6;
    auto model = learn_block(samples, {block_method(name)});
    EXPECT_TRUE(model.ok()) << name;
    if (model.ok()) models.blocks.push_back(std::move(model.value()));
    models.listed.push_back(name);
  }
  return models;
}

std::string text_of(const BlockModels& models) {
  const auto text = core::to_json_text(block_models_json(models), 3);
  EXPECT_TRUE(text.ok()) << (text.ok() ? "" : text.error().message);
  return text.ok() ? text.value() : "";
}

core::Result<BlockModels> read(const std::string& text) {
  const core::TemporaryFolder folder;  // tests run side by side
  const std::string file = folder.file("models.blocks");
  EXPECT_TRUE(core::write_file_atomically(file, text));
  return read_block_models(file);
}

std::string with(std::string text, const std::string& old, const std::string& now) {
  const size_t found = text.find(old);
  EXPECT_NE(found, std::string::npos) << old;
  return found == std::string::npos ? text : text.replace(found, old.size(), now);
}

TEST(BlockModels, AreReadAsTheyWereWritten) {
  const BlockModels models = learnt_models();
  const auto read_back = read(text_of(models));
  ASSERT_TRUE(read_back.ok()) << read_back.error().message;
  EXPECT_EQ(text_of(read_back.value()), text_of(models));
  EXPECT_EQ(read_back.value().ranks, 8U);
  EXPECT_EQ(read_back.value().tags, models.tags);
  ASSERT_EQ(read_back.value().blocks.size(), models.blocks.size());
  for (size_t i = 0; i < models.blocks.size(); ++i) {
    const BlockModel &wrote = models.blocks[i], &got = read_back.value().blocks[i];
    const std::vector<double> row(wrote.attributes.size(), 17);
    const BlockEstimate before = wrote.estimate(row), after = got.estimate(row);
    EXPECT_EQ(before.value, after.value) << wrote.name;
    EXPECT_EQ(before.is_outside, after.is_outside) << wrote.name;
    ASSERT_EQ(before.interval.has_value(), after.interval.has_value()) << wrote.name;
    EXPECT_EQ(after.interval.has_value(), wrote.method != BlockMethod::kMean) << wrote.name;
    if (!before.interval) continue;
    EXPECT_EQ(before.interval->low, after.interval->low) << wrote.name;
    EXPECT_EQ(before.interval->high, after.interval->high) << wrote.name;
  }
}

TEST(BlockModels, WhatIsUnknownIsNull) {
  BlockModels models = learnt_models();
  models.blocks.resize(1);
  models.blocks.front().held_out_error.reset();
  models.blocks.front().cross_validation_error.reset();
  const std::string text = text_of(models);
  for (const char* field : {"\"held_out_error\": null", "\"cross_validation_error\": null", "\"low\": null"}) {
    EXPECT_NE(text.find(field), std::string::npos) << text;
  }
  const auto read_back = read(text);
  ASSERT_TRUE(read_back.ok()) << read_back.error().message;
  EXPECT_FALSE(read_back.value().blocks.front().held_out_error);
  EXPECT_FALSE(read_back.value().blocks.front().deviations);
}

TEST(BlockModels, CutOffAnywhereAreRefused) {
  BlockModels models = learnt_models();
  models.blocks.erase(models.blocks.begin() + 1, models.blocks.end() - 1);  // the mean and radial functions
  RadialFit& radial = *models.blocks.back().function.radial;
  radial.vectors = radial.vectors.topRows(2).eval();
  radial.weights = radial.weights.head(2).eval();
  const std::string text = text_of(models);
  // The last byte is the end of the line.
  for (size_t bytes = 0; bytes + 1 < text.size(); ++bytes) {
    const auto cut = read(text.substr(0, bytes));
    ASSERT_FALSE(cut.ok()) << bytes;
    ASSERT_NE(cut.error().message.find("models.blocks"), std::string::npos) << cut.error().message;
  }
}

TEST(BlockModels, OfOtherVersionsAreRefused) {
  const std::string text = text_of(learnt_models());
  for (const char* version : {"scalediag-blocks/0", "scalediag-blocks/2", "scalediag-profile/1"}) {
    const auto other = read(with(text, "scalediag-blocks/1", version));
    ASSERT_FALSE(other.ok()) << version;
    EXPECT_NE(other.error().message.find(version), std::string::npos) << other.error().message;
  }
}

// Files of before there were `fitted_executions`, `held_out_error_of_sum`, `ranks` and `tags`.
TEST(BlockModels, WithoutLaterFieldsAreRead) {
  nlohmann::ordered_json json = block_models_json(learnt_models());
  json.erase("ranks");
  json.erase("tags");
  for (auto& block : json["blocks"]) {
    block.erase("fitted_executions");
    block.erase("held_out_error_of_sum");
  }
  const auto old = read(json.dump());
  ASSERT_TRUE(old.ok()) << old.error().message;
  EXPECT_EQ(old.value().blocks.back().fitted_executions, 60U);
}

TEST(BlockModels, ThatContradictThemselvesAreRefused) {
  const nlohmann::ordered_json good = block_models_json(learnt_models());
  const auto refused = [&](const char* where, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json bad = good;
    bad[nlohmann::ordered_json::json_pointer(where)] = value;
    const auto models = read(bad.dump());
    return models.ok() ? "" : models.error().message;
  };
  EXPECT_NE(refused("/metric", "apples").find("there is no metric 'apples'"), std::string::npos);
  EXPECT_NE(refused("/blocks/0/model", "guessing").find("there is no method 'guessing'"), std::string::npos);
  EXPECT_NE(refused("/blocks/1/low", nullptr).find("blocks[1].high"), std::string::npos);
  EXPECT_NE(refused("/blocks/1/terms/0/factors/0/attribute", 9).find("no attribute of this number"), std::string::npos);
  EXPECT_NE(refused("/blocks/1/terms/0/factors/0/power", 10).find("is not from 1 to 9"), std::string::npos);
  EXPECT_NE(refused("/blocks/4/radial/scales/0", 0).find("not above 0"), std::string::npos);
  EXPECT_NE(refused("/tags/0/0", 5).find("no range of tags"), std::string::npos);
  EXPECT_NE(refused("/blocks", nlohmann::ordered_json::array()).find("it has no block"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::fit
