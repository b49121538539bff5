#include "collector/launch/session/progress.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace scalediag::launch {
namespace {

TEST(FormatDuration, UsesTheUnitThatFits) {
  EXPECT_EQ(format_duration(-1), "0.0 s");
  EXPECT_EQ(format_duration(12.34), "12.3 s");
  EXPECT_EQ(format_duration(59.96), "1 min 00 s");
  EXPECT_EQ(format_duration(245), "4 min 05 s");
  EXPECT_EQ(format_duration(7380), "2 h 03 min");
}

class ProgressTest : public ::testing::Test {
 protected:
  ProgressTest() { EXPECT_EQ(pipe(ends_), 0); }
  ~ProgressTest() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  // The text written so far; a byte is added so that reading never waits.
  std::string written() {
    EXPECT_EQ(::write(ends_[1], "|", 1), 1);
    char buffer[4096];
    const ssize_t n = read(ends_[0], buffer, sizeof buffer);
    return {buffer, static_cast<size_t>(n) - 1};
  }
  int ends_[2];
};

TEST_F(ProgressTest, WithoutATerminalThereAreLinesForWhatIsTold) {
  Progress progress(ends_[1], false);
  progress.begin_run("np=4", 10, 100);
  progress.tick(5);
  progress.make_way();
  progress.resume(false);
  progress.complete_run(12.3, false);
  EXPECT_EQ(written(), "");
  progress.complete_run(12.3, true);
  EXPECT_EQ(written(), "np=4: 12.3 s\n");
  progress.fail_run(2, "failed: it crashed");
  EXPECT_EQ(written(), "np=4: 2.0 s, failed: it crashed\n");
}

TEST_F(ProgressTest, OnATerminalTheLineIsRewrittenWithTheTimeLeft) {
  Progress progress(ends_[1], true);
  progress.begin_run("np=4", 10, 100);
  progress.tick(5);
  EXPECT_EQ(written(), "\r\033[Knp=4: 5.0 s, about 1 min 35 s left in all");
  // Longer than expected: the 90 s of the other runs are left.
  progress.tick(20);
  EXPECT_EQ(written(), "\r\033[Knp=4: 20.0 s, about 1 min 30 s left in all");
  progress.complete_run(21, true);
  EXPECT_EQ(written(), "\r\033[K");
  progress.begin_run("np=8", 10, 100);
  progress.fail_run(3, "failed: it crashed");
  EXPECT_EQ(written(), "np=8: 3.0 s, failed: it crashed\n");
}

TEST_F(ProgressTest, NothingIsPromisedBeforeAnythingIsKnown) {
  Progress progress(ends_[1], true);
  progress.begin_run("np=4", -1, -8);
  progress.tick(5);
  EXPECT_EQ(written(), "\r\033[Knp=4: 5.0 s");
}

TEST_F(ProgressTest, TheApplicationsOutputIsNotOverwritten) {
  Progress progress(ends_[1], true);
  progress.begin_run("np=4", -1, -1);
  progress.tick(1);
  written();
  progress.make_way();
  EXPECT_EQ(written(), "\r\033[K");
  progress.resume(false);  // half a line of the application stands there now
  progress.tick(2);
  EXPECT_EQ(written(), "");
  progress.fail_run(3, "failed: it crashed");
  EXPECT_EQ(written(), "\nnp=4: 3.0 s, failed: it crashed\n");
}

}  // namespace
}  // namespace scalediag::launch
