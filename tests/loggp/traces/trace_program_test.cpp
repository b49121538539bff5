// Recorded traces: reading them, refusing them, and their programs. Payloads are written number by number as
// core/raw/trace_format.h defines them.
#include "loggp/traces/trace_program.h"

#include <gtest/gtest.h>

#include <fstream>

#include "loggp/simulator/simulator.h"
#include "loggp/traces/counted_traces.h"
#include "tests/core/temporary_folder.h"
#include "tests/loggp/phases/program_traces.h"
#include "tests/loggp/traces/trace_bytes.h"

namespace scalediag::loggp {
namespace {

// What a rank does to make a communicator of eight.
std::vector<Op> made_by(const char* mpi_version) {
  RankTrace trace;
  trace.size = 8;
  TraceEvent event;
  event.kind = trace::EventKind::kCommunicatorMade;
  event.agreements = agreements_of(mpi_version);
  std::vector<Op> ops;
  append_operations(trace, event, ExchangePeers::kRanks, 0, 0, ops);
  return ops;
}

Simulation made_by_all(const char* mpi_version, double connect_s) {
  ListProgram program(8);
  for (int r = 0; r < 8; ++r) program.of(r) = made_by(mpi_version);
  Network network = uniform_network({}, 100);
  network.other_node.connect_s = connect_s;
  auto made = simulate(program, network);
  EXPECT_TRUE(made.ok());
  return made.ok() ? made.value() : Simulation{};
}

TEST(TraceProgram, MakingACommunicatorConnectsThePairsOfItsTrees) {
  // Open MPI: three times three steps up and three down.
  EXPECT_DOUBLE_EQ(made_by_all("Open MPI v4.1.4", 0).total_s, 18 * 100);
  // Up the first time: 7 to 6, 6 to 4 and 4 to 0 connect one after the other. Down: 0 to 1 is connected, 1 to 3 and 3
  // to 7 are not.
  EXPECT_DOUBLE_EQ(made_by_all("Open MPI v4.1.4", 1000).total_s, 18 * 100 + 5 * 1000);
  // MPICH: once, in three steps with partners at the distances 1, 2 and 4.
  EXPECT_DOUBLE_EQ(made_by_all("MPICH Version: 4.0.2", 1000).total_s, 3 * 100 + 3 * 1000);
}

using tests::add_chunk;
using tests::identity;
using tests::numbers;
using tests::prelude;
using tests::rank_file;
using trace::EventKind;

constexpr uint64_t id(EventKind kind) { return static_cast<uint64_t>(kind); }

// Routine 7, "MPI_X".
std::string name() {
  std::string payload = numbers({1, 7});
  trace::put_text(payload, "MPI_X");
  return payload;
}

// Rank 0 sends 100 B to rank 1 three times, computing 1000, 2000 and 3000 ns before it; rank 1 receives them.
// Tag 5 is 10 as a signed number. The loop: one item in its body (2 x 1 + 1), three times round, event 0, times.
std::string three_messages(EventKind kind, uint64_t peer) {
  return name() + numbers({1, id(kind), 7, peer, 10, 0, 100, 1, 3, 3, 0, 6000, 1000, 3000, 816});
}

RankTrace parsed(const std::string& file) {
  auto trace = parse_rank_trace(file, "f");
  EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().message);
  return trace.ok() ? trace.value() : RankTrace{};
}

std::string failure(const std::string& file) {
  const auto trace = parse_rank_trace(file, "f");
  return trace.ok() ? "" : trace.error().message;
}

std::vector<RankTrace> ping() {
  return {parsed(rank_file(0, 2, three_messages(EventKind::kSend, 1), 3, 500)),
          parsed(rank_file(1, 2, three_messages(EventKind::kRecv, 0), 3))};
}

// Rank 0's file of ping().
void expect_ping(const RankTrace& trace) {
  EXPECT_EQ(trace.rank, 0U);
  EXPECT_EQ(trace.size, 2U);
  EXPECT_EQ(trace.host, "host");
  EXPECT_EQ(trace.incomplete, "");
  EXPECT_EQ(trace.n_events, 3U);
  EXPECT_EQ(trace.tail_ns, 500U);
  ASSERT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ(trace.steps[0].count, 3U);
  ASSERT_EQ(trace.steps[0].body.size(), 1U);
  EXPECT_EQ(trace.steps[0].body[0].before.n, 3U);
  EXPECT_DOUBLE_EQ(trace.steps[0].body[0].before.mean_s(), 2e-6);
  const TraceEvent& e = trace.events[trace.steps[0].body[0].event];
  EXPECT_EQ(trace.routines[e.routine], "MPI_X");
  EXPECT_EQ(e.peer, 1);
  EXPECT_EQ(e.tag, 5);
  EXPECT_EQ(e.bytes, 100U);
}

TEST(Trace, IsRead) { expect_ping(ping()[0]); }

TEST(Trace, NumbersKeepTheirSign) {
  for (const int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1}, INT64_MIN, INT64_MAX}) {
    std::string payload;
    trace::put_signed(payload, value);
    EXPECT_EQ(trace::Reader(payload).signed_number(), value);
  }
}

TEST(Trace, NothingFollowsTheEnd) {
  const std::string whole = rank_file(0, 2, three_messages(EventKind::kSend, 1), 3);
  for (const std::string& more : {std::string("x"), std::string(5000, '\0'), std::string(5000, '\xa5'), whole}) {
    const auto trace = parse_rank_trace(whole + more, "f");
    ASSERT_FALSE(trace.ok()) << more.size();
    EXPECT_EQ(trace.error().message,
              "f: is damaged at byte " + std::to_string(whole.size()) + ": it goes on after its end");
  }
}

// Only the whole file is complete, and the part that is missing is named.
TEST(Trace, CutOffAnywhereIsNoticed) {
  const std::string whole = rank_file(0, 2, three_messages(EventKind::kSend, 1), 3);
  for (size_t n = 0; n < whole.size(); ++n) {
    const auto trace = parse_rank_trace(std::string_view(whole).substr(0, n), "f");
    if (!trace.ok()) {
      EXPECT_NE(trace.error().message, "") << n;
    } else {
      EXPECT_NE(trace.value().incomplete, "") << n;
      EXPECT_FALSE(TraceProgram::of({trace.value(), trace.value()}).ok()) << n;
    }
  }
}

// Rank 0's file of ping() with a series of computations, their number first.
std::string ping_with(std::initializer_list<uint64_t> computations) {
  return rank_file(0, 2, three_messages(EventKind::kSend, 1), 3, 0, trace::End::kFinalize, numbers(computations));
}

// Rank 0's file of ping() with the payload of its instructions.
std::string ping_counted(std::initializer_list<uint64_t> instructions) {
  return rank_file(0, 2, three_messages(EventKind::kSend, 1), 3, 0, trace::End::kFinalize, "", numbers(instructions));
}

// Two of the three messages were counted.
TEST(Trace, InstructionsStandBesideTheTimes) {
  const RankTrace trace = parsed(ping_counted({2, 500, 200, 300, 50}));
  EXPECT_EQ(trace.counted_for, 1);
  const TraceTimes& counted = trace.steps[0].body[0].instructions;
  EXPECT_EQ(counted.n, 2U);
  EXPECT_DOUBLE_EQ(counted.mean(), 250);
  EXPECT_EQ(counted.least, 200U);
  EXPECT_EQ(counted.most, 300U);
  EXPECT_EQ(counted.deviation, 50U);
  EXPECT_EQ(parsed(ping_counted({0})).steps[0].body[0].instructions.n, 0U);
  EXPECT_EQ(ping()[0].counted_for, 0);
}

TEST(Trace, InstructionsOfOtherEventsAreRefused) {
  EXPECT_NE(failure(ping_counted({4, 500, 200, 300, 50})).find("4 occurrences of an event that has 3"),
            std::string::npos);
  EXPECT_NE(failure(ping_counted({2, 500, 200, 300})).find("ends early"), std::string::npos);
  EXPECT_NE(failure(ping_counted({0, 0})).find("longer than it says"), std::string::npos);
}

// The pass that counts leaves its ranks' files in a folder; that of rank 1 has another message.
TEST(CountedTraces, AreTakenForTheSameEvents) {
  const core::TemporaryFolder temporary;
  const std::string folder = temporary.path();
  std::ofstream(folder + "/rank000000.trace") << ping_counted({3, 600, 100, 300, 50});
  std::ofstream(folder + "/rank000001.trace")
      << rank_file(1, 2, three_messages(EventKind::kSend, 0), 3, 0, trace::End::kFinalize, "", numbers({0}));
  std::vector<RankTrace> traces = ping();
  const auto without = take_instructions(traces, folder, {0, 1}, {1, 1});
  ASSERT_TRUE(without.ok());
  ASSERT_EQ(without.value().size(), 1U);
  EXPECT_NE(without.value()[0].find("rank 1 of 2"), std::string::npos);
  EXPECT_DOUBLE_EQ(traces[0].steps[0].body[0].instructions.mean(), 200);
  EXPECT_EQ(traces[0].steps[0].body[0].before.total, 6000U);  // of the timed run
  EXPECT_EQ(traces[1].counted_for, 0);
}

// Two of rank 0's three messages were counted, as far as --count-calls went.
TEST(CountedTraces, TellHowManyEventsWereCounted) {
  const core::TemporaryFolder temporary;
  const std::string folder = temporary.path();
  std::ofstream(folder + "/rank000000.trace") << ping_counted({2, 500, 200, 300, 50});
  std::vector<RankTrace> traces = ping();
  const auto told = take_instructions(traces, folder, {0}, {2});
  ASSERT_TRUE(told.ok());
  ASSERT_EQ(told.value().size(), 1U);
  EXPECT_NE(told.value()[0].find("of 3 events on 2 ranks the instructions of 2 were counted"), std::string::npos);
  EXPECT_DOUBLE_EQ(traces[0].steps[0].body[0].instructions.mean(), 250);
}

TEST(Trace, ComputationsBelongToTheirEventsInOrder) {
  const RankTrace trace = parsed(ping_with({3, 1000, 3000, 2000}));
  EXPECT_EQ(trace.steps[0].body[0].computations_s, (std::vector<float>{1e-6F, 3e-6F, 2e-6F}));
}

TEST(Trace, OtherNumbersOfComputationsThanOfEventsAreNamed) {
  EXPECT_EQ(failure(ping_with({2, 1000, 3000})), "f: is damaged: it holds 2 computations and 3 events");
  EXPECT_EQ(failure(ping_with({4, 1000, 3000, 2000, 1})), "f: is damaged: it holds 4 computations and 3 events");
  EXPECT_NE(failure(ping_with({4, 1000, 3000, 2000})).find("a part ends early"), std::string::npos);
}

// 1, 3 and 2 us, not three times the mean of 2 us.
TEST(TraceProgram, ComputesInTheOrderThatWasRecorded) {
  const auto program = TraceProgram::of(
      {parsed(ping_with({3, 1000, 3000, 2000})), parsed(rank_file(1, 2, three_messages(EventKind::kRecv, 0), 3))});
  ASSERT_TRUE(program.ok());
  uint64_t position = 0;
  for (const double seconds : {1e-6, 3e-6, 2e-6}) {
    const Op computation = program.value().next(0, position);
    EXPECT_EQ(computation.kind, OpKind::kCompute);
    EXPECT_FLOAT_EQ(static_cast<float>(computation.seconds), static_cast<float>(seconds));
    EXPECT_EQ(program.value().next(0, position).kind, OpKind::kSend);
  }
  EXPECT_EQ(program.value().next(0, position).kind, OpKind::kEnd);
  // Of rank 1 only the mean is known: its deviation is 816 ns, three times.
  EXPECT_DOUBLE_EQ(program.value().varying_s(), 3 * 816e-9);
}

TEST(Trace, CutOffTraceNamesRankEventAndReason) {
  std::string file = prelude();
  add_chunk(file, trace::ChunkKind::kIdentity, identity(1, 2));
  add_chunk(file, trace::ChunkKind::kCommunicators, numbers({1, 0, 0}));
  add_chunk(file, trace::ChunkKind::kEvents, three_messages(EventKind::kRecv, 0));
  const RankTrace trace = parsed(file);
  EXPECT_EQ(trace.incomplete,
            "rank 1, event 3: the trace ends there, without the call of MPI_Finalize: the rank was killed or the file "
            "was cut off");
  const auto program = TraceProgram::of({ping()[0], trace});
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().message, trace.incomplete);
}

TEST(Trace, EndsThatAreNotFinalizeAreNamed) {
  const std::string events = three_messages(EventKind::kSend, 1);
  EXPECT_NE(parsed(rank_file(0, 2, events, 3, 0, trace::End::kAbort)).incomplete.find("MPI_Abort"), std::string::npos);
  EXPECT_NE(parsed(rank_file(0, 2, events, 3, 0, trace::End::kExit)).incomplete.find("without MPI_Finalize"),
            std::string::npos);
}

TEST(Trace, NewerVersionIsRefusedNamingBoth) {
  EXPECT_EQ(failure(prelude(trace::kVersion + 1)), "f: has version 5, this scalediag reads up to 4");
}

// Every flipped bit is seen: the file is damaged, or was cut off where a chunk seems to be longer than what is left. (4
// is a power of two: no bit makes another version of it that is read.)
TEST(Trace, FlippedBitsAreNoticed) {
  const std::string whole = rank_file(0, 2, three_messages(EventKind::kSend, 1), 3, 500);
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    std::string file = whole;
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << (bit % 8)));
    const auto trace = parse_rank_trace(file, "f");
    EXPECT_FALSE(trace.ok() && trace.value().incomplete.empty());
  }
}

// The prelude of a rank that stopped, whose file has no footer: a flipped bit never makes it a whole one, and all but
// those of the error's number are refused.
TEST(Trace, FlippedBitsOfAStoppedTraceAreNoticed) {
  std::string stopped = prelude();
  add_chunk(stopped, trace::ChunkKind::kIdentity, identity(0, 2));
  const uint32_t reason = static_cast<uint32_t>(raw::StopReason::kWriteFailed), error = ENOSPC;
  std::memcpy(stopped.data() + offsetof(raw::Prelude, stop_reason), &reason, sizeof reason);
  std::memcpy(stopped.data() + offsetof(raw::Prelude, stop_errno), &error, sizeof error);
  EXPECT_NE(parsed(stopped).incomplete.find("No space left"), std::string::npos);
  constexpr size_t kErrorBegins = offsetof(raw::Prelude, stop_errno), kErrorEnds = offsetof(raw::Prelude, reserved);
  for (size_t bit = 8 * offsetof(raw::Prelude, stop_reason); bit < 8 * sizeof(raw::Prelude); ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    std::string file = stopped;
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << (bit % 8)));
    const auto trace = parse_rank_trace(file, "f");
    if (bit / 8 >= kErrorBegins && bit / 8 < kErrorEnds) {
      EXPECT_TRUE(trace.ok() && !trace.value().incomplete.empty());
    } else {
      EXPECT_FALSE(trace.ok());
    }
  }
}

// Files of older versions have the same prelude.
TEST(Trace, OlderVersionsAreRead) {
  for (const uint32_t version : {trace::kVersionWithoutInstructions, trace::kVersionWithoutSeries}) {
    std::string file = rank_file(0, 2, three_messages(EventKind::kSend, 1), 3, 500);
    std::memcpy(file.data() + offsetof(raw::Prelude, version), &version, sizeof version);
    expect_ping(parsed(file));
  }
}

// Checksums do not protect against valid ones around random payloads.
TEST(Trace, RandomPayloadsDoNoHarm) {
  const std::string good = three_messages(EventKind::kSend, 1);
  uint64_t state = 7;
  const auto random = [&state] { return (state = state * 6364136223846793005ULL + 1442695040888963407ULL) >> 33; };
  int n_read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string events = good;
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
      events[random() % events.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) events.resize(random() % events.size());
    const auto trace = parse_rank_trace(rank_file(0, 2, events, 3), "f");
    if (!trace.ok()) continue;
    ++n_read;
    const auto program = TraceProgram::of({trace.value(), trace.value()});
    if (!program.ok()) continue;
    uint64_t position = 0;
    for (int i = 0; i < 10; ++i) program.value().next(0, position);
  }
  EXPECT_GT(n_read, 0);
}

TEST(Trace, ImpossibleThingsAreNamed) {
  const auto with = [](std::initializer_list<uint64_t> definition) {
    return failure(rank_file(0, 2, name() + numbers({1}) + numbers(definition) + numbers({1, 0, 0}), 1));
  };
  EXPECT_NE(with({id(EventKind::kSend), 7, 2, 0, 0, 1}).find("there is no rank 2 among 2"), std::string::npos);
  EXPECT_NE(with({id(EventKind::kSend), 7, 1, 0, 3, 1}).find("there is no communicator 3"), std::string::npos);
  EXPECT_NE(with({id(EventKind::kSend), 8, 1, 0, 0, 1}).find("has no name"), std::string::npos);
  EXPECT_NE(with({99, 7}).find("no event of kind 99"), std::string::npos);
  EXPECT_NE(with({id(EventKind::kCollective), 7, 0, 50, 8, 0}).find("no collective 50"), std::string::npos);
  EXPECT_NE(with({id(EventKind::kCollective), 7, 0, 1, 8, 2}).find("no root 2"), std::string::npos);
  EXPECT_NE(with({id(EventKind::kIsend), 7, 1, 0, 0, 1, trace::kMostRequests}).find("request"), std::string::npos);
  // A loop that goes round 2^63 times.
  EXPECT_NE(
      failure(rank_file(0, 2, name() + numbers({1, id(EventKind::kWait), 7, 0, 1, 3, uint64_t{1} << 63, 0, 0}), 1))
          .find("goes round"),
      std::string::npos);
}

TEST(TraceProgram, LoopsGoRound) {
  const auto program = TraceProgram::of(ping());
  ASSERT_TRUE(program.ok());
  EXPECT_DOUBLE_EQ(program.value().recorded_s(), 2);
  uint64_t position = 0, second_send = 0;
  for (int i = 0; i < 3; ++i) {
    Op op = program.value().next(0, position);
    if (i == 1) second_send = position;
    EXPECT_EQ(op.kind, OpKind::kCompute);
    EXPECT_DOUBLE_EQ(op.seconds, 2e-6);
    op = program.value().next(0, position);
    EXPECT_EQ(op.kind, OpKind::kSend);
    EXPECT_EQ(op.peer, 1);
    EXPECT_EQ(program.value().labels()[op.label], "MPI_X");
  }
  EXPECT_DOUBLE_EQ(program.value().next(0, position).seconds, 500e-9);
  EXPECT_EQ(program.value().next(0, position).kind, OpKind::kEnd);
  EXPECT_EQ(program.value().next(0, position).kind, OpKind::kEnd);
  // From any position.
  EXPECT_EQ(program.value().next(0, second_send).kind, OpKind::kSend);
  EXPECT_EQ(program.value().next(0, second_send).kind, OpKind::kCompute);
  uint64_t at = 0;
  EXPECT_EQ(program.value().next(0, at).kind, OpKind::kCompute);
}

// Only latency: L is 10 us. Rank 0 computes 2 us before each send, 6 us in all, and 0.5 us after; rank 1 computes as
// long before each receive and has the last message at 6 + 10.
TEST(TraceProgram, IsSimulated) {
  const auto program = TraceProgram::of(ping());
  ASSERT_TRUE(program.ok());
  const auto result = simulate(program.value(), uniform_network(Segment{}, 10e-6));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_NEAR(result.value().ranks[0].end_s, 6.5e-6, 1e-15);
  EXPECT_NEAR(result.value().ranks[1].end_s, 16e-6, 1e-15);
}

// Three computations deviate by 816 ns each. A computation counts for at most its mean, 2000 ns.
TEST(TraceProgram, KnowsWhatItsMeansDoNotTell) {
  EXPECT_NEAR(TraceProgram::of(ping()).value().varying_s(), 3 * 816e-9, 1e-15);
  std::vector<RankTrace> traces = ping();
  traces[1].steps[0].body[0].before.deviation = 5000;
  EXPECT_NEAR(TraceProgram::of(traces).value().varying_s(), 3 * 2000e-9, 1e-15);
  for (RankTrace& trace : traces) trace.steps[0].body[0].before.n = 1;  // a computation that was recorded once is known
  EXPECT_EQ(TraceProgram::of(traces).value().varying_s(), 0);
}

TEST(TraceProgram, WhatCannotBeReplayedIsNamed) {
  const std::string events = name() + numbers({1, id(EventKind::kNotReplayed), 7, 0, 1, 0, 1000});
  const auto program = TraceProgram::of({parsed(rank_file(0, 1, events, 1))});
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().message, "rank 0, event 1 (MPI_X): one-sided communication cannot be simulated");
}

TEST(TraceProgram, AccessesOfOtherRanksMemoryAreSimulated) {
  const auto put = static_cast<uint64_t>(trace::Remote::kPut);
  const std::string of_0 =
      name() + numbers({2, id(EventKind::kRemote), 7, put, 1, 0, 1, 0, id(EventKind::kWait), 7, 0, 2, 0, 0, 2, 0});
  const auto program =
      TraceProgram::of({parsed(rank_file(0, 2, of_0, 2)), parsed(rank_file(1, 2, name() + numbers({0, 0}), 0))});
  ASSERT_TRUE(program.ok());
  EXPECT_DOUBLE_EQ(simulate(program.value(), uniform_network(Segment{}, 10e-6)).value().ranks[0].end_s, 10e-6);
  const std::string unknown = name() + numbers({1, id(EventKind::kRemote), 7, trace::kRemotes, 1, 0, 1, 0, 1, 0, 0});
  EXPECT_FALSE(parse_rank_trace(rank_file(0, 2, unknown, 1), "t").ok());
}

TEST(TraceProgram, UnmatchedMessageIsNamed) {
  std::vector<RankTrace> traces = ping();
  traces[1] = parsed(rank_file(1, 2, name() + numbers({0, 0}), 0));
  const auto program = TraceProgram::of(traces);
  ASSERT_TRUE(program.ok());
  const auto result = simulate(program.value(), uniform_network(Segment{}, 10e-6));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("sends 100 B to rank 1, tag 5, which never receives it"), std::string::npos)
      << result.error().message;
}

TEST(TraceProgram, DeadlockNamesRanksEventsAndReasons) {
  // Both receive first.
  const auto program = TraceProgram::of({parsed(rank_file(0, 2, three_messages(EventKind::kRecv, 1), 3)),
                                         parsed(rank_file(1, 2, three_messages(EventKind::kRecv, 0), 3))});
  ASSERT_TRUE(program.ok());
  const auto result = simulate(program.value(), uniform_network(Segment{}, 10e-6));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("rank 1, event 1 (MPI_X), waits for a message from rank 0, tag 5"),
            std::string::npos)
      << result.error().message;
}

// Communicators of two ranks are the same where members and ordinal are: here {1, 0}, made second and first.
TEST(TraceProgram, CommunicatorsAreMatchedByMembers) {
  const auto file = [](uint64_t rank, std::initializer_list<uint64_t> communicators, uint64_t number) {
    std::string text = prelude();
    add_chunk(text, trace::ChunkKind::kIdentity, identity(rank, 2));
    add_chunk(text, trace::ChunkKind::kCommunicators, numbers(communicators));
    // A Bcast of 8 B from rank 0 of the communicator.
    add_chunk(text, trace::ChunkKind::kEvents,
              name() + numbers({1, id(EventKind::kCollective), 7, number, 1, 8, 0, 1, 0, 0}));
    add_chunk(text, trace::ChunkKind::kEnd, numbers({1, 0, 0, 0}));
    add_chunk(text, trace::ChunkKind::kFooter, "");
    return parsed(text);
  };
  // The world; {0}; {1, 0} as 1, then -1 after it: signed 1 is 2, -1 is 1.
  const auto program =
      TraceProgram::of({file(0, {3, 0, 0, 0, 1, 0, 0, 2, 2, 1}, 2), file(1, {2, 0, 0, 0, 2, 2, 1}, 1)});
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program.value().communicators().size(), 2U);
  uint64_t first = 0, second = 0;
  EXPECT_EQ(program.value().next(0, first).communicator, program.value().next(1, second).communicator);
}

// Rank 0 sends 100 bytes to rank 1, and all add up. Three copies send three messages, each within its copy, of twice
// the bytes; the sum is of six ranks, and a communicator of rank 1 alone of ranks 3 and 5.
TEST(TraceProgram, CopiesTalkWithinThemselvesAndAddUpTogether) {
  std::vector<RankTrace> traces;
  for (int rank = 0; rank < 2; ++rank) {
    Script script(2, rank);
    script.message(rank == 0 ? EventKind::kSend : EventKind::kRecv, 1 - rank, 100);
    script.allreduce(8);
    script.trace.communicators.push_back({0, {1}});
    if (rank == 1) {
      script.allreduce(16);
      script.trace.events.back().communicator = 1;
    }
    traces.push_back(script.trace);
  }
  const auto one = TraceProgram::of(traces);
  ASSERT_TRUE(one);
  const TraceProgram copies = one.value().side_by_side(3, 2);
  EXPECT_EQ(copies.ranks(), 6);
  std::vector<std::string> seen;
  for (int rank = 0; rank < 6; ++rank) {
    uint64_t position = 0;
    for (Op op = copies.next(rank, position); op.kind != OpKind::kEnd; op = copies.next(rank, position)) {
      const std::string who = std::to_string(rank) + " ";
      if (op.kind == OpKind::kSend)
        seen.push_back(who + "to " + std::to_string(op.peer) + " " + std::to_string(op.bytes));
      if (op.kind != OpKind::kCollective) continue;
      const std::vector<int>& members = copies.communicators()[op.communicator];
      if (members.empty()) continue;
      seen.push_back(who + "among " + std::to_string(members.front()));
      EXPECT_EQ(members.size(), 1U);
    }
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"0 to 1 200", "1 among 1", "2 to 3 200", "3 among 3", "4 to 5 200",
                                            "5 among 5"}));
  EXPECT_TRUE(simulate(copies, uniform_network({}, 100)));
}

}  // namespace
}  // namespace scalediag::loggp
