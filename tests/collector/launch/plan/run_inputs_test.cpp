#include "collector/launch/plan/run_inputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

void write(const std::string& path, const std::string& content) { std::ofstream(path) << content; }

TEST(RunInputs, AFingerprintChangesWithTheContentOnly) {
  const core::TemporaryFolder folder;
  const std::string path = folder.file("in");
  write(path, "123456789");
  // CRC-32 of "123456789" is its published check value cbf43926.
  EXPECT_EQ(fingerprint_of_input(path), "9-cbf43926");
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(1));
  EXPECT_EQ(fingerprint_of_input(path), "9-cbf43926");
  write(path, "123456780");
  EXPECT_NE(fingerprint_of_input(path), "9-cbf43926");
}

TEST(RunInputs, OfALargeFileBothEndsAndItsTimeCount) {
  const core::TemporaryFolder folder;
  const std::string path = folder.file("in");
  std::string content(3 << 20, 'x');
  const auto time = [&] {
    write(path, content);
    return fs::last_write_time(path);
  }();
  const auto fingerprint = [&](size_t changed_byte, int seconds_later) {
    std::string changed = content;
    if (changed_byte < changed.size()) changed[changed_byte] = 'y';
    write(path, changed);
    fs::last_write_time(path, time + std::chrono::seconds(seconds_later));
    return fingerprint_of_input(path, 1 << 20);
  };
  const size_t none = content.size();
  const std::string before = fingerprint(none, 0);
  EXPECT_EQ(before.substr(0, 8), "3145728-");  // 3 x 2^20
  EXPECT_EQ(fingerprint(none, 0), before);
  EXPECT_NE(fingerprint(0, 0), before);
  EXPECT_NE(fingerprint(none - 1, 0), before);
  EXPECT_NE(fingerprint(none, 1), before);
}

TEST(RunInputs, OnlyRegularFilesHaveAFingerprint) {
  const core::TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(fingerprint_of_input(folder.file("pipe")), "");  // opening it would wait for ever
  EXPECT_EQ(fingerprint_of_input(folder.path()), "");
  EXPECT_EQ(fingerprint_of_input(folder.file("missing")), "");
}

TEST(RunInputs, VariablesThatMayChangeResultsAreKept) {
  const char* const environment[] = {"OMP_NUM_THREADS=4",
                                     "HOME=/home/user",
                                     "OMPI_MCA_btl=tcp,self",
                                     "LD_LIBRARY_PATH=",
                                     "XLD_LIBRARY_PATH=x",
                                     "broken",
                                     "FI_PROVIDER=a=b",
                                     "OMPI=1",
                                     nullptr};
  EXPECT_EQ(
      relevant_environment(environment),
      (std::map<std::string, std::string>{
          {"OMP_NUM_THREADS", "4"}, {"OMPI_MCA_btl", "tcp,self"}, {"LD_LIBRARY_PATH", ""}, {"FI_PROVIDER", "a=b"}}));
  for (const char* name : {"GOMP_SPINCOUNT", "KMP_AFFINITY", "MPICH_ASYNC_PROGRESS", "I_MPI_FABRICS", "UCX_TLS",
                           "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LD_PRELOAD", "GLIBC_TUNABLES"}) {
    EXPECT_TRUE(is_relevant_variable(name)) << name;
  }
}

TEST(RunInputs, ArgumentsMayNameFilesByThemselvesOrAfterAnEqualsSign) {
  const core::TemporaryFolder folder;
  const std::string in = folder.file("in.64");
  const std::string out = folder.file("out");  // does not exist yet
  PlannedConfiguration plan;
  plan.command = {folder.file("app"), in, "--out=" + out, folder.file("no/folder"), folder.path() + "/", ""};
  const auto paths = paths_in_arguments({plan, plan});
  const auto has = [&paths](const std::string& path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  EXPECT_TRUE(has(in));
  EXPECT_TRUE(has(out));
  EXPECT_FALSE(has(folder.file("app")));  // the application has its own fingerprint
  EXPECT_FALSE(has(folder.file("no/folder")));
  EXPECT_EQ(std::count(paths.begin(), paths.end(), in), 1);

  write(in, "123456789");
  write(folder.file("standard"), "");
  StdinSource input;
  input.file = folder.file("standard");
  // The CRC-32 of an empty text is 0.
  EXPECT_EQ(fingerprint_inputs(paths, input),
            (std::map<std::string, std::string>{{in, "9-cbf43926"}, {input.file, "0-00000000"}}));
}

TEST(OutputWatch, TellsWhatWasCreatedAndWhatChanged) {
  const core::TemporaryFolder folder;
  const std::string kept = folder.file("kept"), changed = folder.file("changed"), created = folder.file("created");
  write(kept, "a");
  write(changed, "a");
  OutputWatch watch({kept, changed, created});
  write(changed, "ab");
  write(created, "a");
  const auto first = watch.look();
  EXPECT_EQ(first.created, std::vector{created});
  EXPECT_EQ(first.changed, std::vector{changed});
  const auto second = watch.look();
  EXPECT_TRUE(second.created.empty());
  EXPECT_TRUE(second.changed.empty());
}

}  // namespace
}  // namespace scalediag::launch
