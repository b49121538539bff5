#include "collector/launch/process/stdin_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

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

TEST(StdinSource, ItsDescriptionIsRead) {
  for (const StdinSource& source :
       {StdinSource{"", 0}, StdinSource{"/a/in", 0}, StdinSource{"/a from byte x/in", 12},
        StdinSource{"/a from byte x/in", 0}, StdinSource{"/a from byte 7x", 0}, StdinSource{"/a from byte ", 0}}) {
    const StdinSource read = StdinSource::described(source.description());
    EXPECT_EQ(read.file, source.file);
    EXPECT_EQ(read.offset, source.offset);
  }
}

}  // namespace
}  // namespace scalediag::launch
