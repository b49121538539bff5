#include "report/render/text/blocks_text.h"

#include <gtest/gtest.h>

#include "core/json/json_writer.h"

namespace scalediag::report {
namespace {

// Two blocks: one of two executions, of which one lies outside; one that took no time and is predicted to take some.
BlockCheck two_blocks() {
  BlockCheck check;
  check.metric = fit::kSecondMetric;
  check.ranks = 2;
  check.total = 0.5;
  CheckedBlock& known = check.blocks.emplace_back();
  known.name = "forces";
  known.executions = 2;
  known.outside = 1;
  known.measured = 0.4;
  known.predicted = 0.5;
  known.error = 0.25;
  known.each = {{0, 3, 0.1, {0.125, fit::BlockInterval{0.0625, 0.25}, false, 0}, {}},
                {1, 4, 0.3, {0.375, std::nullopt, true, 0.5}, {"atoms", "pairs"}}};
  CheckedBlock& nothing = check.blocks.emplace_back();
  nothing.name = "idle";
  nothing.executions = 1;
  nothing.predicted = 0.25;
  nothing.each = {{0, 7, 0, {0.25, std::nullopt, false, 0}, {}}};
  return check;
}

std::string without_runs_of_spaces(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || result.empty() || result.back() != ' ') result += c;
  }
  return result;
}

TEST(BlocksText, CheckHasADashForWhatIsUnknown) {
  const std::string text = without_runs_of_spaces(block_check_text(two_blocks(), {120, false}));
  EXPECT_NE(text.find("models of seconds held against 2 ranks"), std::string::npos) << text;
  EXPECT_NE(text.find("2 1 0.400000 0.500000 +25.0% 25.0% forces"), std::string::npos) << text;
  EXPECT_NE(text.find("1 0 0.000000 0.250000 - - idle"), std::string::npos) << text;
  // 0.75 s are predicted of 0.4 s, which are 80 % of 0.5 s.
  EXPECT_NE(text.find("all blocks with a model: +87.5%, they are 80.0 % of the computation"), std::string::npos)
      << text;
}

TEST(BlocksText, CheckHasNullForWhatIsUnknown) {
  const nlohmann::ordered_json json = block_check_json(two_blocks());
  EXPECT_EQ(json["schema"], "scalediag-block-check/1");
  EXPECT_EQ(json["blocks"][0]["error"], 0.25);
  EXPECT_EQ(json["blocks"][0]["outside"], 1);
  EXPECT_TRUE(json["blocks"][1]["error"].is_null());
  EXPECT_TRUE(core::to_json_text(json, 3).ok());
}

TEST(BlocksText, EachExecutionIsALine) {
  EXPECT_EQ(block_check_csv(two_blocks()),
            "block,rank,computation,measured,predicted,low,high,outside\n"
            "forces,0,3,0.1,0.125,0.0625,0.25,\n"
            "forces,1,4,0.3,0.375,,,atoms pairs\n"
            "idle,0,7,0,0.25,,,\n");
}

TEST(BlocksText, AppliedBlocksAreSummedUp) {
  AppliedBlocks applied;
  applied.blocks = {{"forces", 10, 4, 0.5, 0.75}, {"cells", 6, 0, 0.25, 0.25}};
  applied.other_s = 0.25;
  EXPECT_EQ(applied.sum().executions, 16U);
  EXPECT_EQ(applied.sum().outside, 4U);
  const nlohmann::ordered_json json = applied_blocks_json(applied);
  EXPECT_EQ(json["recorded_s"], 0.75);
  EXPECT_EQ(json["predicted_s"], 1.0);
  EXPECT_EQ(json["other_s"], 0.25);
  EXPECT_EQ(json["blocks"][1]["name"], "cells");
  // 0.75 of 1 s is replaced by 1 s: a third more.
  EXPECT_EQ(applied_blocks_text(applied),
            "computation by block models: 75.0 % of what was recorded, which they change by +33.3%\n"
            "  4 of 10 executions of forces have an attribute beyond what its model was learnt from\n");
}

TEST(BlocksText, ModelsTellHowManyExecutionsTheyWereFittedTo) {
  fit::BlockModels models;
  models.program = "app";
  fit::BlockModel& model = models.blocks.emplace_back();
  model.name = "forces";
  model.executions = 900;
  model.fitted_executions = 300;
  model.function.intercept = 2;
  const std::string text = without_runs_of_spaces(block_models_text(models, {120, false}));
  EXPECT_NE(text.find("fitted to 300 of the 900 executions"), std::string::npos) << text;
  // The error and the interval are not known.
  EXPECT_NE(text.find("- +0.0% - mean forces"), std::string::npos) << text;
  models.blocks.front().fitted_executions = 900;
  EXPECT_EQ(block_models_text(models, {120, false}).find("fitted to"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::report
