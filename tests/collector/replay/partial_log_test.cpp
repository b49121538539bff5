// Logs of the first iterations: what they say of the rest, and a vector completed by it.
#include "collector/replay/partial_log.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/atomic_file.h"
#include "core/raw/message_log.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::replay {
namespace {

// One event before a loop of 5 iterations of 2 events, of which 3 are recorded, and one event after it.
PartialLog example() { return {{{1, 2, 5, 3, 2.5}}, {4, 5}, 0.5, 2}; }

TEST(PartialLog, RepeatsAllRecordedIterationsButTheFirst) {
  // Iterations of 5, 2 and 3 s, so 10 s in all; in the trace 3 x 2.5 = 7.5 s: what follows takes 4/3 as long.
  const auto completed = complete(example(), {9, 2, 3, 1, 1, 1, 2});
  const std::vector<double> expected = {9, 2, 3, 1, 1, 1, 2, 1, 1, 1, 2, 4 * 4.0 / 3, 5 * 4.0 / 3};
  ASSERT_EQ(completed.computation_s.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(completed.computation_s[i], expected[i]) << i;
  EXPECT_DOUBLE_EQ(completed.replayed_s, 19);
  EXPECT_DOUBLE_EQ(completed.repeated_s, 5);
  EXPECT_DOUBLE_EQ(completed.traced_s, 12);
  // The second and the third: |1-1| + |2-1| = 1, of a mean iteration of 2.5 s. The first does not count.
  ASSERT_TRUE(completed.apart.has_value());
  EXPECT_DOUBLE_EQ(*completed.apart, 0.4);
}

// Two iterations of one event in each of two loops, of 3 and 4, and one event between them. The log goes on in the
// first loop, where a replay computes something else.
TEST(PartialLog, EachOfTwoLoopsIsCompleted) {
  const PartialLog log{{{0, 1, 3, 2, 2}, {4, 1, 4, 2, 3}}, {1}, 0.5, 0};
  EXPECT_EQ(log.events(), 6U);
  const auto completed = complete(log, {5, 3, 100, 8, 7, 6});
  // Loops of 5 + 3 and 7 + 6 s are 2 x 2 + 2 x 3 in the trace: what follows takes 2.1 times as long.
  EXPECT_EQ(completed.computation_s, (std::vector<double>{5, 3, 3, 8, 7, 6, 6, 6, 2.1}));
  EXPECT_DOUBLE_EQ(completed.replayed_s, 5 + 3 + 8 + 7 + 6);
  EXPECT_DOUBLE_EQ(completed.repeated_s, 3 + 6 + 6);
  EXPECT_DOUBLE_EQ(completed.traced_s, 2.1);
  EXPECT_FALSE(completed.apart.has_value());  // the first of two does not count, and the other has none to differ from
}

TEST(PartialLog, OneIterationIsRepeated) {
  PartialLog log = example();
  log.loops[0].recorded = 1;
  const auto completed = complete(log, {9, 2, 3});
  EXPECT_DOUBLE_EQ(completed.repeated_s, 4 * 5);
  EXPECT_EQ(completed.computation_s.size(), 1U + 5 * 2 + 2);
  EXPECT_FALSE(completed.apart.has_value());
}

TEST(PartialLog, IsReadAsItWasWritten) {
  const core::TemporaryFolder folder;
  const std::string path = folder.path() + "/rank000003.loop";
  ASSERT_TRUE(write_partial_log(path, 3, example()).ok());
  const auto read = read_partial_log(path, 3);
  ASSERT_TRUE(read.ok());
  ASSERT_TRUE(read.value().has_value());
  ASSERT_EQ(read.value()->loops.size(), 1U);
  const CutLoop& loop = read.value()->loops[0];
  EXPECT_EQ(loop.before, 1U);
  EXPECT_EQ(loop.per_iteration, 2U);
  EXPECT_EQ(loop.recorded, 3U);
  EXPECT_EQ(loop.iterations, 5U);
  EXPECT_EQ(loop.iteration_s, 2.5);
  EXPECT_EQ(read.value()->more_events, 2U);
  EXPECT_EQ(read.value()->most_apart, 0.5);
  EXPECT_EQ(read.value()->after_s, (std::vector<double>{4, 5}));
  EXPECT_FALSE(read_partial_log(path, 4).ok());
  const auto nothing = read_partial_log(folder.path() + "/rank000004.loop", 4);
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing.value().has_value());
}

TEST(PartialLog, EveryTruncationIsRefused) {
  const core::TemporaryFolder folder;
  const std::string path = folder.path() + "/rank000003.loop";
  ASSERT_TRUE(write_partial_log(path, 3, example()).ok());
  const auto whole = core::read_file(path);
  ASSERT_TRUE(whole.ok());
  for (size_t n = 0; n < whole.value().size(); ++n) {
    ASSERT_TRUE(core::write_file_atomically(path, whole.value().substr(0, n)).ok());
    EXPECT_FALSE(read_partial_log(path, 3).ok()) << n;
  }
}

// Files that are as long as they say, with numbers that no recording has.
TEST(PartialLog, DamagedNumbersAreRefused) {
  const core::TemporaryFolder folder;
  const std::string path = folder.path() + "/rank000003.loop";
  const auto is_read = [&path](const std::string& text) {
    EXPECT_TRUE(core::write_file_atomically(path, message_log::kLoopWord + text).ok());
    return read_partial_log(path, 3).ok();
  };
  EXPECT_TRUE(is_read("3 2 0.5 1 0\n1 2 5 3 2.5\n"));
  // 1 + 2 x 499,999,999 events, and two more, which are beyond kMostEvents.
  EXPECT_TRUE(is_read("3 2 0.5 1 0\n1 2 499999999 3 2.5\n"));
  EXPECT_FALSE(is_read("3 2 0.5 1 0\n1 2 500000000 3 2.5\n"));
  const std::vector<std::string> damaged = {
      "3 2 0.5 1 0\n18446744073709551615 2 5 3 2.5\n",  // before + iterations * per_iteration wraps to 9
      "3 2 0.5 1 0\n1 9223372036854775808 4 2 2.5\n",   // the product wraps to 0
      "3 2 0.5 1 0\n1 -2 5 3 2.5\n",
      "3 2 0.5 1 0\n1 2 5 3 -2.5\n",
      "3 2 0.5 1 0\n1 2 5 3 nan\n",
      "3 2 0.5 1 0\n1 2 5 3 1e999\n",
      "3 2 -0.5 1 0\n1 2 5 3 2.5\n",
      "3 2 0.5 18446744073709551615 0\n1 2 5 3 2.5\n",
      "3 2 0.5 1 18446744073709551615\n1 2 5 3 2.5\n",
  };
  for (const std::string& text : damaged) EXPECT_FALSE(is_read(text)) << text;
}

TEST(PartialLog, ComputationsThatAreNoAmountsAreRefused) {
  const core::TemporaryFolder folder;
  const std::string path = folder.path() + "/rank000003.loop";
  using Limits = std::numeric_limits<double>;
  for (const double seconds : {Limits::quiet_NaN(), Limits::infinity(), -1.0}) {
    PartialLog log = example();
    log.after_s[1] = seconds;
    ASSERT_TRUE(write_partial_log(path, 3, log).ok());
    EXPECT_FALSE(read_partial_log(path, 3).ok()) << seconds;
  }
}

}  // namespace
}  // namespace scalediag::replay
