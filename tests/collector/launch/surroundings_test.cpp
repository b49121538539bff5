// Small helpers that look at the machine and at measured data.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "cli/command_output.h"
#include "cli/folder_lock.h"
#include "cli/host_facts.h"
#include "cli/installation.h"
#include "cli/stdin_source.h"
#include "cli/time_estimate.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::cli {
namespace {

TEST(HostFacts, AreThere) {
  const core::Host host = read_host();
  EXPECT_FALSE(host.name.empty());
  EXPECT_EQ(host.kernel.rfind("Linux ", 0), 0u);
  EXPECT_GE(host.cores, 1);
  EXPECT_GT(host.memory_bytes, 0);
}

TEST(HostFacts, SlurmsCompressedListIsSummedUp) {
  EXPECT_EQ(slurm_cpus("8"), 8);
  EXPECT_EQ(slurm_cpus("16(x4),8"), 72);  // 4 * 16 + 8
  EXPECT_EQ(slurm_cpus("many"), 0);
  EXPECT_EQ(slurm_cpus(""), 0);
}

TEST(HostFacts, TimeIsIso8601InUtc) {
  const std::string now = utc_now();
  ASSERT_EQ(now.size(), 20u);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now[19], 'Z');
}

TEST(CommandOutput, KeepsBothStreamsAndTheStatus) {
  const auto output = run_and_capture({"sh", "-c", "echo a; echo b >&2; cat; exit 3"});
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output.value().text, "a\nb\n");
  EXPECT_EQ(output.value().exit_status, 3);
  EXPECT_EQ(run_and_capture({"sh", "-c", "kill -9 $$"}).value().exit_status, 137);
  EXPECT_FALSE(run_and_capture({"/nowhere/command"}).ok());
}

TEST(FolderLock, IsReleasedWithItsObject) {
  const core::TemporaryFolder folder;
  {
    const auto lock = FolderLock::acquire(folder.path());
    ASSERT_TRUE(lock.ok());
    EXPECT_EQ(FolderLock::acquire(folder.path()).error().code, core::ErrorCode::kInput);
  }
  EXPECT_TRUE(FolderLock::acquire(folder.path()).ok());
  EXPECT_EQ(FolderLock::acquire(folder.file("none")).error().code, core::ErrorCode::kEnvironment);
}

TEST(Installation, IsLookedForWhereTheVariableSays) {
  const core::TemporaryFolder folder;
  setenv("SCALEDIAG_LIBRARY_DIR", folder.path().c_str(), 1);
  const auto missing = find_installation();
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find(folder.path()), std::string::npos);
  std::ofstream(folder.file("libscalediag.so")) << "";
  EXPECT_FALSE(find_installation().ok());  // both are needed
  std::ofstream(folder.file("scalediag-rank")) << "";
  EXPECT_FALSE(find_installation().ok());  // and the shim has to be executable
  chmod(folder.file("scalediag-rank").c_str(), 0755);
  const auto found = find_installation();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().shim, folder.file("scalediag-rank"));
  unsetenv("SCALEDIAG_LIBRARY_DIR");
}

// Puts a descriptor in the place of standard input for the time of a test.
class StdinReplacement {
 public:
  explicit StdinReplacement(int fd) : before_(dup(STDIN_FILENO)) { dup2(fd, STDIN_FILENO); }
  ~StdinReplacement() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }

 private:
  int before_;
};

TEST(StdinSource, ARedirectedFileIsReadFromWhereItStands) {
  const core::TemporaryFolder folder;
  std::ofstream(folder.file("input")) << "abcdef";
  const int fd = open(folder.file("input").c_str(), O_RDONLY);
  lseek(fd, 2, SEEK_SET);
  const StdinReplacement replacement(fd);
  const auto source = choose_stdin("");
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source.value().description(), folder.file("input") + " from byte 2");
  for (int run = 0; run < 2; ++run) {
    const auto opened = source.value().open();
    char first = 0;
    EXPECT_EQ(read(opened.value(), &first, 1), 1);
    EXPECT_EQ(first, 'c');
    close(opened.value());
  }
  close(fd);
}

TEST(StdinSource, AnEmptyPipeMeansNothingAndOneWithDataIsRefused) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const StdinReplacement replacement(ends[0]);
  const auto empty = choose_stdin("");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty.value().open().value(), -1);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  const auto waiting = choose_stdin("");
  ASSERT_FALSE(waiting.ok());
  EXPECT_NE(waiting.error().hint.find("--stdin FILE"), std::string::npos);
  close(ends[0]);
  close(ends[1]);
}

TEST(StdinSource, ANamedFileHasToBeAFileThatCanBeRead) {
  const core::TemporaryFolder folder;
  EXPECT_FALSE(choose_stdin(folder.file("missing")).ok());
  EXPECT_FALSE(choose_stdin(folder.path()).ok());
  std::ofstream(folder.file("input")) << "abc";
  EXPECT_EQ(choose_stdin(folder.file("input")).value().file, folder.file("input"));
}

core::RunEntry complete_run(int np, double grid, double elapsed_s) {
  core::RunEntry run;
  run.configuration = {np, {{"grid", grid}}};
  run.state = core::RunState::kComplete;
  run.elapsed_s = elapsed_s;
  return run;
}

TEST(TimeEstimate, PrefersTheSameConfigurationThenTheNearestThenAll) {
  EXPECT_LT(expected_duration_s({}, {4, {{"grid", 64}}}), 0);
  std::vector<core::RunEntry> runs = {complete_run(2, 64, 10), complete_run(16, 64, 90), complete_run(2, 128, 40)};
  EXPECT_EQ(expected_duration_s(runs, {2, {{"grid", 64}}}), 10);
  EXPECT_EQ(expected_duration_s(runs, {4, {{"grid", 64}}}), 10);  // a factor of 2 from 2, of 4 from 16
  EXPECT_EQ(expected_duration_s(runs, {12, {{"grid", 64}}}), 90);
  EXPECT_EQ(expected_duration_s(runs, {4, {{"grid", 256}}}), (10 + 90 + 40) / 3.0);
  runs.push_back(complete_run(2, 64, 14));
  EXPECT_EQ(expected_duration_s(runs, {2, {{"grid", 64}}}), 12);
  runs[0].state = core::RunState::kFailed;
  EXPECT_EQ(expected_duration_s(runs, {2, {{"grid", 64}}}), 14);
}

}  // namespace
}  // namespace scalediag::cli
