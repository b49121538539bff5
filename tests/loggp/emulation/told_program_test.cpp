#include "loggp/emulation/told_program.h"

#include <gtest/gtest.h>

#include "core/raw/event_stream.h"
#include "loggp/emulation/emulation.h"
#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

std::string told_chunk(uint32_t kind, const std::string& payload) {
  std::string record;
  trace::put(record, 2 * static_cast<uint64_t>(kind) + 1);
  trace::put(record, payload.size());
  return record + payload;
}

std::string told_event(uint64_t definition, uint64_t ns) {
  std::string record;
  trace::put(record, 2 * definition);
  trace::put(record, ns);
  return record;
}

std::string told_beginning(uint64_t rank, uint64_t size) {
  std::string identity, world;
  trace::put(identity, rank);
  trace::put(identity, size);
  for (const char* text : {"host", "app", "MPI"}) trace::put_text(identity, text);
  for (const uint64_t number : {1, 1, 0}) trace::put(world, number);  // one communicator, ordinal 1, no members
  return told_chunk(static_cast<uint32_t>(trace::ChunkKind::kIdentity), identity) +
         told_chunk(static_cast<uint32_t>(trace::ChunkKind::kCommunicators), world);
}

std::string told_message(trace::EventKind kind, const char* routine, uint64_t peer, uint64_t bytes) {
  std::string definition;
  trace::put_text(definition, routine);
  trace::put(definition, static_cast<uint64_t>(kind));
  trace::put(definition, 1);  // the routine's number, by which its name is found
  trace::put(definition, peer);
  trace::put_signed(definition, 5);
  trace::put(definition, 0);
  trace::put(definition, bytes);
  return told_chunk(stream::kDefinition, definition);
}

std::string told_end(uint64_t events, trace::End how, uint64_t tail_ns) {
  std::string end;
  for (const uint64_t number : {events, static_cast<uint64_t>(how), tail_ns, uint64_t{9}}) trace::put(end, number);
  return told_chunk(static_cast<uint32_t>(trace::ChunkKind::kEnd), end);
}

// Two seconds of computation and a message of 9 bytes, twice; rank 1 receives them.
std::string told_sender() {
  return told_beginning(0, 2) + told_message(trace::EventKind::kSend, "MPI_Send", 1, 9) + told_event(0, 2'000'000'000) +
         told_event(0, 2'000'000'000) + told_end(2, trace::End::kFinalize, 1'000'000'000);
}
std::string told_receiver() {
  return told_beginning(1, 2) + told_message(trace::EventKind::kRecv, "MPI_Recv", 0, 9) + told_event(0, 0) +
         told_event(0, 0) + told_end(2, trace::End::kFinalize, 0);
}

// With example_network(): the first send is from 2 to 5, the second one after two more seconds from 7 to 10, and rank 0
// ends at 11. The first byte of the first message is at rank 1 at 2 + 102 = 104; it is received at 104 + G b + o_r + O
// b = 104 + 2 + 4 = 110. The second message leaves a gap of g = 5 and the 2 s of the first one's bytes after the first
// one at the earliest: the adapter is free at 2 + o_s + 2 + 5 = 11, and the second would leave at 7 + 2 = 9; its first
// byte is at rank 1 at 11 + 100 = 111, and it is received at 111 + 6 = 117.
void expect_the_two_messages(const Simulation& s) {
  EXPECT_DOUBLE_EQ(s.ranks[0].end_s, 11);
  EXPECT_DOUBLE_EQ(s.ranks[1].end_s, 117);
  EXPECT_DOUBLE_EQ(s.ranks[0].computation_s, 5);
}

TEST(Emulation, ScheduleOfTwoMessagesIsThatComputedByHand) {
  const Network network = example_network();
  auto emulation = Emulation::begin(2, network, {}, {});
  ASSERT_TRUE(emulation.ok());
  Emulation& e = *emulation.value();
  ASSERT_TRUE(e.take(1, told_receiver()));
  ASSERT_TRUE(e.go_on({1}));
  ASSERT_TRUE(e.take(0, told_sender()));
  ASSERT_TRUE(e.go_on({0}));
  const auto s = e.end();
  ASSERT_TRUE(s.ok()) << s.error().message;
  expect_the_two_messages(s.value());
  const auto again = simulate(e.program(), network);
  ASSERT_TRUE(again.ok());
  expect_the_two_messages(again.value());
}

// Of the rank's own lane, in a run of two ranks.
TEST(Emulation, IdentityIsThatOfTheRankAndItsRun) {
  const auto refused = [](int lane, const std::string& told) {
    ToldProgram program(2);
    const auto taken = program.take(lane, told);
    return taken.ok() ? "" : taken.error().message;
  };
  EXPECT_EQ(refused(0, told_beginning(0, 2)), "");
  EXPECT_EQ(refused(0, told_beginning(1, 2)),
            "rank 0 told what cannot be: it is rank 1 of 2, where the run has 2 ranks");
  EXPECT_EQ(refused(0, told_beginning(0, 1'048'576)),
            "rank 0 told what cannot be: it is rank 0 of 1048576, where the run has 2 ranks");
}

// Of 32 MiB and more nothing is kept to wait for the rest.
TEST(Emulation, AnnouncedLengthIsBounded) {
  ToldProgram program(2);
  std::string record;
  trace::put(record, 2 * static_cast<uint64_t>(stream::kDefinition) + 1);
  trace::put(record, uint64_t{1} << 60);
  const auto taken = program.take(0, told_beginning(0, 2) + record);
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().message,
            "rank 0 told what cannot be: a record of 1152921504606846976 bytes, where 33554432 are the most");
}

TEST(Emulation, CommunicatorHasEachRankOnce) {
  ToldProgram program(2);
  std::string twice;
  for (const uint64_t number : {1, 2, 2}) trace::put(twice, number);  // one communicator, ordinal 2, two members
  trace::put_signed(twice, 1);
  trace::put_signed(twice, 0);
  const auto taken = program.take(
      0, told_beginning(0, 2) + told_chunk(static_cast<uint32_t>(trace::ChunkKind::kCommunicators), twice));
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().message, "rank 0 told what cannot be: a communicator has the rank 1 twice");
}

TEST(Emulation, RecordsMayComeInPiecesOfAnySize) {
  const Network network = example_network();
  const std::string sender = told_sender(), receiver = told_receiver();
  for (size_t piece = 1; piece < 20; ++piece) {
    auto emulation = Emulation::begin(2, network, {}, {});
    Emulation& e = *emulation.value();
    for (size_t at = 0; at < std::max(sender.size(), receiver.size()); at += piece) {
      if (at < sender.size()) {
        ASSERT_TRUE(e.take(0, std::string_view(sender).substr(at, piece)));
      }
      if (at < receiver.size()) {
        ASSERT_TRUE(e.take(1, std::string_view(receiver).substr(at, piece)));
      }
      ASSERT_TRUE(e.go_on({0, 1}));
    }
    const auto s = e.end();
    ASSERT_TRUE(s.ok()) << s.error().message;
    expect_the_two_messages(s.value());
  }
}

TEST(Emulation, OperationsThatAreOverAreForgottenBeyondTheLimit) {
  const Network network = example_network();
  EmulationOptions options;
  options.most_kept_events = 3;
  auto emulation = Emulation::begin(2, network, options, {});
  Emulation& e = *emulation.value();
  for (const auto& [rank, bytes] : {std::pair{0U, told_sender()}, std::pair{1U, told_receiver()}}) {
    ASSERT_TRUE(e.take(rank, bytes));
    ASSERT_TRUE(e.go_on({rank}));
  }
  EXPECT_FALSE(e.keeps_all());
  EXPECT_LT(e.program().held_events(), 6U);
  const auto s = e.end();
  ASSERT_TRUE(s.ok());
  expect_the_two_messages(s.value());
}

TEST(Emulation, ComputationsTakeAFactorOfTheirTime) {
  const Network network = example_network();
  EmulationOptions options;
  options.compute_factor = 3;
  auto emulation = Emulation::begin(2, network, options, {});
  Emulation& e = *emulation.value();
  ASSERT_TRUE(e.take(0, told_sender()));
  ASSERT_TRUE(e.take(1, told_receiver()));
  ASSERT_TRUE(e.go_on({0, 1}));
  const auto s = e.end();
  ASSERT_TRUE(s.ok());
  EXPECT_DOUBLE_EQ(s.value().ranks[0].end_s, 21);  // 6 + 3 + 6 + 3 + 3
}

std::string told_mark(uint64_t ns, uint64_t region, uint64_t begins) {
  std::string payload;
  for (const uint64_t number : {ns, region, begins}) trace::put(payload, number);
  return told_chunk(stream::kMark, payload);
}

std::string told_region(const char* name) {
  std::string payload;
  trace::put_text(payload, name);
  return told_chunk(stream::kRegionName, payload);
}

// Rank 0 computes for 1 s, enters the region, computes for 2 s, sends from 3 to 6, and leaves at 6 + 1 = 7.
TEST(Emulation, MarksHaveTheTimeOfTheirPlace) {
  const Network network = example_network();
  EmulationOptions options;
  options.times_calls = true;
  auto emulation = Emulation::begin(2, network, options, {});
  Emulation& e = *emulation.value();
  ASSERT_TRUE(e.take(0, told_beginning(0, 2) + told_region("other") + told_region("part") +
                            told_message(trace::EventKind::kSend, "MPI_Send", 1, 9) + told_mark(1'000'000'000, 1, 1) +
                            told_event(0, 2'000'000'000) + told_mark(1'000'000'000, 1, 0) +
                            told_end(1, trace::End::kFinalize, 0)));
  ASSERT_TRUE(e.take(1, told_beginning(1, 2) + told_message(trace::EventKind::kRecv, "MPI_Recv", 0, 9) +
                            told_event(0, 0) + told_end(1, trace::End::kFinalize, 0)));
  ASSERT_TRUE(e.go_on({0, 1}));
  const auto s = e.end();
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(e.program().regions(), (std::vector<std::string>{"other", "part"}));
  const MarkedPart part = e.call_times().regions().part(1);
  EXPECT_EQ(part.ranks, 1U);
  EXPECT_DOUBLE_EQ(part.begin_s, 1);
  EXPECT_DOUBLE_EQ(part.end_s, 7);
  const auto regions = e.call_times().regions().regions(e.program().regions(), s.value().ranks);
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(regions[0].name, "part");
  EXPECT_DOUBLE_EQ(regions[0].elapsed_s[0], 6);
  EXPECT_DOUBLE_EQ(regions[0].communication_s[0], 3);
  // Marks are no operations of the simulation: it gives the same without them being looked at.
  EXPECT_DOUBLE_EQ(s.value().ranks[0].end_s, 7);
}

TEST(Emulation, MarkOfARegionWithoutANameIsRefused) {
  ToldProgram program(2);
  EXPECT_FALSE(program.take(0, told_beginning(0, 2) + told_mark(0, 0, 1)));
}

TEST(Emulation, RankThatLeftWithoutFinalizeIsNoDeadlockButAnError) {
  const Network network = example_network();
  auto emulation = Emulation::begin(2, network, {}, {});
  Emulation& e = *emulation.value();
  ASSERT_TRUE(e.take(0, told_beginning(0, 2) + told_end(0, trace::End::kExit, 0)));
  ASSERT_TRUE(e.take(1, told_receiver()));
  EXPECT_TRUE(e.go_on({0, 1}));
  const auto s = e.end();
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().message, "rank 0 ended without MPI_Finalize");
}

TEST(Emulation, DamagedRecordsAreRefusedWithTheirRank) {
  ToldProgram program(2);
  EXPECT_FALSE(program.take(0, told_event(0, 1)));  // not defined
  std::string other = told_beginning(0, 2);
  other += told_chunk(99, "x");
  ToldProgram again(2);
  const auto taken = again.take(0, other);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().message.rfind("rank 0 told what cannot be: ", 0), 0U) << taken.error().message;
}

TEST(Emulation, CallThatCannotBeEmulatedIsNamed) {
  std::string definition;
  trace::put_text(definition, "MPI_Put");
  trace::put(definition, static_cast<uint64_t>(trace::EventKind::kNotReplayed));
  trace::put(definition, 1);
  trace::put(definition, static_cast<uint64_t>(trace::Reason::kOneSided));
  ToldProgram program(2);
  const auto taken = program.take(1, told_beginning(1, 2) + told_chunk(stream::kDefinition, definition));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().message, "rank 1, event 0 (MPI_Put): one-sided communication cannot be emulated");
}

}  // namespace
}  // namespace scalediag::loggp
