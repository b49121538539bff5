#include "loggp/phases/scaling_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "loggp/phases/program_phases.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// The partner is a table's, (7 r + 3) mod P: no equation of the vocabulary has it at three scales.
RankTrace irregular(int ranks, int rank) {
  Script s(ranks, rank);
  s.allreduce(8);
  int from = 0;
  while ((7 * from + 3) % ranks != rank) ++from;
  s.message(EventKind::kSend, (7 * rank + 3) % ranks, 8);
  s.message(EventKind::kRecv, from, 8);
  return s.trace;
}

TEST(ScalingModel, WhatIsIrregularIsNamed) {
  const auto model = model_of({run(irregular, 5), run(irregular, 11), run(irregular, 16)});
  ASSERT_TRUE(model);
  EXPECT_LT(model.value().regular_events, model.value().events);
  const std::vector<ProgramPhase> phases = phases_of(model.value());
  EXPECT_TRUE(std::any_of(phases.begin(), phases.end(), [](const ProgramPhase& p) { return !p.why_not.empty(); }));
}

TEST(ScalingModel, MainLoopIsTheOutermost) {
  const auto model = model_of({run(wavefront, 4), run(wavefront, 16)});
  ASSERT_TRUE(model);
  const auto loop = main_loop_of(model.value());
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->iterations, (std::map<int, double>{{4, 7}, {16, 7}}));
}

std::string error_of(const std::vector<std::vector<RankTrace>>& traces, int target = 0) {
  const auto model = model_of(traces, target);
  return model ? "" : model.error().message;
}

// Events of the four ranks: 3, and a loop with 2 more; then 1 and 2 of the two. The first is held against its 6 steps,
// and so are all that come later.
TEST(ScalingModel, PairsGrowWithTheEventsThatDoNotFold) {
  RankTrace longest;
  longest.steps.resize(4);
  longest.steps[3].count = 7;
  longest.steps[3].body.resize(2);
  RankTrace one, two;
  one.steps.resize(1);
  two.steps.resize(2);
  EXPECT_EQ(pairs_to_compare({{one, two}, {longest, one, one, two}}), 36 + 6 + 6 + 12 + 6 + 12);
}

TEST(ScalingModel, OneScaleIsAnError) {
  EXPECT_EQ(error_of({run(wavefront, 4)}), "one number of ranks says nothing about others");
  EXPECT_EQ(error_of({run(wavefront, 4), run(wavefront, 4)}), "one number of ranks says nothing about others");
}

// One rank alone talks to nobody: there is nothing that an equation could be told from.
TEST(ScalingModel, OneRankOnlyIsAnError) {
  EXPECT_EQ(error_of({run(wavefront, 1)}), "one number of ranks says nothing about others");
  EXPECT_EQ(error_of({}), "one number of ranks says nothing about others");
}

TEST(ScalingModel, DifferentProgramsAreAnError) {
  auto other = run(wavefront, 4);
  for (RankTrace& trace : other) trace.executable = "/other";
  EXPECT_EQ(error_of({run(wavefront, 8), other}), "the traces are of different programs: /app and /other");
}

// Inputs of 960 and 1000 rows: 8 times 960/1, 1000/2 and 960/4 bytes along sides of 1, 2 and 4 ranks. Nothing in a
// trace says which input a run had, so that no equation holds, and it is told.
TEST(ScalingModel, DifferentInputsAreTold) {
  const auto other = [](int ranks, int rank) {
    RankTrace trace = wavefront(ranks, rank);
    for (TraceEvent& e : trace.events) e.bytes = e.bytes == 8 ? 8 : e.bytes * 1000 / 960;
    return trace;
  };
  const auto model = model_of({run(wavefront, 4), run(other, 16), run(wavefront, 64)}, 256);
  ASSERT_TRUE(model);
  EXPECT_LT(model.value().regular_events, model.value().events);
  EXPECT_TRUE(is_told(model.value(), "no equation gives its bytes: "));
}

TEST(ScalingModel, FewerRanksThanMeasuredAreAnError) {
  const auto model = model_of({run(wavefront, 4), run(wavefront, 8)}, 8);
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().hint, "");
}

TEST(ScalingModel, AnIncompleteTraceIsAnError) {
  auto broken = run(wavefront, 4);
  broken[2].incomplete = "the trace of rank 2 ends early";
  const auto model = model_of({run(wavefront, 8), broken}, 16);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message, "the trace of rank 2 ends early");
}

TEST(ScalingModel, DefaultTargetIsOfTheSameKind) {
  EXPECT_EQ(default_target({1, 8, 27}), 216);
  EXPECT_EQ(default_target({4, 9}), 36);
  EXPECT_EQ(default_target({2, 4}), 16);
}

// One event of one rank that is not as the others: another number of bytes, another tag, another partner, or gone.
// Ranks 5 and 9 of 4 x 4 are neither first nor last along both sides, so that no equation has a place for it.
TEST(ScalingModel, OneStrangeEventIsNeverSilent) {
  for (const int rank : {5, 9}) {
    for (size_t event = 0; event < 4; ++event) {
      for (int what = 0; what < 4; ++what) {
        std::vector<std::vector<RankTrace>> traces = {run(wavefront, 4), run(wavefront, 8), run(wavefront, 16)};
        RankTrace& strange = traces[2][static_cast<size_t>(rank)];
        TraceEvent& e = strange.events[event];
        if (what == 0) e.bytes += 24;
        if (what == 1) e.tag += 5;
        if (what == 2) e.peer = (e.peer + 6) % 16;
        if (what == 3) strange.steps[0].body[0].body.erase(strange.steps[0].body[0].body.begin());
        const auto model = model_of(traces, 64);
        ASSERT_TRUE(model);
        EXPECT_LT(model.value().regular_events, model.value().events) << rank << ", event " << event << ", " << what;
      }
    }
  }
}

// Traces with anything changed anywhere give a model and a trace, or an error.
TEST(ScalingModel, AnyTracesCanBeModelled) {
  uint32_t state = 7;
  const auto any = [&state](uint32_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
  for (int round = 0; round < 40; ++round) {
    std::vector<std::vector<RankTrace>> traces = {run(wavefront, 2), run(butterfly, 4), run(wavefront, 8)};
    for (int change = 0; change < 5; ++change) {
      std::vector<RankTrace>& some = traces[any(3)];
      RankTrace& trace = some[any(static_cast<uint32_t>(some.size()))];
      if (trace.events.empty()) continue;
      TraceEvent& e = trace.events[any(static_cast<uint32_t>(trace.events.size()))];
      switch (any(6)) {
        case 0: e.peer = static_cast<int>(any(40)); break;
        case 1: e.bytes = uint64_t{1} << any(64); break;
        case 2: e.tag = static_cast<int>(any(100)) - 50; break;
        case 3: e.requests = {any(9), any(9)}; break;
        case 4: e.kind = static_cast<EventKind>(1 + any(3)); break;
        default: trace.steps.resize(any(static_cast<uint32_t>(trace.steps.size()) + 1));
      }
    }
    const auto model = model_of(traces, 16);
    ASSERT_TRUE(model);
    EXPECT_LE(model.value().certain_events, model.value().regular_events);
    uncertainties_of(model.value());
    const ScaledTraces scaled(model.value(), 16);
    for (int r = 0; r < 16; ++r) EXPECT_EQ(scaled.rank(r).rank, static_cast<uint32_t>(r));
    scaled.unmatched();
  }
}

// Before any slots are made of them, which would take gigabytes.
TEST(ScalingModel, TracesOfTooManyDifferentEventsAreRefused) {
  const RankOf long_run = [](int ranks, int rank) {
    Script script(ranks, rank);
    script.allreduce(8);
    script.trace.steps.resize(rank == 1 ? 150'001 : 1, script.trace.steps.front());
    return script.trace;
  };
  const auto model = model_of({run(long_run, 2), run(long_run, 4)}, 8);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message,
            "the traces are too long to be held against each other: rank 1 of 4 has 150001 events once folded, of at "
            "most 150000");
}

}  // namespace
}  // namespace scalediag::loggp
