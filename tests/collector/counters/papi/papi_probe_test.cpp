// The properties of PAPI that hold on any machine. With a performance monitoring unit that counts, tests/pmu checks
// more.
#include "collector/counters/papi/papi_probe.h"

#include <gtest/gtest.h>

#include "collector/counters/papi/known_loops.h"

namespace scalediag::counters {
namespace {

TEST(KnownLoop, HasTwoInstructionsAnIteration) { EXPECT_EQ(run_counted_loop(1000), 2000u); }

TEST(PapiProbe, SaysWhyItDoesNotCount) {
  const PapiState& state = probe_papi();
  EXPECT_EQ(state.counts, state.reason.empty()) << state.reason;
  EXPECT_EQ(state.counts, state.hint.empty()) << state.hint;
  if (state.counts) {
    EXPECT_GT(state.frequency_hz, 1e6);
  }
}

TEST(PapiProbe, AnEventThatDoesNotExistIsTold) {
  const EventState state = try_event("PAPI_NO_SUCH_EVENT");
  EXPECT_FALSE(state.exists);
  EXPECT_FALSE(state.counts);
  EXPECT_FALSE(state.reason.empty());
}

TEST(PapiProbe, WhatCountsIsAboveZeroAndWhatDoesNotHasAReason) {
  for (const std::string& preset : listed_presets()) {
    const EventState state = try_event(preset);
    EXPECT_EQ(state.counts, state.counted > 0) << preset;
    EXPECT_EQ(state.counts, state.reason.empty()) << preset;
  }
}

TEST(EventPlan, EventsOfTheApplicationNeedNoHardware) {
  if (!probe_papi().loaded) GTEST_SKIP() << probe_papi().reason;
  const auto plan = plan_events({"sde:::heat::CELLS@500", " sde:::heat::STEPS"}, 250);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan.value().needed_repeats(), 1);
  EXPECT_EQ(rank_arguments(plan.value(), 3),
            (std::vector<std::string>{"--events", "sde:::heat::CELLS@500,sde:::heat::STEPS"}));
}

TEST(EventPlan, GroupsRotateOverRepeats) {
  EventPlan plan;
  plan.groups = {{"A", "B"}, {"A", "C"}, {"A", "D"}};
  plan.period = 4000000;
  EXPECT_EQ(plan.needed_repeats(), 3);
  EXPECT_EQ(rank_arguments(plan, 0), (std::vector<std::string>{"--events", "A,B", "--period", "4000000"}));
  EXPECT_EQ(rank_arguments(plan, 4), (std::vector<std::string>{"--events", "A,C", "--period", "4000000"}));
}

// Cycles overflow every 1,000,003 (a prime), other events as planned until a run has counted them. 3e9 instructions in
// 2e9 cycles are 1.5 a cycle: 1,500,000 every 1,000,000 cycles, and the next prime. 4 misses in 2e9 cycles would be
// 0.002 a period: each one overflows.
TEST(EventPlan, EventsOverflowAsOftenAsCyclesOnceTheyWereCounted) {
  EventPlan plan;
  plan.groups = {{"PAPI_TOT_CYC", "PAPI_TOT_INS", "MISSES", "sde:::a::b@10"}};
  plan.period = 1000000;
  plan.thresholds = {{"PAPI_TOT_CYC", 1000003}, {"PAPI_TOT_INS", 4000037}, {"MISSES", 1009}};
  EXPECT_EQ(rank_arguments(plan, 0).at(1), "PAPI_TOT_CYC@1000003,PAPI_TOT_INS@4000037,MISSES@1009,sde:::a::b@10");
  core::Run run;
  run.sampled_events = {{"PAPI_TOT_CYC", 1000003, 2000, 2e9}, {"PAPI_TOT_INS", 4000037, 750, 3e9}};
  core::Run none;
  EXPECT_EQ(rank_arguments(plan, 1, {none, run}).at(1),
            "PAPI_TOT_CYC@1000003,PAPI_TOT_INS@1500007,MISSES@1009,sde:::a::b@10");
  run.sampled_events.push_back({"MISSES", 1009, 0, 4});
  EXPECT_EQ(rank_arguments(plan, 1, {run}).at(1), "PAPI_TOT_CYC@1000003,PAPI_TOT_INS@1500007,MISSES@1,sde:::a::b@10");
}

TEST(EventPlan, OnlyHardwareEventsAreMadeToOverflow) {
  if (!probe_papi().loaded) GTEST_SKIP() << probe_papi().reason;
  const auto plan = plan_events({"sde:::heat::CELLS"}, 250, true);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, core::ErrorCode::kUsage);
  EXPECT_NE(plan.error().hint.find("leave out --events-precise"), std::string::npos);
}

TEST(EventPlan, HardwareEventsWithoutAMonitoringUnitAreAnErrorWithAHint) {
  if (probe_papi().counts) GTEST_SKIP() << "hardware events count here";
  for (const std::vector<std::string>& asked : {std::vector<std::string>{}, {"PAPI_TOT_INS"}, {"sde:::a::b", "X"}}) {
    const auto plan = plan_events(asked, 250);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code, core::ErrorCode::kEnvironment);
    EXPECT_FALSE(plan.error().hint.empty());
  }
}

TEST(EventPlan, WhereTheyCountEveryGroupBeginsWithCycles) {
  if (!probe_papi().counts) GTEST_SKIP() << probe_papi().reason;
  const auto plan = plan_events({"PAPI_TOT_INS"}, 250);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan.value().groups, (std::vector<std::vector<std::string>>{{"PAPI_TOT_CYC", "PAPI_TOT_INS"}}));
  EXPECT_GT(plan.value().period, 0u);
  EXPECT_FALSE(plan_events({"PAPI_NO_SUCH_EVENT"}, 250).ok());
}

}  // namespace
}  // namespace scalediag::counters
