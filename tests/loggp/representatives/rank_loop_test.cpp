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
  const auto found = main_loop_of(example());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->before, 3U);
  EXPECT_EQ(found->per_iteration, 3U);
  EXPECT_EQ(found->iterations, 3U);
  EXPECT_NEAR(found->iteration_s, 11.0 / 3, 1e-6);
  EXPECT_EQ(found->after_s, (ComputationVector{4, 2}));
  // Iterations (1,1,1), (1,1,1), (3,1,1): distances 0 and 2, 1 in the mean, of 11/3 s.
  ASSERT_TRUE(found->apart.has_value());
  EXPECT_NEAR(*found->apart, 3.0 / 11, 1e-6);
}

TEST(RankLoop, ATraceWithoutSeriesDoesNotTellHowAlikeIterationsAre) {
  RankTrace trace = example();
  trace.steps[2].body[0].computations_s.clear();
  const auto found = main_loop_of(trace);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->apart.has_value());
}

TEST(RankLoop, ThereNeedBeNone) {
  RankTrace trace;
  trace.steps = {event({9}), event({4})};
  EXPECT_FALSE(main_loop_of(trace).has_value());
}

}  // namespace
}  // namespace scalediag::loggp
