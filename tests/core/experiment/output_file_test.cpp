#include "core/experiment/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::core {
namespace {

namespace fs = std::filesystem;

// An experiment folder "e", a folder "copy" of one of its runs, and a file "in.json" beside them.
class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(at("e/runs/np0002.r0"));
    write("e/experiment.json", "{\n \"schema\": \"scalediag-experiment/1\"");  // damaged: ours all the same
    for (const char* name :
         {"e/profile.json", "e/.lock", "e/runs/np0002.r0/rank000000.raw", "e/runs/np0002.r0/stdout.log", "in.json"}) {
      write(name, "x");
    }
    fs::copy(at("e/runs/np0002.r0"), at("copy"));
  }

  std::string at(const std::string& name) const { return folder_.file(name); }
  void write(const std::string& name, const std::string& content) const { std::ofstream(at(name)) << content; }

  // The error for `name` as output of a command that reads `inputs`; "" for none.
  std::string refusal(const std::string& name, std::vector<std::string> inputs = {}) const {
    for (std::string& input : inputs) input = at(input);
    const auto status = check_output_files({name.front() == '/' ? name : at(name)}, inputs);
    return status ? "" : status.error().message;
  }

  TemporaryFolder folder_;
};

#define EXPECT_REFUSED(expression, text) EXPECT_NE((expression).find(text), std::string::npos) << (expression)

TEST_F(OutputFile, IsNoInputByWhateverName) {
  fs::create_symlink("in.json", at("soft"));
  fs::create_hard_link(at("in.json"), at("hard"));
  const int fd = open(at("in.json").c_str(), O_RDONLY);
  for (const std::string& name : {std::string("in.json"), std::string("e/../in.json"), std::string("soft"),
                                  std::string("hard"), "/proc/self/fd/" + std::to_string(fd)}) {
    EXPECT_REFUSED(refusal(name, {"other.json", "", "in.json"}), "is what is read");
  }
  close(fd);
  EXPECT_EQ(refusal("new.json", {"in.json"}), "");
  write("old.html", "x");
  EXPECT_EQ(refusal("old.html", {"in.json"}), "") << "an older output";
}

TEST_F(OutputFile, IsNoFileOfAnyExperiment) {
  for (const char* name : {"e/experiment.json", "e/profile.json", "e/machine.json", "e/.lock", "e/runs/x.html",
                           "e/runs/np0002.r0/rank000000.raw", "e/runs/np0002.r0/stdout.log"}) {
    EXPECT_REFUSED(refusal(name, {"in.json"}), "belongs to the files of the experiment");
    EXPECT_NE(refusal(name, {"e"}), "");
    EXPECT_NE(refusal(name, {"e/profile.json"}), "");
  }
  fs::create_directory_symlink("e", at("link"));
  EXPECT_REFUSED(refusal("link/profile.json"), "belongs to the files of the experiment");
  fs::create_symlink("e/machine.json", at("dangling"));  // nothing is there yet
  EXPECT_REFUSED(refusal("dangling"), "belongs to the files of the experiment");
  EXPECT_EQ(refusal("e/report.html", {"e"}), "");
  fs::create_directories(at("mine/runs"));
  write("mine/experiment.json", "{\"title\": \"of somebody else\"}");
  EXPECT_EQ(refusal("mine/runs/x.html"), "");
}

TEST_F(OutputFile, IsNotReadFromAFolder) {
  EXPECT_REFUSED(refusal("copy/rank000000.raw", {"copy"}), "is what is read");
  EXPECT_REFUSED(refusal("copy/stdout.log", {"copy"}), "is what is read");
  EXPECT_EQ(refusal("copy/timeline.json", {"copy"}), "");
  fs::create_hard_link(at("e/runs/np0002.r0/rank000000.raw"), at("hard"));
  EXPECT_REFUSED(refusal("hard", {"e"}), "is what is read");
  EXPECT_REFUSED(refusal("hard", {"e/runs/np0002.r0"}), "is what is read");
}

TEST_F(OutputFile, OutputsOfOneCommandDiffer) {
  fs::create_symlink("new", at("link"));
  const auto both = check_output_files({at("new"), at("link")}, {});
  ASSERT_FALSE(both.ok());
  EXPECT_REFUSED(both.error().message, "are the same file");
  EXPECT_TRUE(check_output_files({at("new"), "", at("newer")}, {}).ok());
}

TEST_F(OutputFile, IsNotWhereStandardOutputGoes) {
  const int before = dup(STDOUT_FILENO);
  const int file = open(at("out").c_str(), O_WRONLY | O_CREAT, 0644);
  dup2(file, STDOUT_FILENO);
  const std::string found = refusal("out");
  const std::string through_proc = refusal("/dev/stdout");
  dup2(before, STDOUT_FILENO);
  close(file);
  close(before);
  EXPECT_REFUSED(found, "is where standard output goes");
  EXPECT_REFUSED(through_proc, "is where standard output goes");
}

TEST_F(OutputFile, ADanglingLinkIsToldAsSuch) {
  fs::create_symlink("no/such/file", at("dangling"));
  EXPECT_REFUSED(refusal("dangling"), "there is no folder " + at("no/such") + " for " + at("dangling") +
                                          ", which is a link to " + at("no/such/file"));
  fs::create_symlink("circle", at("circle"));
  EXPECT_REFUSED(refusal("circle"), "Too many levels of symbolic links");
}

TEST_F(OutputFile, AnExperimentIsMeasuredInNoOthersFiles) {
  EXPECT_REFUSED(check_experiment_folder(at("e/runs/new"), false, {}).error().message, "belongs to the files");
  EXPECT_TRUE(check_experiment_folder(at("e/inner"), false, {}).ok());
  EXPECT_TRUE(check_experiment_folder(at("e"), true, {at("in.json"), at("missing")}).ok());
  // --fresh removes profile.json; measuring a run again removes the files in runs.
  EXPECT_TRUE(check_experiment_folder(at("e"), false, {at("e/profile.json")}).ok());
  EXPECT_REFUSED(check_experiment_folder(at("e"), true, {at("e/profile.json")}).error().message, "would be removed");
  EXPECT_REFUSED(check_experiment_folder(at("e"), false, {at("e/runs/np0002.r0/stdout.log")}).error().message,
                 "would be removed");
}

TEST_F(OutputFile, AFileThatIsWrittenAnewIsNoLinkToOneThatIsRead) {
  EXPECT_TRUE(check_own_file(at("e"), at("e/profile.json"), {at("e/experiment.json")}).ok());
  fs::create_directory(at("f"));
  fs::create_symlink("../e/profile.json", at("f/profile.json"));
  EXPECT_REFUSED(check_own_file(at("f"), at("f/profile.json"), {}).error().message, "belongs to the files");
  fs::create_directory_symlink("../e/runs", at("f/runs"));
  EXPECT_REFUSED(check_own_file(at("f"), at("f/runs"), {}).error().message, "belongs to the files");
  EXPECT_TRUE(check_own_file(at("e"), at("e/runs"), {}).ok());
  fs::create_symlink("elsewhere.json", at("f/machine.json"));
  EXPECT_TRUE(check_own_file(at("f"), at("f/machine.json"), {}).ok()) << "kept on another disk";
  fs::remove(at("e/profile.json"));
  fs::create_symlink("experiment.json", at("e/profile.json"));
  EXPECT_REFUSED(check_own_file(at("e"), at("e/profile.json"), {at("e/experiment.json")}).error().message,
                 "is what is read");
}

}  // namespace
}  // namespace scalediag::core
