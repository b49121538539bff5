// The phases of a run: which loops are phases, and whether their sum is the simulated time of the run.
#include "loggp/synth/signature_phases.h"

#include <gtest/gtest.h>

#include "tests/loggp/example_network.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

constexpr int kRanksOfSignature = 4;

RankTrace finished(Script& script) {
  script.trace.n_events = 0;
  each_occurrence(script.trace.steps, [&](const TraceStep&, uint64_t) { ++script.trace.n_events; });
  return script.trace;
}

// An Allreduce, then `rounds` of a ring.
RankTrace ring_trace(int rank, uint64_t rounds) {
  Script script(kRanksOfSignature, rank);
  script.allreduce(8);
  script.message(trace::EventKind::kIrecv, (rank + kRanksOfSignature - 1) % kRanksOfSignature, 9, 0, 0);
  script.message(trace::EventKind::kSend, (rank + 1) % kRanksOfSignature, 9);
  script.wait();
  script.repeat(1, rounds);
  return finished(script);
}

// A wave from the first rank to the last one, `rounds` times.
RankTrace wave_trace(int rank, uint64_t rounds) {
  Script script(kRanksOfSignature, rank);
  script.message(trace::EventKind::kRecv, rank > 0 ? rank - 1 : kNobody, 9);
  script.message(trace::EventKind::kSend, rank + 1 < kRanksOfSignature ? rank + 1 : kNobody, 9);
  script.repeat(0, rounds);
  return finished(script);
}

template <class Program>
std::vector<RankTrace> traces_of(const Program& program, uint64_t rounds) {
  std::vector<RankTrace> run;
  for (int r = 0; r < kRanksOfSignature; ++r) run.push_back(program(r, rounds));
  return run;
}

SignaturePhases phases_of_run(const std::vector<RankTrace>& run) {
  auto made = signature_phases(run, example_network(), 1);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.ok() ? std::move(made.value()) : SignaturePhases{};
}

double sum_of(const SignaturePhases& phases) {
  return weighted_sum(simulated_phases(phases.stepped, phases.simulated), &PhaseResult::simulated_s);
}

TEST(SignaturePhases, PartsAreStraightOrLoops) {
  const auto parts = parts_of(traces_of(ring_trace, 10));
  ASSERT_TRUE(parts.ok());
  ASSERT_EQ(parts.value().size(), 2U);
  EXPECT_EQ(parts.value()[0].rounds, 1U);
  EXPECT_EQ(parts.value()[0].events, std::vector<uint64_t>(kRanksOfSignature, 1));
  EXPECT_EQ(parts.value()[1].rounds, 10U);
  EXPECT_EQ(parts.value()[1].events, std::vector<uint64_t>(kRanksOfSignature, 3));
}

TEST(SignaturePhases, LoopsOfFewRoundsAreNoPhases) {
  const auto parts = parts_of(traces_of(ring_trace, 3));
  ASSERT_TRUE(parts.ok());
  ASSERT_EQ(parts.value().size(), 1U);
  EXPECT_EQ(parts.value()[0].events, std::vector<uint64_t>(kRanksOfSignature, 10));  // 1 + 3 x 3
}

// Five different routines, of which four are named; the last event adds none.
TEST(SignaturePhases, TheFirstRoutinesOfAPartAreNamed) {
  std::vector<RankTrace> run;
  for (int r = 0; r < kRanksOfSignature; ++r) {
    Script script(kRanksOfSignature, r);
    script.allreduce(8);
    script.exchange(8);
    script.message(trace::EventKind::kIrecv, (r + 1) % kRanksOfSignature, 9, 0, 0);
    script.message(trace::EventKind::kSend, (r + kRanksOfSignature - 1) % kRanksOfSignature, 9);
    script.wait();
    script.allreduce(8);
    run.push_back(finished(script));
  }
  const auto parts = parts_of(run);
  ASSERT_TRUE(parts.ok());
  ASSERT_EQ(parts.value().size(), 1U);
  EXPECT_EQ(parts.value()[0].routines_text(), "MPI_Allreduce, MPI_Alltoallv, MPI_Irecv, MPI_Send, ...");
}

TEST(SignaturePhases, ARoundStandsForAllWhereRoundsTakeTheSameTime) {
  const SignaturePhases phases = phases_of_run(traces_of(ring_trace, 10));
  ASSERT_EQ(phases.stepped.windows.size(), 2U);
  EXPECT_EQ(phases.stepped.windows[0].weight, 1);
  EXPECT_EQ(phases.stepped.windows[1].weight, 10);
  for (int r = 0; r < kRanksOfSignature; ++r) {
    const auto i = static_cast<size_t>(r);
    // A round: the computation before each of three events, the receive, the send with its own wait, and the wait.
    EXPECT_EQ(phases.stepped.windows[1].measured[i] - phases.stepped.windows[1].begin[i], 7U);
    EXPECT_EQ(phases.stepped.windows[1].end[i] - phases.stepped.windows[1].measured[i], 7U);
  }
  EXPECT_NEAR(sum_of(phases), phases.whole_s, kMostDeviation * phases.whole_s);
}

// The wave needs 3 x 108 to get to the last rank, and then the next one follows as fast as a rank receives and sends: a
// round after the first stands for nothing.
TEST(SignaturePhases, AWaveIsExecutedAsAWhole) {
  const SignaturePhases phases = phases_of_run(traces_of(wave_trace, 10));
  ASSERT_EQ(phases.stepped.windows.size(), 1U);
  EXPECT_EQ(phases.stepped.windows[0].weight, 1);
  EXPECT_GT(phases.whole_s, 3 * 108);
  EXPECT_DOUBLE_EQ(sum_of(phases), phases.whole_s);
}

TEST(SignaturePhases, WhatCannotBeExecutedIsNamed) {
  std::vector<RankTrace> run = traces_of(ring_trace, 10);
  run[2].events[0].kind = trace::EventKind::kNotReplayed;
  run[2].events[0].reason = trace::Reason::kOneSided;
  const auto made = signature_phases(run, example_network(), 1);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("rank 2"), std::string::npos) << made.error().message;
}

}  // namespace
}  // namespace scalediag::loggp
