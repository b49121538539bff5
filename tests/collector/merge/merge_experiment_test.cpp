#include <gtest/gtest.h>

#include "collector/merge/merge.h"
#include "tests/collector/merge/run_folder.h"

namespace scalediag::merge {
namespace {

class MergeExperiment : public testing::Test {
 protected:
  MergeExperiment() {
    experiment_.executable = "/opt/bin/app";
    experiment_.command = {"./app", "{np}"};
    experiment_.clock = "auto";
    experiment_.host.name = "node1";
    experiment_.host.cores = 4;
  }

  // A run of `np` ranks on `host`, complete; every rank with `threads` of which those besides the main thread are busy
  // when `busy` says so.
  void add_run(int np, int repeat, uint32_t threads = 1, bool busy = false, const std::string& host = "node1",
               const std::vector<CpuRange>& allowed_cpus = {}) {
    core::RunEntry e;
    e.configuration.np = np;
    e.repeat = repeat;
    e.state = core::RunState::kComplete;
    const std::string path = folder().run_folder(core::run_id(e.configuration, e.repeat));
    std::filesystem::create_directories(path);
    for (uint32_t r = 0; r < static_cast<uint32_t>(np); ++r) {
      RankIdentity i;
      i.rank = r;
      i.size = static_cast<uint32_t>(np);
      i.sampler = "perf";
      i.host = host;
      i.online_cpus = 16;
      RawFileBuilder b(r);
      b.identity(i).losses({0, 0, 0, 0, threads});
      if (!allowed_cpus.empty()) b.allowed_cpus(allowed_cpus);
      b.clock({raw::Phase::kLoad, 0, 0, 0, 0, 0, 0}).clock({raw::Phase::kInitEnd, 1, 1, 0, 0, 0, 0});
      b.clock({raw::Phase::kExit, 9, 9, 0, busy ? 20 * kSecond : 10 * kSecond, 10 * kSecond, 0});
      std::ofstream(path + "/rank" + std::to_string(r) + ".raw", std::ios::binary) << b.footer(0).bytes();
    }
    experiment_.runs.push_back(e);
  }
  core::ExperimentFolder folder() const { return core::ExperimentFolder(temporary_.path()); }
  core::Profile merged() const {
    auto p = merge_experiment(folder(), experiment_, false);
    EXPECT_TRUE(p.ok()) << p.error().message;
    return std::move(p).value();
  }

  core::TemporaryFolder temporary_;
  core::Experiment experiment_;
};

TEST_F(MergeExperiment, TakesCompleteRunsInOrder) {
  add_run(4, 1);
  add_run(2, 0);
  add_run(4, 0);
  experiment_.runs.push_back({{8, {}}, 0, core::RunState::kFailed, "", {}, "", 0, {}});
  const core::Profile p = merged();
  EXPECT_EQ(p.application, "app");
  EXPECT_EQ(p.command, (std::vector<std::string>{"./app", "{np}"}));
  ASSERT_EQ(p.runs.size(), 3u);
  EXPECT_EQ(p.runs[0].id, "np0002.r0");
  EXPECT_EQ(p.runs[1].id, "np0004.r0");
  EXPECT_EQ(p.runs[2].id, "np0004.r1");
  EXPECT_EQ(p.runs[2].repeat, 1);
}

TEST_F(MergeExperiment, TheBusiestRunDecidesTheClockOfAll) {
  add_run(2, 0);
  add_run(4, 0);
  EXPECT_EQ(merged().runs[0].clock, core::Clock::kWall);
  add_run(5, 0);
  for (const core::Run& r : merged().runs) EXPECT_EQ(r.clock, core::Clock::kCpu);
}

TEST_F(MergeExperiment, OnlyBusyThreadsNeedACore) {
  add_run(2, 0, 3, false);
  EXPECT_EQ(merged().runs[0].clock, core::Clock::kWall);
  add_run(2, 1, 3, true);  // 2 x 3 threads on 4 cores
  EXPECT_EQ(merged().runs[0].clock, core::Clock::kCpu);
}

TEST_F(MergeExperiment, AnotherHostHasItsOwnCores) {
  add_run(8, 0, 1, false, "compute7");  // 16 cores there, 4 here
  EXPECT_EQ(merged().runs[0].clock, core::Clock::kWall);
}

TEST_F(MergeExperiment, CoresThatRanksAreNotAllowedToRunOnAreNoneOfTheirs) {
  add_run(2, 0, 1, false, "node1", {{0, 1}});  // either of two for each of two
  EXPECT_EQ(merged().runs[0].clock, core::Clock::kWall);
  add_run(2, 1, 1, false, "node1", {{3, 3}});  // both on the same one of the host's 4, as with taskset -c 3
  EXPECT_EQ(merged().runs[0].clock, core::Clock::kCpu);
  EXPECT_EQ(merged().runs[0].clock_reason, "2 ranks were bound to 1 core, so only CPU time tells what work costs");
  experiment_.clock = "wall";
  EXPECT_EQ(merged().runs[0].clock, core::Clock::kWall);
}

TEST_F(MergeExperiment, TheClockThatWasAskedForIsTaken) {
  add_run(2, 0);
  experiment_.clock = "cpu";
  EXPECT_EQ(merged().runs[0].clock, core::Clock::kCpu);
}

TEST_F(MergeExperiment, ARunWithoutFilesDoesNotKeepTheOthersFromBeingMerged) {
  add_run(2, 0);
  experiment_.runs.push_back({{8, {}}, 0, core::RunState::kComplete, "", {}, "", 0, {}});
  const core::Profile p = merged();
  ASSERT_EQ(p.runs.size(), 2u);
  EXPECT_TRUE(p.runs[0].complete);
  EXPECT_EQ(p.runs[0].clock, core::Clock::kWall);  // the run without files shares no cores
  EXPECT_FALSE(p.runs[1].complete);
  EXPECT_EQ(p.runs[1].id, "np0008.r0");
  EXPECT_FALSE(p.runs[1].reason.empty());
}

TEST_F(MergeExperiment, NothingMeasuredGivesAnEmptyProfile) { EXPECT_TRUE(merged().runs.empty()); }

}  // namespace
}  // namespace scalediag::merge
