// The main loop of a rank's folded trace.
#include "loggp/representatives/rank_loop.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace scalediag::loggp {
namespace {

// An event before which these are computed, in seconds, in all its occurrences.
TraceStep event(std::vector<float> computations_s) {
  TraceStep step;
  step.before.n = computations_s.size();
  step.before.total = 0;
  for (const float s : computations_s) step.before.total += static_cast<uint64_t>(s * 1e9F);
  step.computations_s = std::move(computations_s);
  return step;
}

TraceStep loop_of(uint64_t count, std::vector<TraceStep> body) {
  TraceStep step;
  step.count = count;
  step.body = std::move(body);
  return step;
}

// An event, a short loop of 2 x 1 event, the main loop of 3 x (1 + 2) events, and an event.
RankTrace example() {
  RankTrace trace;
  trace.steps = {event({9}), loop_of(2, {event({0.5, 0.5})}),
                 loop_of(3, {event({1, 1, 3}), loop_of(2, {event({1, 1, 1, 1, 1, 1})})}), event({4})};
  trace.n_events = 1 + 2 + 9 + 1;
  trace.tail_ns = 2'000'000'000;
  return trace;
}

TEST(RankLoop, IsTheOutermostWithTheMostComputation) {
  const auto found = main_loops_of(example(), 2);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->loops.size(), 1U);  // the short loop has 1 of 27 s
  const RankLoop& loop = found->loops[0];
  EXPECT_EQ(loop.before, 3U);
  EXPECT_EQ(loop.per_iteration, 3U);
  EXPECT_EQ(loop.iterations, 3U);
  EXPECT_NEAR(loop.iteration_s, 11.0 / 3, 1e-6);
  EXPECT_EQ(found->after_s, (ComputationVector{4, 2}));
  EXPECT_EQ(found->most_iterations, 3U);
  // Iterations (1,1,1), (1,1,1), (3,1,1): between the last two 2 s, of 4 s in the mean.
  ASSERT_TRUE(loop.apart.has_value());
  EXPECT_NEAR(*loop.apart, 0.5, 1e-6);
}

// One iteration of a loop of 3 is kept, and of the two loops with a tenth of the computation or more.
TEST(RankLoop, LoopsThatFollowOneAnotherAreAllFound) {
  RankTrace trace = example();
  trace.steps.insert(trace.steps.begin() + 1, loop_of(4, {event({1, 1, 1, 1})}));
  const auto found = main_loops_of(trace, 1);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->loops.size(), 2U);  // 4 and 11 of 31 s
  EXPECT_EQ(found->loops[0].before, 1U);
  EXPECT_EQ(found->loops[0].end(), 5U);
  EXPECT_EQ(found->loops[1].before, 7U);
  EXPECT_EQ(found->most_iterations, 4U);
  EXPECT_EQ(found->after_s, (ComputationVector{4, 2}));
}

// Of three rounds all are kept; the loop within, of 6 s in all, has more and is found in each of them.
TEST(RankLoop, LoopsWithinOneThatIsKeptAreFoundEachTime) {
  RankTrace trace = example();
  trace.steps[2].body[1] = loop_of(4, {event(std::vector<float>(12, 0.5F))});
  trace.n_events = 1 + 2 + 15 + 1;
  const auto found = main_loops_of(trace, 3);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->loops.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found->loops[i].before, 4 + 5 * i);
    EXPECT_EQ(found->loops[i].iterations, 4U);
    EXPECT_EQ(found->loops[i].per_iteration, 1U);
    EXPECT_NEAR(found->loops[i].iteration_s, 0.5, 1e-6);
  }
  EXPECT_EQ(found->most_iterations, 4U);
  EXPECT_EQ(found->after_s, (ComputationVector{4, 2}));
}

TEST(RankLoop, ThoseThatAreKeptLeaveNothingToBeCut) {
  const auto found = main_loops_of(example(), 3);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->loops.empty());
  EXPECT_EQ(found->most_iterations, 3U);
}

TEST(RankLoop, ATraceWithoutSeriesDoesNotTellHowAlikeIterationsAre) {
  RankTrace trace = example();
  trace.steps[2].body[0].computations_s.clear();
  const auto found = main_loops_of(trace, 2);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->loops.at(0).apart.has_value());
}

// The first one does not count, and the other has none to differ from.
TEST(RankLoop, TwoIterationsDoNotTellHowAlikeTheyAre) {
  RankTrace trace;
  trace.steps = {loop_of(2, {event({1, 5})})};
  trace.n_events = 2;
  const auto found = main_loops_of(trace, 1);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->loops.size(), 1U);
  EXPECT_FALSE(found->loops[0].apart.has_value());
}

// Successive iterations differ once, by 2 of 2 s in the mean: 2 / 9 / 2. The first three compute 1 s, half of the mean.
TEST(RankLoop, IterationsThatAreKeptHaveToStandForAll) {
  RankTrace trace;
  trace.steps = {loop_of(11, {event({1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3})})};
  trace.n_events = 11;
  const auto found = main_loops_of(trace, 3);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->loops.at(0).apart.value(), 0.5, 1e-6);
}

TEST(RankLoop, ThereNeedBeNone) {
  RankTrace trace;
  trace.steps = {event({9}), event({4})};
  EXPECT_FALSE(main_loops_of(trace, 1).has_value());
}

}  // namespace
}  // namespace scalediag::loggp
