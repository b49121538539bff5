// Programs that cannot run to their end, and messages that do not fit.
#include <gtest/gtest.h>

#include "tests/loggp/simulator/simulated_programs.h"

namespace scalediag::loggp {
namespace {

TEST(SimulatorErrors, DeadlockIsNamed) {
  ListProgram p(2);
  p.of(0) = {compute(1), recv(1, 9, 4), send(1)};
  p.of(1) = {recv(0), send(0)};
  const std::string text = simulator_error(p, example_network());
  EXPECT_NE(text.find("deadlock: 2 of 2 ranks"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 0, event 1 (MPI_Recv), waits for a message from rank 1, tag 4"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 1, event 0 (MPI_Recv), waits for a message from rank 0, tag 0"), std::string::npos) << text;
}

TEST(SimulatorErrors, RendezvousOfBothSidesAtOnceIsADeadlock) {
  ListProgram p(2);
  p.of(0) = {send(1), recv(1)};
  p.of(1) = {send(0), recv(0)};
  EXPECT_EQ(simulator_error(p, example_network()), "no error");
  const std::string text = simulator_error(p, example_network(8));
  EXPECT_NE(text.find("rank 0, event 0 (MPI_Send), waits for rank 1 to receive 9 B, tag 0"), std::string::npos) << text;
}

class HintedProgram : public ListProgram {
 public:
  using ListProgram::ListProgram;
  std::string deadlock_hint(bool a_send_waits) const override { return a_send_waits ? "a send waits" : "none waits"; }
};

std::string deadlock_hint_of(HintedProgram& program) {
  const auto ended = simulate(program, example_network(8));
  return ended ? "no error" : ended.error().hint;
}

TEST(SimulatorErrors, TheHintOfADeadlockKnowsWhetherASendWaits) {
  HintedProgram receives(6), sends(6);
  for (int r = 0; r < 6; ++r) receives.of(r) = {recv((r + 1) % 6)};
  EXPECT_EQ(deadlock_hint_of(receives), "none waits");
  // Only the last rank sends; the error shows four of the others.
  for (int r = 0; r < 5; ++r) sends.of(r) = {recv(r == 4 ? 0 : r + 1)};
  sends.of(5) = {send(0)};
  EXPECT_EQ(deadlock_hint_of(sends), "a send waits");
}

TEST(SimulatorErrors, MissingPartnerIsNamed) {
  ListProgram p(2);
  p.of(0) = {recv(1)};
  const std::string text = simulator_error(p, example_network());
  EXPECT_NE(text.find("rank 0, event 0 (MPI_Recv), waits for a message from rank 1, tag 0, and rank 1 has ended"),
            std::string::npos)
      << text;
}

TEST(SimulatorErrors, UnreceivedMessageIsNamed) {
  ListProgram p(2);
  p.of(0) = {compute(1), send(1, 9, 6)};
  EXPECT_EQ(simulator_error(p, example_network()),
            "rank 0, event 1: sends 9 B to rank 1, tag 6, which never receives it");
}

// Eager or not, whichever side comes first.
TEST(SimulatorErrors, MessageThatItsReceiveHasNoRoomForIsNamed) {
  for (const uint64_t sync_bytes : {kAnySize, uint64_t{4}}) {
    for (const bool sender_is_late : {false, true}) {
      ListProgram p(2);
      p.of(0) = {compute(sender_is_late ? 500 : 0), send(1, 9, 6)};
      p.of(1) = {compute(sender_is_late ? 0 : 500), recv(0, 8, 6)};
      const Simulation truncated = run(p, example_network(sync_bytes));
      EXPECT_EQ(truncated.n_truncated, 1U);
      EXPECT_EQ(truncated.first_truncated, "rank 1, event 1: has room for 8 B, but rank 0 sends 9 B, tag 6");
      p.of(1)[1].bytes = 10;
      const Simulation roomy = run(p, example_network(sync_bytes));
      EXPECT_EQ(roomy.n_truncated, 0U);
      EXPECT_EQ(roomy.first_truncated, "");
      EXPECT_DOUBLE_EQ(truncated.total_s, roomy.total_s);
    }
  }
}

// The root alone gives the size of a Scatter, but every rank does in SimGrid's traces.
TEST(SimulatorErrors, RanksOfACollectiveMayDifferInSize) {
  ListProgram p(2);
  p.of(0) = {collective(Collective::kScatter, 9)};
  p.of(1) = {collective(Collective::kScatter, 0)};
  EXPECT_EQ(run(p, example_network()).n_truncated, 0U);
}

TEST(SimulatorErrors, UnknownRankIsNamed) {
  ListProgram p(2);
  p.of(1) = {send(2)};
  EXPECT_EQ(simulator_error(p, example_network()), "rank 1, event 0 (MPI_Send): there is no rank 2 among 2");
}

TEST(SimulatorErrors, ImpossibleParameterIsNamed) {
  Network network = example_network();
  network.other_node.segments[0].gap_s_per_byte = -1;
  EXPECT_EQ(simulator_error(ListProgram(1), network),
            "network: other_node.segments[0].G: must be a number of at least 0 and at most 1e9");
}

}  // namespace
}  // namespace scalediag::loggp
