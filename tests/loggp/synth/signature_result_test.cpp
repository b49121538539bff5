// The program's output, and Eq. 6.
#include "loggp/synth/signature_result.h"

#include <gtest/gtest.h>

namespace scalediag::loggp {
namespace {

// Two ranks, two phases of weights 1 and 10; nothing is simulated to take any time.
struct Example {
  SteppedProgram stepped;
  SimulatedMessages simulated;
  std::vector<SignatureRun> runs;

  Example() {
    stepped.program = ListProgram(2);
    stepped.windows = {{"a", 1, {0, 0}, {0, 0}, {1, 1}}, {"b", 10, {1, 1}, {1, 1}, {2, 2}}};
    simulated.begin_s = {{0, 0, 0}, {0, 0, 0}};
    for (size_t w = 0; w < 2; ++w) {
      SignatureRun run;
      run.window = w;
      run.ranks = {{0, -1, 0, 0, {}, {}}, {1, -1, 0, 0, {}, {}}};
      runs.push_back(run);
    }
  }
};

std::string output(const std::string& lines) {
  return "scalediag-synthetic-signature 1\nlibrary Open MPI\nprocesses 2\nround_trip 0.02\n" + lines +
         "took 4.5\nend\n";
}

TEST(SignatureResult, PredictionIsTheSumOfPhasesTimesTheirWeights) {
  const auto measured = parse_signature(
      output("times 0 0 0 0 3\ntimes 0 1 1 1 2.5\ntimes 1 0 0 0.25 1\ntimes 1 1 0 0.5 0.75\nhole 1 2 3 0.001 0.002\n"));
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_DOUBLE_EQ(measured.value().took_s, 4.5);
  const Example e;
  const auto result = signature_result(e.stepped, e.simulated, e.runs, measured.value());
  ASSERT_TRUE(result.ok()) << result.error().message;
  // From when the last rank began, 1, to when the slowest ended, 3.
  EXPECT_DOUBLE_EQ(result.value().phases[0].time_s, 2);
  EXPECT_EQ(result.value().phases[0].slowest, 0);
  EXPECT_DOUBLE_EQ(result.value().phases[1].time_s, 0.5);
  EXPECT_DOUBLE_EQ(result.value().total_s, 1 * 2 + 10 * 0.5);
  EXPECT_DOUBLE_EQ(result.value().late_s, 0.001);
  EXPECT_DOUBLE_EQ(result.value().most_late_s, 0.002);
}

TEST(SignatureResult, RankThatWasMeasuredSeveralTimesHasTheMedian) {
  Example e;
  e.runs.push_back(e.runs[1]);
  e.runs.push_back(e.runs[1]);
  const auto measured = parse_signature(
      output("times 0 0 0 0 0\ntimes 0 1 0 0 0\ntimes 1 0 0 0 1\ntimes 1 1 0 0 0\ntimes 2 0 0 0 9\ntimes 2 1 0 0 0\n"
             "times 3 0 0 0 2\ntimes 3 1 0 0 0\n"));
  ASSERT_TRUE(measured.ok());
  const auto result = signature_result(e.stepped, e.simulated, e.runs, measured.value());
  ASSERT_TRUE(result.ok());
  EXPECT_DOUBLE_EQ(result.value().phases[1].time_s, 2);  // of 1, 9 and 2
}

TEST(SignatureResult, DamagedOutputIsRefused) {
  EXPECT_FALSE(parse_signature("").ok());
  EXPECT_FALSE(parse_signature("scalediag-synthetic-signature 2\nend\n").ok());
  EXPECT_FALSE(parse_signature("scalediag-synthetic-signature 1\ntimes 0 0 0 0 3\n").ok());  // cut off
  EXPECT_FALSE(parse_signature(output("times 0 0 0 x 3\n")).ok());
  EXPECT_FALSE(parse_signature(output("times 0 0 0 4 3\n")).ok());  // ends before it begins
}

TEST(SignatureResult, MissingAndUnknownTimesAreRefused) {
  const Example e;
  for (const char* lines : {"times 0 0 0 0 3\n", "times 7 0 0 0 3\n", "times 0 9 0 0 3\n"}) {
    const auto measured = parse_signature(output(lines));
    ASSERT_TRUE(measured.ok());
    EXPECT_FALSE(signature_result(e.stepped, e.simulated, e.runs, measured.value()).ok()) << lines;
  }
}

}  // namespace
}  // namespace scalediag::loggp
