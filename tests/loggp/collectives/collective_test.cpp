#include "loggp/collectives/collective.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <tuple>

#include "loggp/collectives/algorithm_choice.h"
#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

std::string label(const CollectiveCall& c) {
  return std::string(name_of(c.collective)) + " " + name_of(c.algorithm) + " " + std::to_string(c.ranks) + " ranks";
}

Network forced(Collective collective, Algorithm algorithm, Network network) {
  network.algorithms = {{name_of(collective), name_of(algorithm)}};
  return network;
}

// Every algorithm at sizes that are and are not powers of two, from every kind of root, eagerly and with rendezvous: no
// message is left over and no rank waits for ever.
TEST(Collective, EveryScheduleMatchesItself) {
  for (size_t k = 0; k < kCollectives; ++k) {
    const auto kind = static_cast<Collective>(k);
    for (const Algorithm algorithm : algorithms_of(kind)) {
      for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 33}) {
        for (const int root : {0, ranks / 2, ranks - 1}) {
          for (const uint64_t sync : {uint64_t{0}, kAnySize}) {
            ListProgram p(ranks);
            for (int r = 0; r < ranks; ++r) p.of(r) = {collective(kind, 40, root)};
            const auto result = simulate(p, forced(kind, algorithm, example_network(sync)));
            ASSERT_TRUE(result.ok()) << name_of(kind) << " " << name_of(algorithm) << " " << ranks << " ranks, root "
                                     << root << ": " << result.error().message;
          }
        }
      }
    }
  }
}

// Knowledge of a rank spreads along messages. After Barrier, Allreduce, Allgather and Alltoall every rank must have
// heard of every other one; after Bcast and Scatter of the root; after Reduce and Gather the root of all ranks.
// Messages are taken in the order of the simulator, which EveryScheduleMatchesItself shows to end.
std::vector<std::vector<bool>> heard(const CollectiveCall& call) {
  const uint32_t n = call.ranks;
  std::vector<std::vector<bool>> knows(n, std::vector<bool>(n, false));
  std::vector<uint32_t> state(n, 0);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::vector<bool>>> sent;
  std::vector<std::vector<std::pair<uint32_t, uint8_t>>> posted(n);
  std::vector<int> lane(n, -1);  // waiting in this lane
  for (uint32_t r = 0; r < n; ++r) knows[r][r] = true;
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t r = 0; r < n; ++r) {
      for (;;) {
        if (lane[r] >= 0) {
          bool all = true;
          for (auto it = posted[r].begin(); it != posted[r].end();) {
            auto& queue = sent[{it->first, r}];
            if (it->second != lane[r]) {
              ++it;
              continue;
            }
            if (queue.empty()) {
              all = false;
              break;
            }
            for (uint32_t i = 0; i < n; ++i) knows[r][i] = knows[r][i] || queue.front()[i];
            queue.erase(queue.begin());
            it = posted[r].erase(it);
            moved = true;
          }
          if (!all) break;
          lane[r] = -1;
        }
        Step step;
        if (!next_step(call, r, state[r], step)) break;
        moved = true;
        if (step.kind == Step::Kind::kSend) sent[{r, step.peer}].push_back(knows[r]);
        if (step.kind == Step::Kind::kReceive) posted[r].emplace_back(step.peer, step.lane);
        if (step.kind == Step::Kind::kWait) lane[r] = step.lane;
      }
    }
  }
  return knows;
}

TEST(Collective, EverySchedulePassesOnWhatItHasTo) {
  for (size_t k = 0; k < kCollectives; ++k) {
    const auto kind = static_cast<Collective>(k);
    for (const Algorithm algorithm : algorithms_of(kind)) {
      for (const uint32_t ranks : {2U, 3U, 5U, 8U, 13U, 16U}) {
        const CollectiveCall call{kind, algorithm, ranks, has_root(kind) ? ranks / 2 : 0, 16 * 8};
        const auto knows = heard(call);
        for (uint32_t to = 0; to < ranks; ++to) {
          for (uint32_t of = 0; of < ranks; ++of) {
            bool needed = true;
            if (kind == Collective::kBcast || kind == Collective::kScatter) needed = of == call.root;
            if (kind == Collective::kReduce || kind == Collective::kGather) needed = to == call.root;
            if (kind == Collective::kScan || kind == Collective::kExscan) needed = of <= to;
            EXPECT_TRUE(!needed || knows[to][of]) << label(call) << ": " << to << " has not heard of " << of;
          }
        }
      }
    }
  }
}

TEST(Collective, StepsPickedTogetherAreThoseOfOneByOne) {
  for (size_t k = 0; k < kCollectives; ++k) {
    const auto kind = static_cast<Collective>(k);
    for (const Algorithm algorithm : algorithms_of(kind)) {
      for (const uint32_t ranks : {1U, 2U, 7U, 8U, 12U}) {
        const CollectiveCall call{kind, algorithm, ranks, has_root(kind) ? ranks / 2 : 0, 1000};
        for (uint32_t r = 0; r < ranks; ++r) {
          uint32_t state = 0;
          uint32_t single_state = 0;
          std::array<Step, 5> steps;
          while (const uint32_t n = next_steps(call, r, state, steps.data(), steps.size())) {
            for (uint32_t i = 0; i < n; ++i) {
              Step single;
              ASSERT_TRUE(next_step(call, r, single_state, single)) << label(call);
              EXPECT_EQ(std::tie(steps[i].kind, steps[i].lane, steps[i].peer, steps[i].bytes),
                        std::tie(single.kind, single.lane, single.peer, single.bytes))
                  << label(call) << ", rank " << r;
              // A rank may have to wait there, and forgets the steps after it.
              EXPECT_TRUE(steps[i].kind != Step::Kind::kWait || i + 1 == n) << label(call);
            }
          }
          Step none;
          EXPECT_FALSE(next_step(call, r, single_state, none)) << label(call);
        }
      }
    }
  }
}

uint64_t bytes_sent(const CollectiveCall& call, uint32_t rank) {
  uint64_t total = 0;
  uint32_t state = 0;
  for (Step step; next_step(call, rank, state, step);) {
    if (step.kind == Step::Kind::kSend) total += step.bytes;
  }
  return total;
}

// With P = 16 and n bytes (or blocks of n):
TEST(Collective, SchedulesSendTheBytesOfTheirAlgorithm) {
  constexpr uint64_t n = 16000;
  const auto sent = [](Collective c, Algorithm a, uint32_t rank = 0) { return bytes_sent({c, a, 16, 0, n}, rank); };
  EXPECT_EQ(sent(Collective::kAllreduce, Algorithm::kRecursiveDoubling), 4 * n);       // log2 P times n
  EXPECT_EQ(sent(Collective::kAllreduce, Algorithm::kRabenseifner), 2 * n / 16 * 15);  // 2 n (P - 1) / P
  EXPECT_EQ(sent(Collective::kAllreduce, Algorithm::kRing), 2 * n / 16 * 15);
  EXPECT_EQ(sent(Collective::kAllgather, Algorithm::kRecursiveDoubling), 15 * n);
  EXPECT_EQ(sent(Collective::kAllgather, Algorithm::kBruck), 15 * n);
  EXPECT_EQ(sent(Collective::kAllgather, Algorithm::kRing), 15 * n);
  EXPECT_EQ(sent(Collective::kAllgather, Algorithm::kNeighborExchange), 15 * n);
  EXPECT_EQ(sent(Collective::kAlltoall, Algorithm::kPairwise), 15 * n);
  EXPECT_EQ(sent(Collective::kAlltoall, Algorithm::kLinear), 15 * n);
  EXPECT_EQ(sent(Collective::kAlltoall, Algorithm::kBruck), 4 * 8 * n);  // half of the blocks in each of log2 P rounds
  EXPECT_EQ(sent(Collective::kBcast, Algorithm::kBinomial), 4 * n);
  EXPECT_EQ(sent(Collective::kBcast, Algorithm::kLinear), 15 * n);
  EXPECT_EQ(sent(Collective::kBcast, Algorithm::kKnomial4), 6 * n);  // 3 children on each of 2 levels
  EXPECT_EQ(sent(Collective::kBcast, Algorithm::kChain, 15), 0U);
  EXPECT_EQ(sent(Collective::kReduce, Algorithm::kBinomial), 0U);
  EXPECT_EQ(sent(Collective::kReduce, Algorithm::kBinomial, 1), n);
  EXPECT_EQ(sent(Collective::kScatter, Algorithm::kBinomial), 15 * n);
}

// Peer and bytes of all that each rank sends, in its order.
using Sent = std::vector<std::pair<uint32_t, uint64_t>>;
std::vector<Sent> sent_by_all(const CollectiveCall& call) {
  std::vector<Sent> all(call.ranks);
  for (uint32_t rank = 0; rank < call.ranks; ++rank) {
    uint32_t state = 0;
    for (Step step; next_step(call, rank, state, step);) {
      if (step.kind == Step::Kind::kSend) all[rank].emplace_back(step.peer, step.bytes);
    }
  }
  return all;
}

// In each of two trees every rank but the root sends half of the buffer up and gets half of it down: 4 (P - 1) halves
// in all. A rank has children in one tree only (rank 0 of an odd number in both, one in the first): it sends one half
// up in each tree and two down at most.
TEST(Collective, DoubleTreeSharesTheBytesOut) {
  for (const uint32_t ranks : {2U, 5U, 8U, 16U, 21U}) {
    uint64_t sum = 0;
    for (const Sent& sent : sent_by_all({Collective::kAllreduce, Algorithm::kDoubleTree, ranks, 0, 2000})) {
      uint64_t own = 0;
      for (const auto& [peer, bytes] : sent) own += bytes;
      EXPECT_LE(own, 4 * 1000U);
      sum += own;
    }
    EXPECT_EQ(sum, 4 * (ranks - 1) * 1000U);
  }
}

// A barrier has no data. Rank 4's subtree is 5, rank 2's is 3: they report upwards, and rank 0 releases them, the
// largest subtree first.
TEST(Collective, BarrierAlongATreeSendsNoBytes) {
  EXPECT_EQ(
      sent_by_all({Collective::kBarrier, Algorithm::kTree, 6, 0, 0}),
      (std::vector<Sent>{{{4, 0}, {2, 0}, {1, 0}}, {{0, 0}}, {{0, 0}, {3, 0}}, {{2, 0}}, {{0, 0}, {5, 0}}, {{4, 0}}}));
}

// 4000 bytes on 6 ranks, of which 4 take part, as MPICH's MPIR_Reduce_intra_reduce_scatter_gather: ranks 1 and 3 give
// all to ranks 0 and 2, and ranks 0, 2, 4, 5 are numbers 0, 1, 2, 3. Numbers one apart exchange halves, those two apart
// quarters. Then numbers 2 and 3 send their quarters to numbers 0 and 1, and number 1 its half to number 0.
TEST(Collective, RabenseifnersReduceFoldsRanksBeyondAPowerOfTwo) {
  EXPECT_EQ(sent_by_all({Collective::kReduce, Algorithm::kRabenseifner, 6, 0, 4000}),
            (std::vector<Sent>{{{2, 2000}, {4, 1000}},
                               {{0, 4000}},
                               {{0, 2000}, {5, 1000}, {0, 2000}},
                               {{2, 4000}},
                               {{5, 2000}, {0, 1000}, {0, 1000}},
                               {{4, 2000}, {2, 1000}, {2, 1000}}}));
}

// Root 1 has given its data to rank 0. It gets rank 0's half back, and rank 2's half as number 0 would.
TEST(Collective, RabenseifnersReduceToAFoldedRoot) {
  EXPECT_EQ(sent_by_all({Collective::kReduce, Algorithm::kRabenseifner, 3, 1, 1000}),
            (std::vector<Sent>{{{2, 500}, {1, 500}}, {{0, 1000}}, {{0, 500}, {1, 500}}}));
}

// Closed forms on a network without per-message gaps and CPU per byte: every rank is ready at 0, and with P = 2^k each
// round of an exchange takes T(s) = o_s + L + G (s - 1) + o_r, because all ranks are in step.
TEST(Collective, SimulatedScheduleHasTheClosedFormsCost) {
  Segment s;
  s.send_overhead_s = 2;
  s.receive_overhead_s = 3;
  s.gap_s_per_byte = 0.25;
  Network network = uniform_network(s, 100);
  network.reduction_s_per_byte = 0.5;
  network.copy_s_per_byte = 0.125;
  const auto T = [](double bytes) { return 105 + 0.25 * (std::max(bytes, 1.0) - 1); };
  constexpr int P = 16;
  constexpr uint64_t n = 1600;
  const auto simulated = [&](Collective c, Algorithm a) {
    ListProgram p(P);
    for (int r = 0; r < P; ++r) p.of(r) = {collective(c, n)};
    return simulate(p, forced(c, a, network)).value().total_s;
  };
  const double reduce = 0.5 * n, own_block = 0.125 * n;
  EXPECT_NEAR(simulated(Collective::kBarrier, Algorithm::kBruck), 4 * T(0), 1e-9);
  EXPECT_NEAR(simulated(Collective::kBarrier, Algorithm::kRecursiveDoubling), 4 * T(0), 1e-9);
  EXPECT_NEAR(simulated(Collective::kBarrier, Algorithm::kTree), 8 * T(0), 1e-9);  // 4 levels up and 4 down
  EXPECT_NEAR(simulated(Collective::kAllreduce, Algorithm::kRecursiveDoubling), 4 * (T(n) + reduce), 1e-9);
  // Blocks of n / 2, n / 4, n / 8, n / 16, combined on the way down, and the same back.
  const double halves = T(800) + T(400) + T(200) + T(100);
  EXPECT_NEAR(simulated(Collective::kAllreduce, Algorithm::kRabenseifner), 2 * halves + 0.5 * 1500, 1e-9);
  EXPECT_NEAR(simulated(Collective::kReduce, Algorithm::kRabenseifner), 2 * halves + 0.5 * 1500, 1e-9);
  EXPECT_NEAR(simulated(Collective::kAllreduce, Algorithm::kRing), 30 * T(100) + 15 * 0.5 * 100, 1e-9);
  EXPECT_NEAR(simulated(Collective::kAllgather, Algorithm::kRing), 15 * T(n), 1e-9);
  EXPECT_NEAR(simulated(Collective::kAllgather, Algorithm::kRecursiveDoubling), T(n) + T(2 * n) + T(4 * n) + T(8 * n),
              1e-9);
  EXPECT_NEAR(simulated(Collective::kAlltoall, Algorithm::kPairwise), own_block + 15 * T(n), 1e-9);
  EXPECT_NEAR(simulated(Collective::kAlltoall, Algorithm::kBruck), 4 * T(8 * n), 1e-9);
  EXPECT_NEAR(simulated(Collective::kBcast, Algorithm::kChain), 15 * T(n), 1e-9);
  // The first child has the largest subtree: one message a level.
  EXPECT_NEAR(simulated(Collective::kBcast, Algorithm::kBinomial), 4 * T(n), 1e-9);
  EXPECT_NEAR(simulated(Collective::kReduce, Algorithm::kChain), 15 * (T(n) + reduce), 1e-9);
  // Flat: 15 messages leave G (n - 1) apart, which is more than o_s.
  EXPECT_NEAR(simulated(Collective::kBcast, Algorithm::kLinear), T(n) + 14 * 0.25 * (n - 1), 1e-9);
  // All to all at once: every adapter sends and receives 15 messages back to back, and the CPU's o_r follows the last.
  EXPECT_NEAR(simulated(Collective::kAlltoall, Algorithm::kLinear), own_block + T(n) + 14 * 0.25 * (n - 1), 1e-9);
}

TEST(AlgorithmChoice, OpenMpiTable) {
  const auto made = AlgorithmChoice::of(example_network());
  ASSERT_TRUE(made.ok());
  const AlgorithmChoice& c = made.value();
  // Section 5 of the method's notes: 8 to 15 ranks: recursive doubling below 8 KiB, then Rabenseifner.
  EXPECT_EQ(c.choose(Collective::kAllreduce, 8, 8191), Algorithm::kRecursiveDoubling);
  EXPECT_EQ(c.choose(Collective::kAllreduce, 15, 8192), Algorithm::kRabenseifner);
  // 16 ranks below 64 B: the segmented ring, which falls back with fewer elements than ranks.
  EXPECT_EQ(c.choose(Collective::kAllreduce, 16, 8), Algorithm::kRecursiveDoubling);
  EXPECT_EQ(c.choose(Collective::kBcast, 16, 4095), Algorithm::kKnomial4);
  EXPECT_EQ(c.choose(Collective::kBcast, 16, 4096), Algorithm::kBinomial);
  EXPECT_EQ(c.choose(Collective::kBcast, 31, 1048576), Algorithm::kScatterAllgather);
  EXPECT_EQ(c.choose(Collective::kBarrier, 5, 0), Algorithm::kLinear);
  EXPECT_EQ(c.choose(Collective::kBarrier, 64, 0), Algorithm::kBruck);
  EXPECT_EQ(c.choose(Collective::kAllgather, 12, 8), Algorithm::kBruck);
  EXPECT_EQ(c.choose(Collective::kAlltoall, 1024, 1 << 20), Algorithm::kLinearSync);
  EXPECT_EQ(c.explain(Collective::kBcast, 16, 8192),
            "Bcast, 16 ranks, 8192 B: binomial (Open MPI 4.1, from 16 ranks and 4096 B)");
}

TEST(AlgorithmChoice, MpichTable) {
  Network network = example_network();
  network.library = "mpich";
  const auto made = AlgorithmChoice::of(network);
  ASSERT_TRUE(made.ok());
  const AlgorithmChoice& c = made.value();
  EXPECT_EQ(c.choose(Collective::kBcast, 7, 1 << 20), Algorithm::kBinomial);
  EXPECT_EQ(c.choose(Collective::kBcast, 8, 12289), Algorithm::kScatterAllgather);
  EXPECT_EQ(c.choose(Collective::kBcast, 9, 12289), Algorithm::kScatterRing);
  EXPECT_EQ(c.choose(Collective::kAllreduce, 4, 8), Algorithm::kRecursiveDoubling);
  EXPECT_EQ(c.choose(Collective::kAllreduce, 4, 32), Algorithm::kRabenseifner);
  EXPECT_EQ(c.choose(Collective::kAllgather, 4, 131071), Algorithm::kRecursiveDoubling);
  EXPECT_EQ(c.choose(Collective::kAllgather, 4, 131072), Algorithm::kRing);
  EXPECT_EQ(c.choose(Collective::kAllgather, 5, 16000), Algorithm::kBruck);
  EXPECT_EQ(c.choose(Collective::kBarrier, 5, 0), Algorithm::kBruck);
}

TEST(AlgorithmChoice, EveryTableKnowsEveryCollective) {
  for (const char* library : {"openmpi", "mpich"}) {
    Network network = example_network();
    network.library = library;
    const AlgorithmChoice c = AlgorithmChoice::of(network).value();
    for (size_t k = 0; k < kCollectives; ++k) {
      const auto kind = static_cast<Collective>(k);
      for (uint32_t ranks = 1; ranks < 6000; ranks = ranks * 3 / 2 + 1) {
        for (uint64_t bytes = 0; bytes < (1ULL << 25); bytes = bytes * 2 + 1) {
          ASSERT_TRUE(has_algorithm(kind, c.choose(kind, ranks, bytes))) << c.explain(kind, ranks, bytes);
        }
      }
    }
  }
}

TEST(AlgorithmChoice, OverridesAndTheirMistakes) {
  Network network = example_network();
  network.algorithms = {{"MPI_Allreduce", "ring"}};
  EXPECT_EQ(AlgorithmChoice::of(network).value().choose(Collective::kAllreduce, 8, 8), Algorithm::kRing);
  network.algorithms = {{"Allreduce", "knomial4"}};
  EXPECT_EQ(AlgorithmChoice::of(network).error().message, "algorithms.Allreduce: there is no algorithm 'knomial4'");
  network.algorithms = {{"Allsum", "ring"}};
  EXPECT_EQ(AlgorithmChoice::of(network).error().message, "algorithms: there is no collective 'Allsum'");
  network.algorithms = {};
  network.library = "intelmpi";
  EXPECT_EQ(AlgorithmChoice::of(network).error().message, "library: there is no table of algorithms for 'intelmpi'");
}

}  // namespace
}  // namespace scalediag::loggp
