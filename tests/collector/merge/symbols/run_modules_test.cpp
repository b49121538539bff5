// The decision which runs are of one build.
#include "collector/merge/symbols/run_modules.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/raw/raw_format.h"
#include "tests/collector/merge/run_folder.h"

namespace scalediag::merge {
namespace {

RunModules modules(const std::vector<ModuleSpan>& spans, const std::string& executable = "/x/app") {
  RankRecord record;
  record.identity.emplace();
  record.identity->executable = executable;
  record.modules[0] = spans;
  RunModules result;
  result.add(record);
  return result;
}

ModuleSpan module(const std::string& path, const std::string& build_id) { return {0, 1, 2, path, build_id, ""}; }

std::string refused(const RunModules& now, const RunModules& before, bool repeats = false) {
  return compare_modules(now, before, "np0002.r0", repeats).refused;
}

TEST(RunModules, TheSameBuildsBelongTogetherWhereverTheyLie) {
  const RunModules a = modules({module("/x/app", "aa"), module("/x/libmine.so", "bb")});
  EXPECT_EQ(refused(a, a), "");
  EXPECT_EQ(refused(modules({module("/y/app", "aa"), module("/y/libmine.so", "bb")}, "/y/app"), a), "");
  // Modules that are loaded as they are needed, or known to one run only.
  EXPECT_EQ(refused(modules({module("/x/app", "aa")}), a), "");
  EXPECT_EQ(refused(modules({module("/x/app", "")}), a), "");
  EXPECT_EQ(refused(modules({}), a), "");
}

TEST(RunModules, AnotherBuildOfTheProgramIsRefused) {
  EXPECT_EQ(refused(modules({module("/x/app", "cc")}), modules({module("/x/app", "aa")})),
            "it ran another build of /x/app than np0002.r0 (build id cc, there build id aa)");
  EXPECT_EQ(refused(modules({module("/y/app", "cc")}, "/y/app"), modules({module("/x/app", "aa")})),
            "it ran another build of /y/app where that ran /x/app than np0002.r0 (build id cc, there build id aa)");
}

TEST(RunModules, AnotherBuildOfALibraryIsRefusedUnlessItIsTheSystems) {
  const auto with = [](const std::string& path, const std::string& id) {
    return modules({module("/x/app", "aa"), module(path, id)});
  };
  EXPECT_EQ(refused(with("/x/libmine.so", "cc"), with("/x/libmine.so", "bb")),
            "it ran another build of /x/libmine.so than np0002.r0 (build id cc, there build id bb)");
  EXPECT_EQ(refused(with("/usr/local/lib/libmine.so", "cc"), with("/opt/lib/libmine.so", "bb")).substr(0, 20),
            "it ran another build");
  EXPECT_EQ(
      refused(with("/usr/lib/x86_64-linux-gnu/libc.so.6", "cc"), with("/usr/lib/x86_64-linux-gnu/libc.so.6", "bb")),
      "");
  EXPECT_EQ(refused(with("/x/libscalediag.so", "cc"), with("/x/libscalediag.so", "bb")), "");
}

// Two programs in one job, and files of one name in several folders.
TEST(RunModules, FilesOfOneNameNeedOneBuildInCommon) {
  RunModules both = modules({module("/a/app", "aa")}, "/a/app");
  both.programs["app"].insert({"/b/app", "bb"});
  EXPECT_EQ(refused(both, both), "");
  EXPECT_EQ(refused(modules({module("/a/app", "aa")}, "/a/app"), both), "");
  EXPECT_NE(refused(modules({module("/a/app", "cc")}, "/a/app"), both), "");
}

// A program built for each number of ranks is allowed; repeats that differ are not.
TEST(RunModules, ProgramsWithOtherNamesAreRefusedAmongRepeatsAndElseTold) {
  const RunModules two = modules({module("/x/cg.2", "aa")}, "/x/cg.2"),
                   four = modules({module("/x/cg.4", "bb")}, "/x/cg.4");
  EXPECT_EQ(refused(four, two, true), "it ran /x/cg.4 where np0002.r0 ran /x/cg.2");
  EXPECT_EQ(refused(four, two, false), "");
  EXPECT_EQ(compare_modules(four, two, "np0002.r0", false).told,
            "this run ran /x/cg.4 where np0002.r0 ran /x/cg.2: they are taken for one program");
}

TEST(RunModules, WithoutBuildIdsSizeAndChangeTellBuildsApart) {
  const core::TemporaryFolder folder;
  const std::string path = folder.file("app");
  std::ofstream(path) << "first";
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  const std::string stamp = raw::file_stamp(status);
  EXPECT_EQ(stamp.substr(0, 7), "file:5-");
  const RunModules first = modules({{0, 1, 2, path, "", stamp}}, path);
  EXPECT_EQ(rebuilt_file(first), "");
  // 1 s after the epoch, in nanoseconds.
  const RunModules second = modules({{0, 1, 2, path, "", "file:7-1000000000"}}, path);
  EXPECT_NE(refused(second, first).find("(7 bytes of 1970-01-01 00:00:01 UTC, there 5 bytes of "), std::string::npos);
  std::ofstream(path) << "longer";
  EXPECT_EQ(rebuilt_file(first), path);
  std::filesystem::remove(path);
  EXPECT_EQ(rebuilt_file(first), "");  // it may be on another machine
}

TEST(RunModules, AnExperimentOfTwoBuildsIsNotMerged) {
  RunFolder f(1);
  RankLife life{.rank = 0, .size = 1, .modules = {{0, 1, 2, "/x/app", "aa", ""}}, .executable = "/x/app"};
  f.write("rank000000.raw", finished_file(life));
  core::Experiment experiment;
  experiment.runs.push_back(f.entry());
  core::RunEntry repeat = f.entry();
  repeat.repeat = 1;
  experiment.runs.push_back(repeat);
  const std::string folder = f.folder().run_folder(core::run_id(repeat.configuration, 1));
  std::filesystem::create_directories(folder);
  const auto write_repeat = [&](const std::string& build_id) {
    life.modules[0].build_id = build_id;
    std::ofstream(folder + "/rank000000.raw", std::ios::binary | std::ios::trunc) << finished_file(life);
  };
  write_repeat("aa");
  EXPECT_TRUE(merge_experiment(f.folder(), experiment, false).ok());
  write_repeat("bb");
  const auto merged = merge_experiment(f.folder(), experiment, false);
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.error().message,
            "np0001.r1 does not belong to the other runs: it ran another build of /x/app than np0001.r0 (build id bb, "
            "there build id aa)");
}

}  // namespace
}  // namespace scalediag::merge
