#include "collector/launch/store/experiment_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

core::Experiment example() {
  core::Experiment e;
  e.command = {"./app", "{grid}"};
  e.executable = "/home/user/app";
  e.executable_fingerprint = "100-00000000";
  e.working_directory = "/home/user";
  e.launcher = "mpirun -n {np} {command}";
  e.mpi_flavour = "openmpi";
  e.rate_hz = 250;
  e.parameter_names = {"grid"};
  e.host.cores = 2;
  return e;
}

TEST(Differences, NoneWhereTheExperimentIsOnlyExtended) {
  core::Experiment now = example();
  now.clock = "wall";
  now.created = "later";
  now.host.name = "other";
  now.scalediag_version = "9";
  EXPECT_TRUE(differences(example(), now).empty());
}

TEST(Differences, NameEachWithOldAndNew) {
  core::Experiment now = example();
  now.command = {"./app", "a b"};
  now.rate_hz = 100;
  now.stdin_file = "/input";
  now.sampler = "none";
  now.iterations = "10";
  now.parameter_names = {};
  now.executable_fingerprint = "100-00000001";
  EXPECT_EQ(
      differences(example(), now),
      (std::vector<std::string>{
          "the command was ./app {grid} and is now ./app 'a b'", "the executable /home/user/app was rebuilt since",
          "the sampler was auto and is now none", "the rate was 250 Hz and is now 100 Hz",
          "the end of runs after some iterations (--iterations) was none and is now 10",
          "the standard input was none and is now /input", "the list of parameters was grid and is now none"}));
}

TEST(Differences, OfFilesAndVariablesThatBothKnow) {
  core::Experiment before = example();
  before.input_files = {{"/in", "1-00000001"}, {"/in.8", "1-00000008"}, {"/out", core::kWrittenByApplication}};
  before.environment = {{"OMP_NUM_THREADS", "1"}, {"OMP_PROC_BIND", "true"}};
  core::Experiment now = before;
  // /in.8 belongs to a configuration that is not requested now, /in.16 to a new one.
  now.input_files = {{"/in", "1-00000001"}, {"/in.16", "1-00000016"}, {"/out", "5-00000005"}};
  EXPECT_TRUE(differences(before, now).empty());
  EXPECT_TRUE(differences(example(), now).empty());  // nothing was recorded
  EXPECT_TRUE(differences(now, example()).empty());

  now.input_files->at("/in") = "1-00000002";
  now.environment = {{"OMP_NUM_THREADS", "2"}, {"UCX_TLS", "tcp"}};
  EXPECT_EQ(
      differences(before, now),
      (std::vector<std::string>{"the content of /in has changed since", "OMP_NUM_THREADS was 1 and is now 2",
                                "OMP_PROC_BIND was true and is now not set", "UCX_TLS was not set and is now tcp"}));
}

class ExperimentStoreTest : public ::testing::Test {
 protected:
  core::TemporaryFolder folder_;
  const std::string path_ = folder_.file("sub/app.scalediag");
};

TEST_F(ExperimentStoreTest, IsCreatedAndContinued) {
  {
    auto store = ExperimentStore::open(path_, example(), false);
    ASSERT_TRUE(store.ok()) << store.error().message;
    EXPECT_FALSE(store.value().continues());
    core::RunEntry& entry = store.value().entry({2, {{"grid", 64}}}, 0);
    ASSERT_TRUE(store.value().begin(entry).ok());
    EXPECT_TRUE(fs::is_directory(path_ + "/runs/np0002.grid64.r0"));
  }
  auto again = ExperimentStore::open(path_, example(), false);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_TRUE(again.value().continues());
  ASSERT_EQ(again.value().experiment().runs.size(), 1u);
  EXPECT_EQ(again.value().experiment().runs[0].state, core::RunState::kRunning);
}

TEST_F(ExperimentStoreTest, AFolderInWhichNoRunSucceededServesAnotherExperiment) {
  core::Experiment other = example();
  other.command = {"./other"};
  {
    auto store = ExperimentStore::open(path_, example(), false);
    store.value().entry({2, {}}, 0).state = core::RunState::kFailed;
    ASSERT_TRUE(store.value().save().ok());
  }
  {
    // The same experiment goes on; another one takes the folder, whether it records messages or not.
    auto same = ExperimentStore::open(path_, example(), false);
    ASSERT_TRUE(same.ok());
    EXPECT_TRUE(same.value().continues());
  }
  other.sampler = core::kMessages;
  {
    auto store = ExperimentStore::open(path_, other, false);
    ASSERT_TRUE(store.ok()) << store.error().message;
    EXPECT_FALSE(store.value().continues());
    EXPECT_TRUE(store.value().experiment().runs.empty());
  }
  other.sampler = example().sampler;
  auto store = ExperimentStore::open(path_, other, false);
  ASSERT_TRUE(store.ok()) << store.error().message;
  store.value().entry({2, {}}, 0).state = core::RunState::kFailed;
  store.value().entry({2, {}}, 1).state = core::RunState::kComplete;
  ASSERT_TRUE(store.value().save().ok());
  { const auto released = std::move(store); }
  const auto refused = ExperimentStore::open(path_, example(), false);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("holds runs of another experiment"), std::string::npos);
}

TEST_F(ExperimentStoreTest, TheRecordOfFilesGrowsAndForgetsNothing) {
  core::Experiment first = example();
  first.input_files = {{"/in.2", "1-00000002"}, {"/log", "1-00000001"}};
  {
    auto store = ExperimentStore::open(path_, first, false);
    ASSERT_TRUE(store.ok());
    EXPECT_TRUE(store.value().note_written("/log"));
    EXPECT_FALSE(store.value().note_written("/log"));
    ASSERT_TRUE(store.value().save().ok());
  }
  core::Experiment second = example();
  second.input_files = {{"/in.4", "1-00000004"}, {"/log", "9-00000009"}};
  second.environment.emplace()["OMP_NUM_THREADS"] = "4";
  const auto store = ExperimentStore::open(path_, second, false);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ(store.value().experiment().input_files,
            (std::map<std::string, std::string>{
                {"/in.2", "1-00000002"}, {"/in.4", "1-00000004"}, {"/log", core::kWrittenByApplication}}));
  EXPECT_EQ(store.value().experiment().environment, second.environment);  // unknown before
}

TEST_F(ExperimentStoreTest, ARunBeginsWithAnEmptyFolder) {
  auto store = ExperimentStore::open(path_, example(), false);
  core::RunEntry& entry = store.value().entry({2, {}}, 0);
  ASSERT_TRUE(store.value().begin(entry).ok());
  std::ofstream(path_ + "/runs/np0002.r0/0.raw") << "old";
  EXPECT_TRUE(store.value().has_raw_files(entry));
  entry.reason = "old";
  entry.exit_status = 3;
  ASSERT_TRUE(store.value().begin(entry).ok());
  EXPECT_FALSE(store.value().has_raw_files(entry));
  EXPECT_EQ(entry.reason, "");
  EXPECT_FALSE(entry.exit_status.has_value());
}

TEST_F(ExperimentStoreTest, IsHeldByOneAtATime) {
  const auto first = ExperimentStore::open(path_, example(), false);
  const auto second = ExperimentStore::open(path_, example(), false);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another scalediag profile"), std::string::npos);
}

TEST_F(ExperimentStoreTest, FreshRemovesOnlyWhatIsOurs) {
  {
    auto store = ExperimentStore::open(path_, example(), false);
    store.value().entry({2, {}}, 0).state = core::RunState::kComplete;
    ASSERT_TRUE(store.value().save().ok());
  }
  std::ofstream(path_ + "/notes") << "precious";
  core::Experiment other = example();
  other.command = {"./other"};
  EXPECT_FALSE(ExperimentStore::open(path_, other, false).ok());
  auto store = ExperimentStore::open(path_, other, true);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_TRUE(store.value().experiment().runs.empty());
  EXPECT_TRUE(fs::exists(path_ + "/notes"));
}

TEST_F(ExperimentStoreTest, WhatIsNotOursIsLeftAlone) {
  fs::create_directories(path_);
  std::ofstream(path_ + "/thesis") << "precious";
  EXPECT_FALSE(ExperimentStore::open(path_, example(), true).ok());
  EXPECT_FALSE(fs::exists(path_ + "/.lock"));
  std::ofstream(folder_.file("file")) << "";
  EXPECT_FALSE(ExperimentStore::open(folder_.file("file"), example(), true).ok());
}

}  // namespace
}  // namespace scalediag::launch
