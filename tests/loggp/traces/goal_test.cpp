#include "loggp/traces/goal.h"

#include <gtest/gtest.h>

#include <random>

#include "loggp/analysis/analysis.h"
#include "tests/core/text_mutation.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

// example_network() in nanoseconds: o_s 2, o_r 3, g 5, G 0.25, O 0.125, L 100. Messages of 9 bytes: the sender's CPU is
// busy for 3, the receiver's for 4, one way takes 108, the adapter passes one every 7.
Network nanoseconds(uint64_t sync_bytes = kAnySize) {
  Network n = example_network(sync_bytes);
  for (LinkClass* link : {&n.same_node, &n.other_node}) {
    link->latency_s *= 1e-9;
    Segment& s = link->segments[0];
    for (double* value :
         {&s.send_overhead_s, &s.receive_overhead_s, &s.gap_s, &s.gap_s_per_byte, &s.overhead_s_per_byte}) {
      *value *= 1e-9;
    }
  }
  return n;
}

std::vector<double> ends_ns(const std::string& text, const Network& network) {
  const auto schedule = parse_goal(text, "t.goal");
  EXPECT_TRUE(schedule.ok()) << (schedule.ok() ? "" : schedule.error().message);
  if (!schedule.ok()) return {};
  const auto result = simulate(schedule.value(), network);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  std::vector<double> ends;
  if (!result.ok()) return ends;
  for (const RankTimes& t : result.value().ranks) {
    ends.push_back(t.end_s * 1e9);
  }
  return ends;
}

// The times of a rank that uses one CPU add up.
void expect_adds_up(const std::string& text, const Network& network) {
  const auto schedule = parse_goal(text, "t");
  ASSERT_TRUE(schedule.ok());
  const auto result = simulate(schedule.value(), network);
  ASSERT_TRUE(result.ok());
  for (const RankTimes& t : result.value().ranks) {
    EXPECT_NEAR(t.computation_s + t.transfer_s + t.waiting_s(), t.end_s, 1e-15);
  }
}

void expect_ends(const std::string& text, const Network& network, const std::vector<double>& expected) {
  const std::vector<double> ends = ends_ns(text, network);
  ASSERT_EQ(ends.size(), expected.size());
  for (size_t i = 0; i < ends.size(); ++i) EXPECT_NEAR(ends[i], expected[i], 1e-6) << "rank " << i;
}

std::string error_of(const std::string& text, const Network& network = nanoseconds()) {
  const auto schedule = parse_goal(text, "t.goal");
  if (!schedule.ok()) return schedule.error().message;
  const auto result = simulate(schedule.value(), network);
  return result.ok() ? "no error" : result.error().message;
}

TEST(Goal, PingPong) {
  // The pong begins when rank 1's CPU is free at 108, and ends 108 later.
  expect_ends(R"(num_ranks 2
    rank 0 {
      l1: send 9b to 1 tag 7
      l2: recv 9b from 1 tag 8 cpu 0 nic 0
    }
    rank 1 {
      a: recv 9b from 0 tag 7
      b: send 9b to 0 tag 8
      b requires a
    })",
              nanoseconds(), {216, 111});
}

TEST(Goal, LargeMessagesShareTheAdapter) {
  // Posted at 0 and 2, so they begin to leave at 212 and 214. G b = 100: of 105 the first has 103 left at 214, so it
  // ends at 420, and the second, which then lacks 2, at 422; last bytes 5 before, received L + o_r + O b = 153 later.
  expect_ends(R"(num_ranks 3
    rank 0 {
      l1: send 401b to 1 tag 7
      l2: send 401b to 2 tag 7
    }
    rank 1 { l1: recv 401b from 0 tag 7 }
    rank 2 { l1: recv 401b from 0 tag 7 }
    )",
              nanoseconds(8), {420 - 5 + 2, 420 - 5 + 153, 422 - 5 + 153});
}

TEST(Goal, ACpuDoesNotWaitForTheRestOfASharedMessage) {
  // Rank 2's message as in the test before: its first byte is there at 314, its last at 517. At 400 the CPU can
  // compute.
  const std::string senders = R"(num_ranks 3
    rank 0 {
      l1: send 401b to 1 tag 7
      l2: send 401b to 2 tag 7
    }
    rank 1 { l1: recv 401b from 0 tag 7 }
    )";
  const std::string receiver = R"(rank 2 {
      r: recv 401b from 0 tag 7
      a: calc 400
      b: calc 1000
      b requires a
    )";
  const double received = 1400 + 3 + 50;
  expect_ends(senders + receiver + "}", nanoseconds(8), {417, 568, received});
  // Later operations do not change it.
  expect_ends(senders + receiver + "c: calc 1\nc requires b\n}", nanoseconds(8), {417, 568, 1401 + 53});
}

TEST(Goal, LateSender) {
  expect_ends(R"(num_ranks 2
    rank 0 {
      c: calc 50
      s: send 9b to 1
      s requires c
    }
    rank 1 { recv 9b from 0
    })",
              nanoseconds(), {53, 158});
}

TEST(Goal, LateReceiver) {
  // Eagerly the message waits: 500 + 4. With rendezvous: agreed at 500 + 3, known at 503 + 105, sent by
  // 608 + o_s + G b = 612, received at 608 + 108.
  const std::string text = R"(num_ranks 2
    rank 0 {
    s: send 9b to 1
    }
    rank 1 {
      c: calc 500
      r: recv 9b from 0
      r requires c
    })";
  expect_adds_up(text, nanoseconds());
  expect_adds_up(text, nanoseconds(8));
  expect_ends(text, nanoseconds(), {3, 504});
  expect_ends(text, nanoseconds(8), {612, 716});
}

TEST(Goal, Rendezvous) {
  // Request at 102, agreed at 105, known at 210; the calculation requires that the send is over, which is at 214.
  expect_ends(R"(num_ranks 2
    rank 0 {
      s: send 9b to 1
      c: calc 10
      c requires s
    }
    rank 1 { recv 9b from 0
    })",
              nanoseconds(8), {224, 318});
}

TEST(Goal, FanInOfEight) {
  std::string text = "num_ranks 9\nrank 0 {\n";
  for (int i = 8; i >= 1; --i) text += "recv 9b from " + std::to_string(i) + "\n";
  text += "}\n";
  for (int i = 1; i <= 8; ++i) text += "rank " + std::to_string(i) + " {\nsend 9b to 0\n}\n";
  // First bytes at 102, the adapter busy for 7 each: 102 + 49 + 2 + 4.
  expect_ends(text, nanoseconds(), {157, 3, 3, 3, 3, 3, 3, 3, 3});
}

TEST(Goal, BinomialTree) {
  // A rank that is ready at t has its k-th message received at t + 7 k + 108: 1 at 108, 2 at 115, 4 at 122, 3 at 216,
  // 5 at 223, 6 at 223, 7 at 324. A rank with children ends 3 after each send; 0 at 9, 1 at 114, 2 at 118, 3 at 219.
  expect_ends(R"(num_ranks 8
    rank 0 {
      a: send 9b to 1
      b: send 9b to 2
      c: send 9b to 4
      b requires a
      c requires b
    }
    rank 1 {
      r: recv 9b from 0
      a: send 9b to 3
      b: send 9b to 5
      a requires r
      b requires a
    }
    rank 2 {
      r: recv 9b from 0
      a: send 9b to 6
      a requires r
    }
    rank 3 {
      r: recv 9b from 1
      a: send 9b to 7
      a requires r
    }
    rank 4 { recv 9b from 0
    }
    rank 5 { recv 9b from 1
    }
    rank 6 { recv 9b from 2
    }
    rank 7 { recv 9b from 3
    })",
              nanoseconds(), {9, 114, 118, 219, 122, 223, 223, 324});
}

TEST(Goal, MessagesAreTakenInTheOrderOfTimeNotOfSimulation) {
  // Rank 0 is free; rank 2's message is there first though rank 1 is simulated first, and rank 0 answers it first.
  expect_ends(R"(num_ranks 3
    rank 0 {
      a: recv 9b from 1
      b: recv 9b from 2
      x: send 9b to 1
      y: send 9b to 2
      x requires a
      y requires b
    }
    rank 1 {
      c: calc 1000
      s: send 9b to 0
      r: recv 9b from 0
      s requires c
    }
    rank 2 {
      s: send 9b to 0
      r: recv 9b from 0
    })",
              nanoseconds(),
              // Rank 2: sent at 0, answered at 108, back at 216. Rank 1: sent at 1000, answered at 1108, back at 1216.
              {1111, 1216, 216});
}

TEST(Goal, IrequiresFollowsTheBeginning) {
  // b may begin when a has begun; they use different CPUs.
  expect_ends(R"(num_ranks 1
    rank 0 {
      a: calc 100 cpu 0
      b: calc 30 cpu 1
      c: calc 1 cpu 1
      b irequires a
      c requires a
    })",
              nanoseconds(), {101});
}

TEST(Goal, CommentsAndLabelsUsedBeforeTheyAreDefined) {
  expect_ends("// a schedule\nnum_ranks 1 /* one\nrank */\nrank 0 {\nb requires a // order\na: calc 3\nb: calc 4\n}\n",
              nanoseconds(), {7});
}

TEST(Goal, MistakesAreNamed) {
  EXPECT_EQ(error_of("num_ranks 1\nrank 0 {\ncalc x\n}"),
            "t.goal, line 3, rank 0: a number of nanoseconds is expected, found 'x'");
  EXPECT_EQ(error_of("num_ranks 1\nrank 0 {\ncalc 5\n"),
            "t.goal, line 4, rank 0: the block is not closed: the file is truncated");
  EXPECT_EQ(error_of("num_ranks 2\nrank 0 {\ncalc 5\n}\n"), "t.goal, line 5: rank 1 of 2 has no block");
  EXPECT_EQ(error_of("num_ranks 1\nrank 0 {\nsend 5b to 3\n}"), "t.goal, line 3, rank 0: there is no rank 3");
  EXPECT_EQ(error_of("num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}"),
            "t.goal, line 5, rank 0: line 4 names the label 'b', which no operation has");
  EXPECT_EQ(error_of("num_ranks 1\nrank 0 {\nrecv 5b from -1\n}"),
            "t.goal, line 3, rank 0: receives from any rank or with any tag cannot be simulated: what they meet is not "
            "in the schedule");
  EXPECT_EQ(error_of("num_ranks 1\nrank 0 {\ncalc -5\n}"),
            "t.goal, line 3, rank 0: a number of nanoseconds is expected, found a negative number");
  EXPECT_EQ(error_of("num_ranks 99999\nrank 0 {\n}\n"),
            "t.goal, line 1: there are fewer blocks than the 99999 ranks of num_ranks");
}

TEST(Goal, DeadlocksAndLeftoversAreNamed) {
  EXPECT_NE(error_of("num_ranks 2\nrank 0 {\nrecv 9b from 1 tag 4\n}\nrank 1 {\n}\n")
                .find("rank 0, event 0 (recv, line 3), waits for a message from rank 1, tag 4, which has ended"),
            std::string::npos);
  EXPECT_NE(error_of("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n")
                .find("rank 0, event 0 (calc, line 3), requires, in a circle, itself"),
            std::string::npos);
  // c only depends on the circle of b and d.
  EXPECT_NE(
      error_of("num_ranks 1\nrank 0 {\nc: calc 1\nb: calc 1\nd: calc 1\nc requires b\nb requires d\nd requires b\n}\n")
          .find("rank 0, event 1 (calc, line 4), requires, in a circle, itself"),
      std::string::npos);
  // The first send is eager and over; the second one waits for a receive that does not exist.
  EXPECT_NE(error_of("num_ranks 2\nrank 0 {\nsend 9b to 1\nsend 70000b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n",
                     nanoseconds(64))
                .find("rank 0, event 1 (send, line 4), waits for rank 1 to receive 70000 B"),
            std::string::npos);
  EXPECT_EQ(error_of("num_ranks 2\nrank 0 {\nsend 9b to 1 tag 4\n}\nrank 1 {\n}\n"),
            "rank 0, event 0 (send, line 3): rank 1 never receives its 9 B, tag 4");
}

TEST(Goal, MessagesLargerThanTheirReceivesAreCountedAndTheFirstIsNamed) {
  const auto schedule = parse_goal(
      "num_ranks 2\nrank 0 {\nsend 9b to 1 tag 4\nsend 9b to 1 tag 5\n}\nrank 1 {\nrecv 8b from 0 tag 4\n"
      "recv 10b from 0 tag 5\n}\n",
      "t.goal");
  ASSERT_TRUE(schedule.ok());
  const auto simulated = simulate(schedule.value(), nanoseconds());
  ASSERT_TRUE(simulated.ok());
  EXPECT_EQ(simulated.value().n_truncated, 1U);
  EXPECT_EQ(simulated.value().first_truncated,
            "rank 1, event 0 (recv, line 7): has room for 8 B, but rank 0 sends 9 B, tag 4");
}

// 1000 ns on one CPU and 500 on the other, at the same time: three quarters of what two CPUs could do.
TEST(Goal, SeveralCpusAreNoMoreThanAllOfThem) {
  const auto schedule = parse_goal("num_ranks 1\nrank 0 {\ncalc 1000\ncalc 500 cpu 1\n}\n", "t.goal");
  ASSERT_TRUE(schedule.ok());
  const SimulationInput input = schedule.value();
  SimulationOptions options;
  options.record_path = true;
  const auto actual = simulate(input, nanoseconds(), options);
  const auto on_ideal = simulate(input, ideal(nanoseconds()));
  ASSERT_TRUE(actual.ok() && on_ideal.ok());
  EXPECT_DOUBLE_EQ(efficiencies(actual.value(), on_ideal.value()).parallel(), 0.75);
  const auto path = critical_path(input, nanoseconds(), options, actual.value());
  ASSERT_TRUE(path.ok());
  double sum_s = 0;
  for (const PathPart& part : path.value()) sum_s += part.seconds;
  EXPECT_DOUBLE_EQ(sum_s, 1000e-9);
}

TEST(Goal, LongChainsOfRequirementsNeedNoStack) {
  std::string text = "num_ranks 2\nrank 0 {\n";
  constexpr int kLength = 200000;
  for (int i = 0; i < kLength; ++i) {
    text += "l" + std::to_string(i) + ": recv 1b from 1\n";
    if (i > 0) text += "l" + std::to_string(i) + " irequires l" + std::to_string(i - 1) + "\n";
  }
  text += "}\nrank 1 {\n";
  for (int i = 0; i < kLength; ++i) text += "send 1b to 0\n";
  text += "}\n";
  EXPECT_EQ(error_of(text), "no error");
}

// Reading and simulating end, whatever a file contains.
TEST(Goal, NoMutantBreaksTheReader) {
  const std::string seed =
      "num_ranks 3\nrank 0 {\na: calc 10 cpu 1\nb: send 9b to 1 tag 2\nc: recv 9b from 2\nb requires a\nc irequires "
      "b\n}\nrank 1 {\nr: recv 9b from 0 tag 2\ns: send 70000b to 2\ns requires r\n}\nrank 2 {\nr: recv 70000b from "
      "1\ns: send 9b to 0\ns requires r\n}\n";
  std::mt19937 random(20180601);
  ASSERT_EQ(error_of(seed), "no error");
  for (int i = 0; i < 20000; ++i) {
    const std::string error = error_of(core::mutate_text(seed, random));
    EXPECT_TRUE(error == "no error" || error.rfind("t.goal", 0) == 0 || error.rfind("rank ", 0) == 0 ||
                error.rfind("deadlock: ", 0) == 0)
        << error;
  }
}

}  // namespace
}  // namespace scalediag::loggp
