// Which ranks are measured together, and what black holes answer.
#include "loggp/synth/signature_plan.h"

#include <gtest/gtest.h>

#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

// With example_network() a message of 9 bytes has arrived 104 after its send began (o_s + L + G 8 = 2 + 100 + 2), and
// its receiver goes on 4 later (o_r + O 8).
constexpr uint64_t kSize = 9;

void add_send(SteppedProgram& stepped, int from, int to) {
  stepped.program.of(from).push_back(message(OpKind::kIsend, to, kSize, 0, 1));
  stepped.program.of(from).push_back(wait_for(1));
}
void add_receive(SteppedProgram& stepped, int by, int from) {
  stepped.program.of(by).push_back(message(OpKind::kIrecv, from, kSize, 0, 1));
  stepped.program.of(by).push_back(wait_for(1));
}

// All of it is one phase.
void as_one_phase(SteppedProgram& stepped) {
  PhaseWindow window;
  for (int r = 0; r < stepped.program.ranks(); ++r) {
    window.begin.push_back(0);
    window.end.push_back(static_cast<uint32_t>(stepped.program.of(r).size()));
  }
  window.measured = window.begin;
  stepped.windows = {window};
}

SteppedProgram no_program(int ranks) {
  SteppedProgram stepped;
  stepped.program = ListProgram(ranks);
  return stepped;
}

SimulatedMessages messages_of(const SteppedProgram& stepped) {
  auto made = simulate_messages(stepped.program, example_network());
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.ok() ? made.value() : SimulatedMessages{};
}

SignatureRun run_of(const SteppedProgram& stepped, const std::vector<int>& ranks) {
  const SimulatedMessages messages = messages_of(stepped);
  return SignaturePlanner(stepped, messages).run(0, ranks);
}

size_t messages_with_black_holes(const SignatureRun& run) {
  size_t n = 0;
  for (const MeasuredRank& rank : run.ranks) n += rank.hole_actions.size();
  return n;
}
// Sent by measured ranks to measured ranks, whose processes come first.
size_t messages_between_ranks(const SignatureRun& run) {
  size_t n = 0;
  for (const MeasuredRank& rank : run.ranks) {
    for (const RankAction& action : rank.actions) {
      const bool is_sent = action.kind == RankAction::Kind::kSend;
      if (is_sent && static_cast<size_t>(action.process) < run.ranks.size()) ++n;
    }
  }
  return n;
}

TEST(SignaturePlan, BlackHoleAnswersAsLongAfterAMessageAsItsReceiverWould) {
  SteppedProgram p = no_program(3);
  p.program.of(0) = {compute(10)};
  add_send(p, 0, 2);
  add_receive(p, 0, 2);
  add_receive(p, 2, 0);
  p.program.of(2).push_back(compute(50));
  add_send(p, 2, 0);
  as_one_phase(p);
  const SignatureRun run = run_of(p, {0, 1});
  ASSERT_EQ(run.ranks.size(), 2U);
  EXPECT_EQ(run.ranks[0].hole, 2);  // the first process after those of the ranks
  EXPECT_EQ(run.ranks[1].hole, -1);
  EXPECT_EQ(messages_between_ranks(run), 0U);
  EXPECT_EQ(messages_with_black_holes(run), 2U);
  const auto& hole = run.ranks[0].hole_actions;
  ASSERT_EQ(hole.size(), 2U);
  EXPECT_FALSE(hole[0].is_send);
  EXPECT_EQ(hole[0].anchor, -1);
  EXPECT_DOUBLE_EQ(hole[0].seconds, 0);  // rank 2 receives from the beginning
  // The message arrives at 10 + 104; rank 2 goes on 4 later and computes for 50.
  EXPECT_TRUE(hole[1].is_send);
  EXPECT_EQ(hole[1].anchor, 0);
  EXPECT_DOUBLE_EQ(hole[1].seconds, 54);
}

TEST(SignaturePlan, BlackHoleStandsForAllRanksThatAMessagePassesThrough) {
  SteppedProgram p = no_program(4);
  add_send(p, 0, 2);
  add_receive(p, 0, 3);
  add_receive(p, 2, 0);
  add_send(p, 2, 3);
  add_receive(p, 3, 2);
  add_send(p, 3, 0);
  as_one_phase(p);
  const SignatureRun run = run_of(p, {0, 1});
  const auto& hole = run.ranks[0].hole_actions;
  ASSERT_EQ(hole.size(), 2U);
  // Rank 2 has the message of rank 0 at 104 and goes on at 108, rank 3 at 216, when it sends: 112 after 104.
  EXPECT_EQ(hole[1].anchor, 0);
  EXPECT_DOUBLE_EQ(hole[1].seconds, 112);
}

TEST(SignaturePlan, WhatDependsOnNoMessageComesAtItsTime) {
  SteppedProgram p = no_program(3);
  p.program.of(1) = {compute(20)};
  add_receive(p, 1, 2);
  p.program.of(2) = {compute(70)};
  add_send(p, 2, 1);
  as_one_phase(p);
  const SignatureRun run = run_of(p, {0, 1});
  ASSERT_EQ(run.ranks[1].hole_actions.size(), 1U);
  EXPECT_EQ(run.ranks[1].hole_actions[0].anchor, -1);
  EXPECT_DOUBLE_EQ(run.ranks[1].hole_actions[0].seconds, 70);
}

TEST(SignaturePlan, MeasuredRanksSendToOneAnother) {
  SteppedProgram p = no_program(4);
  add_send(p, 1, 3);
  add_receive(p, 3, 1);
  as_one_phase(p);
  const SignatureRun run = run_of(p, {3, 1});
  EXPECT_EQ(messages_between_ranks(run), 1U);
  EXPECT_EQ(messages_with_black_holes(run), 0U);
  const auto& to = run.ranks[0].actions;
  const auto& from = run.ranks[1].actions;
  ASSERT_EQ(from.size(), 3U);  // mark, send, wait
  EXPECT_EQ(from[0].kind, RankAction::Kind::kMark);
  EXPECT_EQ(from[1].kind, RankAction::Kind::kSend);
  EXPECT_EQ(from[1].process, 0);  // acts for rank 3
  EXPECT_EQ(to[1].process, 1);
  EXPECT_EQ(to[1].tag, from[1].tag);
  EXPECT_EQ(from[2].requests, std::vector<uint32_t>{0});
}

// A phase after the one in which rank 0 has received a message begins when the message has been received.
TEST(SignaturePlan, RanksBeginAsMuchLaterAsInTheSimulation) {
  SteppedProgram p = no_program(2);
  add_send(p, 1, 0);
  add_receive(p, 0, 1);
  as_one_phase(p);
  p.windows[0].begin = p.windows[0].measured = p.windows[0].end;
  p.program.of(0).push_back(compute(1));
  p.program.of(1).push_back(compute(1));
  p.windows[0].end = {3, 3};
  const SignatureRun run = run_of(p, {0, 1});
  // Rank 1's CPU is free after o_s + O 8 = 3, rank 0 goes on at 108.
  EXPECT_DOUBLE_EQ(run.base_s, 3);
  EXPECT_DOUBLE_EQ(run.ranks[0].begin_s, 105);
  EXPECT_DOUBLE_EQ(run.ranks[1].begin_s, 0);
}

// A receive that was posted before the phase, and is waited for in it, is posted when the phase begins.
TEST(SignaturePlan, ReceivesOfThePhaseBeforeArePostedAgain) {
  SteppedProgram p = no_program(2);
  p.program.of(0) = {message(OpKind::kIrecv, 1, kSize, 0, 1), compute(5), wait_for(1)};
  p.program.of(1) = {compute(5), message(OpKind::kIsend, 0, kSize, 0, 1), wait_for(1)};
  as_one_phase(p);
  p.windows[0].begin = p.windows[0].measured = {1, 0};
  const SignatureRun run = run_of(p, {0, 1});
  EXPECT_EQ(messages_between_ranks(run), 1U);
  ASSERT_EQ(run.ranks[0].actions.size(), 4U);
  EXPECT_EQ(run.ranks[0].actions[0].kind, RankAction::Kind::kReceive);
  EXPECT_EQ(run.ranks[0].actions[1].kind, RankAction::Kind::kMark);
  EXPECT_EQ(run.ranks[0].actions[3].kind, RankAction::Kind::kWait);
}

SteppedProgram ring_of(int ranks) {
  SteppedProgram p = no_program(ranks);
  for (int r = 0; r < ranks; ++r) {
    auto& ops = p.program.of(r);
    ops.push_back(message(OpKind::kIrecv, (r + ranks - 1) % ranks, kSize, 0, 1));
    ops.push_back(message(OpKind::kIsend, (r + 1) % ranks, kSize, 0, 1));
    ops.push_back(wait_for(1));
  }
  as_one_phase(p);
  return p;
}

std::vector<std::vector<int>> together(const SteppedProgram& p, const std::vector<int>& group, int processes,
                                       int ranks_per_node = 1) {
  const SimulatedMessages messages = messages_of(p);
  SignatureResources resources;
  resources.processes = processes;
  resources.placement.ranks_per_node = ranks_per_node;
  return SignaturePlanner(p, messages).measured_together(group, resources);
}

std::vector<int> each_its_own(int ranks) {
  std::vector<int> group;
  for (int r = 0; r < ranks; ++r) group.push_back(r);
  return group;
}

TEST(SignaturePlan, EveryMessageIsMeasuredOnce) {
  // Two of eight at a time: each rank with the next one.
  const auto lists = together(ring_of(8), each_its_own(8), 4);
  EXPECT_EQ(lists.size(), 8U);
  for (int r = 0; r < 8; ++r) {
    const std::vector<int> pair = {std::min(r, (r + 1) % 8), std::max(r, (r + 1) % 8)};
    EXPECT_EQ(std::count(lists.begin(), lists.end(), pair), 1) << r;
  }
}

TEST(SignaturePlan, RangesAreWholeNodes) {
  // A quarter of 12 processes is 3, of which whole nodes are 2: 0-1, 2-3, ..., each with the next.
  const auto lists = together(ring_of(16), each_its_own(16), 12, 2);
  EXPECT_EQ(lists.size(), 8U);
  for (const auto& list : lists) {
    ASSERT_EQ(list.size(), 4U);
    EXPECT_EQ(list[0] % 2, 0);
    EXPECT_EQ(list[1], list[0] + 1);
  }
}

TEST(SignaturePlan, AlikeRanksAreMeasuredOnce) {
  const auto lists = together(ring_of(8), std::vector<int>(8, 0), 4);
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(lists[0], (std::vector<int>{0, 1}));
}

TEST(SignaturePlan, AllAtOnceWhereThereAreProcessesForThem) {
  const auto lists = together(ring_of(8), each_its_own(8), 8);
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(lists[0], each_its_own(8));
}

TEST(SignaturePlan, RanksWithoutMessagesAreMeasuredToo) {
  SteppedProgram p = no_program(5);
  for (int r = 0; r < 5; ++r) p.program.of(r) = {compute(1)};
  as_one_phase(p);
  const std::vector<std::vector<int>> wanted = {{0, 1}, {2, 3}, {4}};
  EXPECT_EQ(together(p, each_its_own(5), 4), wanted);
}

TEST(SignaturePlan, TextHasWhatTheProgramReads) {
  SteppedProgram p = no_program(3);
  p.program.of(0) = {compute(0.25)};
  add_send(p, 0, 2);
  add_receive(p, 2, 0);
  as_one_phase(p);
  EXPECT_EQ(plan_text({run_of(p, {0, 1})}, p.windows, 4),
            "scalediag-synth-plan 1 processes 4 runs 1\n"
            "run 0 2 3\n"
            "part 0 48\n"
            "rank 0.000000000 4 1 1\nm\nc 0.25\ns 2 0 9 0\nw 1 0\n"
            "part 1 25\n"
            "rank 0.000000000 1 0 0\nm\n"
            "part 2 36\n"
            "hole 0 1 1 0\nr 0 0 9 -1 0.000000000\n");
}

}  // namespace
}  // namespace scalediag::loggp
