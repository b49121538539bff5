#include "loggp/simulator/live_simulation.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

// Messages of 9 bytes: b = 8. With example_network() a send keeps its rank busy for o_s + O b = 3, and the first byte
// arrives o_s + L = 102 after the send began; the receiver is done with it o_s + L + G b + o_r + O b = 108 after that.
constexpr uint64_t kLiveBytes = 9;

// A program of which the operations up to known(rank) are known.
class GrowingProgram : public Program {
 public:
  explicit GrowingProgram(const ListProgram& all) : all_(all), known_(static_cast<size_t>(all.ranks())) {}
  int ranks() const override { return all_.ranks(); }
  Op next(int rank, uint64_t& position) const override {
    if (position < known_[static_cast<size_t>(rank)] || ended_) return all_.next(rank, position);
    Op none;
    none.kind = OpKind::kNotYet;
    return none;
  }
  const std::vector<std::string>& labels() const override { return all_.labels(); }
  // False: there are no more.
  bool grow(uint32_t rank, uint64_t more = 1) {
    if (known_[rank] >= all_.of(static_cast<int>(rank)).size()) return false;
    known_[rank] += more;
    return true;
  }
  bool is_whole(int rank) const { return known_[static_cast<size_t>(rank)] >= all_.of(rank).size(); }
  void end() { ended_ = true; }

 private:
  const ListProgram& all_;
  std::vector<uint64_t> known_;
  bool ended_ = false;
};

Op question(Question what, int peer = -1, int tag = 0) {
  Op op;
  op.kind = OpKind::kAsk;
  op.group = static_cast<uint32_t>(what);
  op.peer = peer;
  op.tag = tag;
  return op;
}
Op live_send(int to, uint64_t bytes = kLiveBytes, int tag = 0) { return message(OpKind::kSend, to, bytes, tag); }
Op live_recv(int from, uint64_t bytes = kLiveBytes, int tag = 0) { return message(OpKind::kRecv, from, bytes, tag); }

// A simulation of a program that becomes known as the test says.
class Live {
 public:
  explicit Live(const ListProgram& all, const Network& network = example_network())
      : network_(network),
        program(all),
        made_(LiveSimulation::begin(program, network_, {}, [this](uint32_t rank, const SimulatedAnswer& a) {
          answers.emplace_back(rank, a);
        })) {}
  LiveSimulation& simulation() { return made_.value(); }
  core::Status tell(uint32_t rank, uint64_t more, const std::vector<bool>& is_idle = {}) {
    program.grow(rank, more);
    return simulation().go_on({rank}, is_idle);
  }
  core::Result<Simulation> end() {
    program.end();
    std::vector<uint32_t> all;
    for (int r = 0; r < program.ranks(); ++r) all.push_back(static_cast<uint32_t>(r));
    if (auto gone = simulation().go_on(all); !gone) return gone.error();
    return simulation().end();
  }
  std::vector<std::pair<uint32_t, SimulatedAnswer>> answers;

 private:
  const Network network_;

 public:
  GrowingProgram program;

 private:
  core::Result<LiveSimulation> made_;
};

TEST(LiveSimulation, ScheduleOfARingOfThree) {
  ListProgram p(3);
  p.of(0) = {compute(10), live_send(1), live_recv(2)};
  p.of(1) = {live_recv(0), compute(20), live_send(2)};
  p.of(2) = {live_recv(1), live_send(0)};
  Live live(p);
  // The receivers are known first.
  ASSERT_TRUE(live.tell(2, 2));
  ASSERT_TRUE(live.tell(1, 3));
  EXPECT_EQ(live.simulation().position(1), 0U);
  ASSERT_TRUE(live.tell(0, 3));
  const auto s = live.end();
  ASSERT_TRUE(s.ok());
  // 1 has the message at 10 + 108 = 118, sends from 138 to 141; 2 has it at 138 + 108 = 246, sends to 249; 0 has it at
  // 246 + 108 = 354.
  EXPECT_DOUBLE_EQ(s.value().ranks[1].end_s, 141);
  EXPECT_DOUBLE_EQ(s.value().ranks[2].end_s, 249);
  EXPECT_DOUBLE_EQ(s.value().total_s, 354);
}

// Large messages share their senders' adapters, so that the end of one depends on what is sent later.
TEST(LiveSimulation, TimesDoNotDependOnTheOrderInWhichOperationsBecomeKnown) {
  constexpr int kRanks = 4;
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    Network network = example_network(500);
    network.progress = round % 2 == 0 ? Progress::kAlways : Progress::kInCalls;
    ListProgram p(kRanks);
    for (int step = 0; step < 12; ++step) {
      const int shift = 1 + static_cast<int>(random() % (kRanks - 1));
      for (int r = 0; r < kRanks; ++r) {
        const auto bytes = static_cast<uint64_t>(1 + 600 * ((r + step) % 3));
        const int from = (r + kRanks - shift) % kRanks;
        const auto room = static_cast<uint64_t>(1 + 600 * ((from + step) % 3));
        p.of(r).push_back(compute(static_cast<double>(random() % 300)));
        p.of(r).push_back(message(OpKind::kIrecv, from, room, step, 1));
        p.of(r).push_back(message(OpKind::kIsend, (r + shift) % kRanks, bytes, step, 2));
        if (step % 2 == 0) p.of(r).push_back(wait_for(kAllGroups));
        if (step % 5 == 4) p.of(r).push_back(collective(Collective::kAllreduce, 64));
      }
    }
    for (int r = 0; r < kRanks; ++r) p.of(r).push_back(wait_for(kAllGroups));
    const auto expected = simulate(p, network);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    Live live(p, network);
    for (int n_whole = 0; n_whole < kRanks;) {
      const auto r = static_cast<uint32_t>(random() % kRanks);
      if (live.program.grow(r, 1 + random() % 3)) {
        ASSERT_TRUE(live.simulation().go_on({r}));
      }
      n_whole = 0;
      for (int i = 0; i < kRanks; ++i) n_whole += live.program.is_whole(i) ? 1 : 0;
    }
    const auto s = live.end();
    ASSERT_TRUE(s.ok()) << s.error().message;
    for (int r = 0; r < kRanks; ++r) {
      EXPECT_EQ(s.value().ranks[static_cast<size_t>(r)].end_s, expected.value().ranks[static_cast<size_t>(r)].end_s);
    }
  }
}

// Rank 0 receives from any rank. 1 sends at 50, 2 at 20, which is known later.
ListProgram three_ranks(double first_s, double second_s) {
  ListProgram p(3);
  p.of(0) = {question(Question::kMatchAnyTag)};
  p.of(1) = {compute(first_s), live_send(0, kLiveBytes, 1)};
  p.of(2) = {compute(second_s), live_send(0, kLiveBytes, 2)};
  return p;
}

TEST(LiveSimulation, AnswersWithTheMessageThatArrivesFirstOnceNoneCanComeEarlier) {
  const ListProgram p = three_ranks(50, 20);
  Live live(p);
  ASSERT_TRUE(live.tell(0, 1));
  ASSERT_TRUE(live.tell(1, 2));
  // Its first byte arrives at 50 + 102 = 152. Rank 2 is at 0 and could send one that arrives at 0 + L = 100.
  EXPECT_TRUE(live.answers.empty());
  EXPECT_TRUE(live.simulation().is_asked());
  ASSERT_TRUE(live.tell(2, 2));
  ASSERT_EQ(live.answers.size(), 1U);
  EXPECT_EQ(live.answers[0].first, 0U);
  EXPECT_EQ(live.answers[0].second.rank, 2U);
  EXPECT_EQ(live.answers[0].second.tag, 2);
  EXPECT_EQ(live.simulation().n_matches(), 1U);
  EXPECT_EQ(live.simulation().n_early_matches(), 0U);
}

TEST(LiveSimulation, DoesNotWaitForARankThatIsLateEnough) {
  const ListProgram p = three_ranks(50, 53);
  Live live(p);
  ASSERT_TRUE(live.tell(0, 1));
  ASSERT_TRUE(live.tell(1, 2));
  // At 53 rank 2 can send nothing that arrives before 53 + L = 153, and rank 1's message arrives at 152.
  ASSERT_TRUE(live.tell(2, 1));
  ASSERT_EQ(live.answers.size(), 1U);
  EXPECT_EQ(live.answers[0].second.rank, 1U);
  EXPECT_EQ(live.simulation().n_early_matches(), 0U);
}

TEST(LiveSimulation, DoesNotWaitForIdleRanksAndCountsIt) {
  const ListProgram p = three_ranks(50, 20);
  Live live(p);
  ASSERT_TRUE(live.tell(0, 1));
  ASSERT_TRUE(live.tell(1, 2, {false, false, true}));
  ASSERT_EQ(live.answers.size(), 1U);
  EXPECT_EQ(live.answers[0].second.rank, 1U);
  EXPECT_EQ(live.simulation().n_early_matches(), 1U);
}

TEST(LiveSimulation, MessagesOfARankMatchInTheOrderInWhichItSentThem) {
  ListProgram p(2);
  p.of(0) = {question(Question::kMatch, 1, 7)};
  p.of(1) = {live_send(0, kLiveBytes, 3), live_send(0, 2 * kLiveBytes, 7), live_send(0, kLiveBytes, 7)};
  Live live(p);
  ASSERT_TRUE(live.tell(1, 3));
  ASSERT_TRUE(live.tell(0, 1));
  ASSERT_EQ(live.answers.size(), 1U);
  EXPECT_EQ(live.answers[0].second.tag, 7);
}

TEST(LiveSimulation, TellsARankItsTime) {
  ListProgram p(2);
  p.of(0) = {live_recv(1), question(Question::kTime)};
  p.of(1) = {compute(10), live_send(0)};
  Live live(p);
  ASSERT_TRUE(live.tell(0, 2));
  EXPECT_TRUE(live.answers.empty());
  ASSERT_TRUE(live.tell(1, 2));
  ASSERT_EQ(live.answers.size(), 1U);
  EXPECT_DOUBLE_EQ(live.answers[0].second.clock_s, 118);  // 10 + 108
}

TEST(LiveSimulation, DeadlockIsFoundAsSoonAsNoRankIsUnknown) {
  ListProgram p(2);
  p.of(0) = {live_recv(1)};
  p.of(1) = {live_recv(0)};
  Live live(p);
  ASSERT_TRUE(live.tell(0, 1));
  const auto gone = live.tell(1, 1);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().message.rfind("deadlock: 2 of 2 ranks cannot go on: rank 0, event 0 (MPI_Recv)", 0), 0U)
      << gone.error().message;
}

TEST(LiveSimulation, QuestionThatNobodyCanAnswerIsADeadlock) {
  ListProgram p(2);
  p.of(0) = {question(Question::kMatchAnyTag)};
  p.of(1) = {compute(1)};
  Live live(p);
  ASSERT_TRUE(live.tell(0, 1));
  ASSERT_TRUE(live.tell(1, 1));
  const auto end = live.end();
  ASSERT_FALSE(end.ok());
  EXPECT_NE(end.error().message.find("a message from any rank"), std::string::npos) << end.error().message;
}

}  // namespace
}  // namespace scalediag::loggp
