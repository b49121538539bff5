// Blocks of a rank that was recorded alone; its trace is written as tests/loggp/traces/trace_bytes.h does.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cli/inputs/blocks/apply_blocks.h"
#include "cli/inputs/blocks/check_blocks.h"
#include "cli/inputs/blocks/learn_blocks.h"
#include "cli/inputs/trace_input.h"
#include "core/atomic_file.h"
#include "tests/loggp/traces/trace_bytes.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;
using tests::numbers;

constexpr const char* kBlock = "start, MPI_Send -> MPI_Send tag 5";

// The folder of a rank that computes and then sends 100 B with tag 5 to itself, as often as there are times, and
// computes for 500 ns then. All but the first of the computations before a send are executions of kBlock.
std::string trace_folder(const std::string& name, const std::vector<uint64_t>& times_ns, uint64_t tail_ns = 500) {
  const std::string folder = testing::TempDir() + name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  // Routine 7; one definition; an item for each send: 2 x the number of the definition, the time.
  std::string events = numbers({1, 7});
  trace::put_text(events, "MPI_Send");
  events += numbers({1, static_cast<uint64_t>(trace::EventKind::kSend), 7, 0, 10, 0, 100, times_ns.size()});
  std::string computations = numbers({times_ns.size()});
  for (const uint64_t time : times_ns) {
    events += numbers({0, time});
    computations += numbers({time});
  }
  const std::string file =
      tests::rank_file(0, 1, events, times_ns.size(), tail_ns, trace::End::kFinalize, computations);
  EXPECT_TRUE(core::write_file_atomically(folder + "/rank000000.trace", file));
  return folder;
}

BlockSource source_of(const std::string& folder) {
  BlockSource source;
  source.path = folder;
  return source;
}

// 41 times of 1000, 2000, ... ns: the 40 executions of kBlock, with the iterations 0 to 39, take 2000 to 41,000 ns.
std::vector<uint64_t> rising() {
  std::vector<uint64_t> times;
  for (uint64_t i = 1; i <= 41; ++i) times.push_back(1000 * i);
  return times;
}

// kBlock takes (1 + iteration) us; learnt from the iterations 0 to 29.
fit::BlockModels one_model() {
  fit::BlockModels models;
  models.program = "app";
  models.ranks = 1;
  models.listed = {kBlock};
  fit::BlockModel& model = models.blocks.emplace_back();
  model.name = kBlock;
  model.method = fit::BlockMethod::kLinearRegression;
  model.attributes = {{"iteration", 0, 29, 1}};
  model.function.intercept = 1e-6;
  model.function.terms = {{{{{0, 1}}}, 1e-6}};
  model.deviations = fit::BlockInterval{-0.1, 0.2};
  return models;
}

std::string refused(const std::string& folder, const BlockLearning& learning) {
  const auto models = learn_blocks(source_of(folder), learning);
  return models.ok() ? "" : models.error().where + ": " + models.error().message + "; " + models.error().hint;
}

TEST(Blocks, AreHeldAgainstTheirModel) {
  const auto check = check_blocks(one_model(), source_of(trace_folder("blocks_check", rising())));
  ASSERT_TRUE(check.ok()) << check.error().message;
  ASSERT_EQ(check.value().blocks.size(), 1U);
  const report::CheckedBlock& block = check.value().blocks.front();
  EXPECT_EQ(block.executions, 40U);
  EXPECT_EQ(block.outside, 10U);  // iterations 30 to 39
  // 2 + 3 + ... + 41 = 860 us were measured, and 1 + ... + 40 = 820 us are predicted: 40 deviations of 1 us.
  EXPECT_NEAR(block.measured, 860e-6, 1e-10);
  EXPECT_NEAR(block.predicted, 820e-6, 1e-10);
  ASSERT_TRUE(block.error);
  EXPECT_NEAR(*block.error, 40 / 860.0, 1e-6);
  // With the first computation, of 1 us, and the last one, of 0.5 us.
  EXPECT_NEAR(check.value().total, 861.5e-6, 1e-10);
  ASSERT_EQ(block.each.size(), 40U);
  const report::CheckedBlock::Execution& last = block.each.back();
  EXPECT_EQ(last.computation, 40U);
  EXPECT_EQ(last.outside, std::vector<std::string>{"iteration"});
  ASSERT_TRUE(last.predicted.interval);
  EXPECT_NEAR(last.predicted.interval->low, 36e-6, 1e-12);
  EXPECT_NEAR(last.predicted.interval->high, 48e-6, 1e-12);
}

TEST(Blocks, ReplaceWhatWasRecorded) {
  auto traces = read_recorded_traces(trace_folder("blocks_apply", rising()));
  ASSERT_TRUE(traces.ok());
  const auto applied = apply_blocks(one_model(), traces.value(), 2);
  ASSERT_TRUE(applied.ok()) << applied.error().message;
  const report::AppliedBlock sum = applied.value().sum();
  EXPECT_EQ(sum.executions, 40U);
  EXPECT_EQ(sum.outside, 10U);
  EXPECT_NEAR(sum.recorded_s, 860e-6, 1e-10);
  EXPECT_NEAR(sum.predicted_s, 820e-6, 1e-10);
  EXPECT_NEAR(applied.value().other_s, 1.5e-6, 1e-10);
  // What has no model takes twice as long.
  const auto computed = loggp::computations_of(traces.value().front());
  ASSERT_EQ(computed.size(), 42U);
  EXPECT_NEAR(computed[0], 2e-6, 1e-11);
  EXPECT_NEAR(computed[1], 1e-6, 1e-11);
  EXPECT_NEAR(computed[40], 40e-6, 1e-11);
  EXPECT_NEAR(computed[41], 1e-6, 1e-11);
}

TEST(Blocks, ModelsThatNothingIsHeldAgainstAreWarnedOf) {
  fit::BlockModels models = one_model();
  models.blocks.push_back(models.blocks.front());
  models.blocks.back().name = "forces";
  models.blocks.back().share = 0.84;
  models.listed.emplace_back("forces");
  const std::string folder = trace_folder("blocks_absent", rising());
  testing::internal::CaptureStderr();
  const auto check = check_blocks(models, source_of(folder));
  const std::string of_check = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(check.ok());
  EXPECT_EQ(check.value().blocks.size(), 1U);
  EXPECT_NE(of_check.find("learnt from: forces (84.0 %)"), std::string::npos) << of_check;
  EXPECT_EQ(of_check.find("tag 5"), std::string::npos) << of_check;
  auto traces = read_recorded_traces(folder);
  ASSERT_TRUE(traces.ok());
  testing::internal::CaptureStderr();
  const auto applied = apply_blocks(models, traces.value(), 1);
  const std::string of_application = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(applied.ok());
  EXPECT_NE(of_application.find("learnt from: forces (84.0 %)"), std::string::npos) << of_application;
}

// The model says 1 to 40 us of computations of 4 us.
TEST(Blocks, MuchChangeIsToldInAUnitThatShowsIt) {
  auto traces = read_recorded_traces(trace_folder("blocks_change", std::vector<uint64_t>(41, 4000)));
  ASSERT_TRUE(traces.ok());
  testing::internal::CaptureStderr();
  const auto applied = apply_blocks(one_model(), traces.value(), 1);
  const std::string warned = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(applied.ok());
  EXPECT_NE(warned.find("the models put 820.00 us in place of 160.00 us"), std::string::npos) << warned;
}

// Iteration 3 by range 1: 2 x 1 beyond 1 is left behind by iterations 4 to 39, more than a tenth of all.
TEST(Blocks, ExecutionsFarBeyondWhatWasLearntFromAreWarnedOf) {
  fit::BlockModels models = one_model();
  models.blocks.front().attributes.front().most = 1;
  testing::internal::CaptureStderr();
  const auto check = check_blocks(models, source_of(trace_folder("blocks_far", rising())));
  const std::string warned = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(check.ok());
  EXPECT_NE(warned.find("36 of 40 executions of block"), std::string::npos) << warned;
}

TEST(Blocks, TheErrorOfExecutionsThatTookNoTimeIsUnknown) {
  std::vector<uint64_t> times(41, 0);
  times.front() = 1000;
  const auto check = check_blocks(one_model(), source_of(trace_folder("blocks_zero", times)));
  ASSERT_TRUE(check.ok());
  ASSERT_EQ(check.value().blocks.size(), 1U);
  EXPECT_FALSE(check.value().blocks.front().error);
}

TEST(Blocks, CannotBeLearntFromRanksThatComputeNothing) {
  const std::string folder = trace_folder("blocks_nothing", std::vector<uint64_t>(41, 0), 0);
  EXPECT_NE(refused(folder, {}).find("all blocks of these ranks take 0 seconds"), std::string::npos)
      << refused(folder, {});
}

TEST(Blocks, CannotBeLearntWhereAllAreShorterThanAskedFor) {
  BlockLearning learning;
  learning.least_share = 0.999;
  // kBlock has 860 of 861.5 us.
  const std::string text = refused(trace_folder("blocks_short", rising()), learning);
  EXPECT_NE(text.find("no block with 99.90 % of the computation: the longest, " + std::string(kBlock) +
                      ", has 99.83 %; ask for less with --share"),
            std::string::npos)
      << text;
}

TEST(Blocks, AttributesThatARuleLeavesOutAreNotOffered) {
  const std::string folder = trace_folder("blocks_attributes", rising());
  BlockLearning learning;
  learning.attributes = {"iteration"};
  EXPECT_EQ(refused(folder, learning), "");
  learning.for_other_sizes = true;
  const std::string left_out = refused(folder, learning);
  EXPECT_NE(left_out.find("attribute iteration is left out: --for-other-sizes"), std::string::npos) << left_out;
  learning.attributes = {"atoms"};
  const std::string absent = refused(folder, learning);
  EXPECT_NE(absent.find("no block has an attribute atoms; there are "), std::string::npos) << absent;
  EXPECT_NE(absent.find("next_bytes"), std::string::npos) << absent;
  EXPECT_EQ(absent.find("iteration"), std::string::npos) << absent;
}

TEST(Blocks, ExecutedTooSeldomAreNamedWithTheLeastNumber) {
  const std::string folder = trace_folder("blocks_seldom", std::vector<uint64_t>(5, 1000));
  EXPECT_NE(refused(folder, {}).find("executed at least 12 times"), std::string::npos) << refused(folder, {});
}

}  // namespace
}  // namespace scalediag::cli
