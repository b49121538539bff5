#include "loggp/analysis/tolerance.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "loggp/analysis/analysis.h"
#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

const std::vector<double> kLonger = {0.01, 0.05, 0.1};

Tolerance tolerance(const std::function<double(double)>& total_s) {
  const auto run_time = [&](double f) -> core::Result<RunTime> { return RunTime{total_s(f), {}}; };
  const auto result = tolerance_of(run_time, {total_s(1), {}}, kLonger);
  EXPECT_TRUE(result.ok());
  return result.ok() ? result.value() : Tolerance{};
}

// 100 = 80 + 20 f: 1, 5 and 10 longer at 1 + 1/20, 1 + 5/20 and 1 + 10/20. The slope, and the point where the line
// would have risen enough with its own slope, which it has; and the other two factors once more: four simulations.
TEST(Tolerance, OfOneLineIsExact) {
  const Tolerance t = tolerance([](double f) { return 80 + 20 * f; });
  ASSERT_EQ(t.limits.size(), 3u);
  EXPECT_NEAR(*t.limits[0].factor, 1.05, 1e-8);
  EXPECT_NEAR(*t.limits[1].factor, 1.25, 1e-8);
  EXPECT_NEAR(*t.limits[2].factor, 1.5, 1e-8);
  EXPECT_TRUE(t.bends.empty());
  EXPECT_EQ(t.simulations, 4);
}

// max(80 + 20 f, 58 + 40 f): the second path is longer from 22 / 20 = 1.1 on, where both are 102. 1 longer at 1.05 as
// before; 105 = 58 + 40 f at 47 / 40, 110 at 52 / 40.
TEST(Tolerance, BendsWhereAnotherPathIsTheLongest) {
  const Tolerance t = tolerance([](double f) { return std::max(80 + 20 * f, 58 + 40 * f); });
  EXPECT_NEAR(*t.limits[0].factor, 1.05, 1e-6);
  EXPECT_NEAR(*t.limits[1].factor, 47. / 40, 1e-6);
  EXPECT_NEAR(*t.limits[2].factor, 52. / 40, 1e-6);
  ASSERT_EQ(t.bends.size(), 1u);
  EXPECT_NEAR(t.bends[0], 1.1, 1e-6);
}

// Nothing depends on f up to 50, then 100 = 50 + f; 1 more at 51, and 10 at 60.
TEST(Tolerance, ReachesOverWhatDoesNotMatterYet) {
  const Tolerance t = tolerance([](double f) { return std::max(100., 50 + f); });
  EXPECT_NEAR(*t.limits[0].factor, 51, 1e-3);
  EXPECT_NEAR(*t.limits[2].factor, 60, 1e-3);
  ASSERT_EQ(t.bends.size(), 1u);
  EXPECT_NEAR(t.bends[0], 50, 1e-3);
}

// Adapters that pass messages in another order: 100 + 20 (f - 1), but from 1.2 on only 104 + 5 (f - 1.2). Its first
// tangent promises 110 at 1.5, where it has 105.5. 5 longer at 1.2 + 1/5, 10 at 1.2 + 6/5.
TEST(Tolerance, IsFoundAlsoWhereTheRunTimeIsConcave) {
  const Tolerance t = tolerance([](double f) { return f < 1.2 ? 100 + 20 * (f - 1) : 104 + 5 * (f - 1.2); });
  EXPECT_NEAR(*t.limits[0].factor, 1.05, 0.1 / 20);
  EXPECT_NEAR(*t.limits[1].factor, 1.4, 0.1 / 5);
  EXPECT_NEAR(*t.limits[2].factor, 2.4, 0.1 / 5);
  EXPECT_EQ(t.error, 0);
}

// Flat from 10 to 500, and at 1000 again where the first tangent, 100 + (f - 1) / 100, promises: neither end shows it.
// 1 longer, 101, is 0.91 above the flat part, which rises by 9.9 in 500 from there; 5 longer 4.91.
TEST(Tolerance, IsSimulatedWhereItIsTold) {
  const Tolerance t =
      tolerance([](double f) { return f < 10 ? 100 + (f - 1) / 100 : 100.09 + std::max(0., f - 500) * 9.9 / 500; });
  ASSERT_TRUE(t.limits[0].factor && t.limits[1].factor);
  EXPECT_NEAR(*t.limits[0].factor, 500 + 0.91 * 500 / 9.9, 0.1 * 500 / 9.9);
  EXPECT_NEAR(*t.limits[1].factor, 500 + 4.91 * 500 / 9.9, 0.1 * 500 / 9.9);
  EXPECT_EQ(t.error, 0);
}

TEST(Tolerance, OfWhatNeverMattersIsNone) {
  const Tolerance t = tolerance([](double) { return 100; });
  for (const auto& limit : t.limits) EXPECT_FALSE(limit.factor);
}

// max(80 + 20 f, 58 + 40 f), bent at 1.1, as above; the first path has 15 of its 20 from A and 5 from B, the second 40
// from B. 1 longer at 1.05: A 0.75, B 0.25. 10 longer at 1.3: A 15 x 0.1 = 1.5; B 5 x 0.1 + 40 x 0.2 = 8.5. Alone, A
// makes the run at least 15 x 0.3 longer, B 5 x 0.3.
TEST(Tolerance, IsSharedByOperationsAlongThePaths) {
  const auto run_time = [](double f) -> core::Result<RunTime> {
    if (80 + 20 * f >= 58 + 40 * f) return RunTime{80 + 20 * f, {{"A", 15}, {"B", 5}}};
    return RunTime{58 + 40 * f, {{"B", 40}}};
  };
  const Tolerance t = tolerance_of(run_time, run_time(1).value(), kLonger).value();
  EXPECT_NEAR(t.limits[0].shares.at("A"), 0.75, 1e-6);
  EXPECT_NEAR(t.limits[0].shares.at("B"), 0.25, 1e-6);
  EXPECT_NEAR(t.limits[2].shares.at("A"), 0.15, 1e-6);
  EXPECT_NEAR(t.limits[2].shares.at("B"), 0.85, 1e-6);
  EXPECT_NEAR(t.alone.at("A"), 0.045, 1e-6);
  EXPECT_NEAR(t.alone.at("B"), 0.015, 1e-6);
}

// A bend of less than 0.5 % of the run time is told where the slopes of paths show it: max(99 + f, 97.9 + 2 f) bends at
// 1.1, and straight lines through (1, 100) and a point beside 5.55, where it is 109 to 110, are above it by 0.1.
TEST(Tolerance, BendsAreFoundBySlopesOfPaths) {
  const auto run_time = [](double f) -> core::Result<RunTime> {
    if (99 + f >= 97.9 + 2 * f) return RunTime{99 + f, {{"A", 1}}};
    return RunTime{97.9 + 2 * f, {{"A", 2}}};
  };
  const Tolerance t = tolerance_of(run_time, run_time(1).value(), kLonger).value();
  ASSERT_EQ(t.bends.size(), 1u);
  EXPECT_NEAR(t.bends[0], 1.1, 1e-6);
}

TEST(Tolerance, GivesErrorsOn) {
  const auto failed = tolerance_of(
      [](double) -> core::Result<RunTime> {
        return core::Error{core::ErrorCode::kInput, "no", "", ""};
      },
      {1, {}}, kLonger);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "no");
}

Tolerance latency_tolerance(const ListProgram& program, const Network& network) {
  const auto run_time = [&](double factor) -> core::Result<RunTime> {
    NetworkFactors factors;
    factors.latency = factor;
    SimulationOptions options;
    options.record_path = true;
    const auto simulated = simulate(program, scaled(network, factors), options);
    if (!simulated) return simulated.error();
    RunTime result{simulated.value().total_s, path_latencies_s(program, simulated.value())};
    for (auto& [operation, slope_s] : result.slopes_s) slope_s /= factor;
    return result;
  };
  return tolerance_of(run_time, run_time(1).value(), kLonger).value();
}

// Ranks 0 and 1 are on one node, 2 and 3 on another. Rank 0 sends a byte to 1 by MPI_Send, and that one to 2 by
// MPI_Isend: 2 (2 + 100 + 3) = 210, a latency for each. So 10 % more at 1 + 21 / 200, half of it by each, and each of
// them alone makes it 10.5 longer: simulated, with the latency within the node or between nodes only as much larger.
TEST(Tolerance, OfAnOperationIsWhatItsMessagesAloneCost) {
  ListProgram p(4);
  p.of(0) = {message(OpKind::kSend, 1, 1)};
  p.of(1) = {message(OpKind::kRecv, 0, 1), message(OpKind::kIsend, 2, 1), wait_for(0)};
  p.of(2) = {message(OpKind::kRecv, 1, 1)};
  Network network = example_network();
  network.placement.ranks_per_node = 2;
  const Tolerance t = latency_tolerance(p, network);
  const double factor = *t.limits[2].factor;
  EXPECT_NEAR(factor, 1 + 21. / 200, 1e-6);
  EXPECT_NEAR(t.limits[2].shares.at("MPI_Send"), 0.5, 1e-5);
  EXPECT_NEAR(t.limits[2].shares.at("MPI_Isend"), 0.5, 1e-5);
  const auto simulated_s = [&](double within, double between) {
    Network changed = network;
    changed.same_node.latency_s *= within;
    changed.other_node.latency_s *= between;
    return simulate(p, changed).value().total_s;
  };
  EXPECT_NEAR(simulated_s(1, 1) * (1 + t.alone.at("MPI_Send")), simulated_s(factor, 1), 1e-4);
  EXPECT_NEAR(simulated_s(1, 1) * (1 + t.alone.at("MPI_Isend")), simulated_s(1, factor), 1e-4);
}

// The same beside 220 that rank 2 computes before it receives, which hides all of that at first: 223. Latencies matter
// from 7 + 200 f = 220 on, at 1.065, and 245.3 are 10 + 200 f. Alone MPI_Send would then make it 110 + 100 f - 223
// longer, 1.9 %; at least nothing is what the first path tells.
TEST(Tolerance, OfAnOperationIsAtLeastWhatTheFirstPathTells) {
  ListProgram p(4);
  p.of(0) = {message(OpKind::kSend, 1, 1)};
  p.of(1) = {message(OpKind::kRecv, 0, 1), message(OpKind::kIsend, 2, 1), wait_for(0)};
  p.of(2) = {compute(220), message(OpKind::kRecv, 1, 1)};
  const Tolerance t = latency_tolerance(p, example_network());
  EXPECT_NEAR(*t.limits[2].factor, 235.3 / 200, 1e-6);
  ASSERT_EQ(t.bends.size(), 1u);
  EXPECT_NEAR(t.bends[0], 1.065, 1e-6);
  EXPECT_NEAR(t.limits[2].shares.at("MPI_Send"), 0.5, 1e-3);
  EXPECT_TRUE(t.alone.empty());
}

std::map<std::string, double> latencies_s(const ListProgram& program, const Network& network, bool bytes = false) {
  SimulationOptions options;
  options.record_path = true;
  const auto simulated = simulate(program, network, options);
  return bytes ? path_bytes_s(program, simulated.value()) : path_latencies_s(program, simulated.value());
}
using Parts = std::map<std::string, double>;

// Above S_sync a message has three latencies where the receiver is ready; two where it comes late, since the request is
// already there; and its sender, which computes afterwards for so long that it ends last, waited for two.
TEST(Tolerance, CountsLatenciesOfHandshakes) {
  const Network network = example_network(0);
  ListProgram ready(2);
  ready.of(0) = {message(OpKind::kSend, 1, 1)};
  ready.of(1) = {message(OpKind::kRecv, 0, 1)};
  EXPECT_EQ(latencies_s(ready, network), (Parts{{"MPI_Send", 300}}));
  ListProgram late = ready;
  late.of(1).insert(late.of(1).begin(), compute(1000));
  EXPECT_EQ(latencies_s(late, network), (Parts{{"MPI_Send", 200}}));
  ListProgram sender = ready;
  sender.of(0).push_back(compute(1000));
  EXPECT_EQ(latencies_s(sender, network), (Parts{{"MPI_Send", 200}}));
}

// 41 B have G b = 10. A second message waits at its sender's adapter until the first has left, at 2 + 10 + 5, instead
// of leaving at 9 (o_s + O b = 7 later): 8 of its time are counted as bytes beside its own 10.
TEST(Tolerance, CountsBytesThatWereWaitedFor) {
  ListProgram p(3);
  p.of(0) = {message(OpKind::kSend, 1, 41), message(OpKind::kSend, 2, 41)};
  p.of(1) = {message(OpKind::kRecv, 0, 41)};
  p.of(2) = {message(OpKind::kRecv, 0, 41)};
  EXPECT_EQ(latencies_s(p, example_network(), true), (Parts{{"MPI_Send", 18}}));
}

// A connection that takes 30 is made for the first message, and its time grows with latencies.
TEST(Tolerance, CountsTheMakingOfConnections) {
  ListProgram p(2);
  p.of(0) = {message(OpKind::kSend, 1, 1)};
  p.of(1) = {message(OpKind::kRecv, 0, 1)};
  Network network = example_network();
  network.same_node.connect_s = network.other_node.connect_s = 30;
  EXPECT_EQ(latencies_s(p, network), (Parts{{"MPI_Send", 128}}));  // o_s of 2 passes meanwhile
}

// A barrier of two ranks is one message each way: its latencies count for it, and those of the send for MPI_Send.
TEST(Tolerance, CollectivesCountAsOne) {
  ListProgram p(2);
  p.of(0) = {collective(Collective::kBarrier, 0), message(OpKind::kSend, 1, 1)};
  p.of(1) = {collective(Collective::kBarrier, 0), message(OpKind::kRecv, 0, 1)};
  EXPECT_EQ(latencies_s(p, example_network()), (Parts{{"MPI_Barrier", 100}, {"MPI_Send", 100}}));
}

// A ping-pong of 9 bytes takes 216 (simulator_test.cpp), of which 200 are two latencies: T = 16 + 200 f. 10 % are 21.6,
// reached at f = 1 + 21.6 / 200. Beside computations of 300 on both ranks that do not wait for it, which take 300 + the
// other overheads, latencies do not matter at first: rank 0 sends, computes 300 and receives; rank 1 answers at once.
// Rank 0 goes on at max(3 + 300, 16 + 200 f - 4) + 4: from f = 291 / 200 on the messages are the longer path.
TEST(Tolerance, OfAPingPong) {
  const auto of = [](double seconds) {
    ListProgram p(2);
    p.of(0) = {message(OpKind::kSend, 1, 9), compute(seconds), message(OpKind::kRecv, 1, 9)};
    p.of(1) = {message(OpKind::kRecv, 0, 9), message(OpKind::kSend, 0, 9)};
    return latency_tolerance(p, example_network());
  };
  EXPECT_NEAR(*of(0).limits[2].factor, 1 + 21.6 / 200, 1e-6);
  const Tolerance beside = of(300);
  ASSERT_EQ(beside.bends.size(), 1u);
  EXPECT_NEAR(beside.bends[0], 291. / 200, 1e-6);
  // 307 in all; 10 % more are 337.7 = 16 + 200 f.
  EXPECT_NEAR(*beside.limits[2].factor, 321.7 / 200, 1e-6);
}

}  // namespace
}  // namespace scalediag::loggp
