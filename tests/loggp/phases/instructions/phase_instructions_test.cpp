// Instructions of phases at other numbers of ranks: the tables of Panadero et al. 2018, and counts whose truth is
// known.
#include "loggp/phases/instructions/phase_instructions.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace scalediag::loggp {
namespace {

// Table 2: instructions of process 0 in one execution of each phase of NPB BT (class E, 1000 iterations). All processes
// execute as many. Misprints: on 324 processes Table 2 has the weight 17016 for phases 0 and 1 where Table 3 has 17017,
// and on 484 it has 21019 for phase 2 where Table 3 has 21021; its totals are those of its own weights.
struct MeasuredPhase {
  double of_process;
  double weight;
  double total;  // PTInstPhase
};
using Measured = std::array<MeasuredPhase, 7>;

const Measured kOn256 = {{{506722396, 15015, 1947759814640640},
                          {31000057, 15015, 119159259098880},
                          {503203238, 15013, 1933975094296060},
                          {29545085, 15015, 113566579526400},
                          {506946549, 15015, 1948621422908160},
                          {30349477, 15015, 116658533671680},
                          {2990984267, 999, 764926280379648}}};
const Measured kOn324 = {{{354379986, 17016, 1953762068735420},
                          {21332142, 17016, 117608023960128},
                          {357616263, 17017, 1971720126980600},
                          {21786096, 17017, 120117814584768},
                          {357583752, 17017, 1971540877322020},
                          {20764767, 17017, 114486708972636},
                          {2350571435, 999, 760823559795060}}};
const Measured kOn484 = {{{195756794, 21021, 1991661726270220},
                          {12020277, 21021, 122296269523428},
                          {194144876, 21019, 1975073875943700},
                          {11367995, 21021, 115659845481180},
                          {195782158, 21021, 1991919783765910},
                          {11587976, 21021, 117897968252064},
                          {1548555330, 999, 748751278940280}}};

// Table 4, and the weights of its right half of Table 3.
struct Predicted {
  int processes;
  double weight;  // of all phases but the last, which has 999
  std::array<double, 7> of_process;
};
const std::array<Predicted, 3> kPredicted = {
    {{1024, 31031, {62678681, 3848730, 62156652, 3639878, 62686802, 3710313, 731934355}},
     {2025, 44044, {22330775, 1371202, 22144790, 1296794, 22333668, 1321888, 370123842}},
     {4096, 63063, {7710473, 473455, 7646255, 447763, 7711472, 456427, 182983589}}}};

CountedPhase counted(int processes, const MeasuredPhase& phase) {
  return {phase.weight, {{0, phase.of_process * phase.weight, processes}}};
}

std::map<int, CountedPhase> table_2(size_t phase) {
  return {{256, counted(256, kOn256[phase])}, {324, counted(324, kOn324[phase])}, {484, counted(484, kOn484[phase])}};
}

TEST(InstructionsOfBt, TotalsAreThoseOfTable2) {
  const std::array<const Measured*, 3> scales = {&kOn256, &kOn324, &kOn484};
  const std::array<int, 3> processes = {256, 324, 484};
  for (size_t phase = 0; phase < 7; ++phase) {
    const PhaseInstructions made = predict_instructions(0, table_2(phase), 1024, 1, core::GridKind::kLine);
    ASSERT_EQ(made.groups.size(), 1U);
    for (size_t s = 0; s < 3; ++s) {
      const double total = (*scales[s])[phase].total;
      EXPECT_NEAR(made.groups[0].totals.at(processes[s]), total, 1e-12 * total) << phase;
    }
  }
}

// With the total of the largest number of processes, to a hundredth of a percent.
TEST(InstructionsOfBt, AreThoseOfTable4) {
  for (const Predicted& at : kPredicted) {
    for (size_t phase = 0; phase < 7; ++phase) {
      const double weight = phase < 6 ? at.weight : 999;
      const PhaseInstructions made =
          predict_instructions(0, table_2(phase), at.processes, weight, core::GridKind::kLine);
      ASSERT_EQ(made.groups.size(), 1U);
      EXPECT_NEAR(made.groups[0].by_constant_total, at.of_process[phase], 1e-4 * at.of_process[phase])
          << phase << " on " << at.processes;
    }
  }
}

// Phase 3 executes 121.2 % of the instructions per process on 324 that a constant total gives: 3.8 % more in all.
TEST(InstructionsOfBt, TheTotalDrifts) {
  const PhaseInstructions made = predict_instructions(0, table_2(3), 1024, 31031, core::GridKind::kLine);
  EXPECT_NEAR(made.groups[0].drift(), 120117814584768. / 115659845481180 - 1, 1e-9);
}

// A phase whose ranks' instructions are given by a function of P and the rank; it is executed P times.
template <class Function>
std::map<int, CountedPhase> of_function(const std::vector<int>& scales, Function of_rank) {
  std::map<int, CountedPhase> made;
  for (const int ranks : scales) {
    made[ranks].weight = ranks;
    for (int rank = 0; rank < ranks; ++rank) made[ranks].ranks.push_back({rank, of_rank(ranks, rank), 1});
  }
  return made;
}

// As figure 10: one half of the ranks has 1.2 times the work of the other.
TEST(Instructions, GroupsKeepTheirShareOfTheRanks) {
  const auto of_rank = [](int ranks, int rank) { return (rank < ranks / 2 ? 1.2e9 : 1e9) / ranks; };
  const PhaseInstructions made =
      predict_instructions(1, of_function({4, 8, 16}, of_rank), 64, 64, core::GridKind::kLine);
  ASSERT_EQ(made.groups.size(), 2U);
  EXPECT_FALSE(made.is_one_group);
  EXPECT_DOUBLE_EQ(made.groups[0].ranks_at_target, 32);
  EXPECT_NEAR(made.groups[0].by_constant_total, 1.2e9 / 64 / 64, 1e-6);
  EXPECT_NEAR(made.groups[1].by_constant_total, 1e9 / 64 / 64, 1e-6);
  EXPECT_NEAR(made.groups[1].at_target, 1e9 / 64 / 64, 1e-6);
  EXPECT_NEAR(made.groups[0].drift(), 0, 1e-12);
}

// Ranks that differ by less than 5 % are one group.
TEST(Instructions, SimilarRanksAreOneGroup) {
  const auto of_rank = [](int ranks, int rank) { return (rank == 0 ? 0.96e9 : 1e9) / ranks; };
  EXPECT_EQ(predict_instructions(1, of_function({4, 8}, of_rank), 16, 16, core::GridKind::kLine).groups.size(), 1U);
}

TEST(Instructions, GroupsThatComeAndGoAreTakenAsOne) {
  const auto of_rank = [](int ranks, int rank) { return (rank == 0 && ranks > 4 ? 0.5e9 : 1e9) / ranks; };
  const PhaseInstructions made = predict_instructions(1, of_function({4, 8}, of_rank), 16, 16, core::GridKind::kLine);
  EXPECT_EQ(made.groups.size(), 1U);
  EXPECT_TRUE(made.is_one_group);
}

// One of two ranks, but one of four: of the ranks the heavier ones are a half, then a quarter.
TEST(Instructions, GroupsWhoseShareChangesAreTakenAsOne) {
  const auto of_rank = [](int, int rank) { return rank == 0 ? 2e6 : 1e6; };
  const PhaseInstructions made = predict_instructions(1, of_function({2, 4}, of_rank), 8, 8, core::GridKind::kLine);
  ASSERT_EQ(made.groups.size(), 1U);
  EXPECT_TRUE(made.is_one_group);
}

// The total on 4 is three times that on 8, so that the drift is more than the value itself.
TEST(Instructions, ARangeDoesNotGoBelowNothing) {
  const auto of_rank = [](int ranks, int) { return (ranks == 4 ? 24e6 : 8e6) / ranks; };
  const PhaseInstructions made = predict_instructions(1, of_function({4, 8}, of_rank), 16, 1, core::GridKind::kLine);
  EXPECT_EQ(made.low, 0);
  EXPECT_DOUBLE_EQ(made.mean_at_target, 5e5);
  EXPECT_DOUBLE_EQ(made.high, 1.5e6);
}

// Each rank repeats 1000000 instructions: the total grows, and Eq. 4 is too low by 39 %.
//   on 64 ranks: 1e8 / 64 + 1e6 = 2562500 in all executions; Eq. 4: (1e8 + 16e6) / 64 = 1812500
TEST(Instructions, WorkThatAllRanksRepeatIsSeen) {
  const auto of_rank = [](int ranks, int) { return 1e8 / ranks + 1e6; };
  const PhaseInstructions made =
      predict_instructions(1, of_function({2, 4, 8, 16}, of_rank), 64, 64, core::GridKind::kLine);
  ASSERT_EQ(made.groups.size(), 1U);
  EXPECT_NEAR(made.groups[0].by_constant_total * 64, 1812500, 1);
  EXPECT_NEAR(made.mean_at_target, 2562500, 25);
  EXPECT_NEAR(made.groups[0].at_target * 64, 2562500, 25);
  EXPECT_LE(made.low, 2562500);
  EXPECT_GE(made.high, 2562500);
  EXPECT_NEAR(made.groups[0].drift(), 102e6 / 116e6 - 1, 1e-9);
}

// A block of 2:1 planes: work along its first side is repeated by the ranks along the second.
TEST(Instructions, SidesOfTheGridAreSeen) {
  const core::GridKind grid = core::GridKind::kPlaneFalling;
  const auto of_rank = [&](int ranks, int) { return 1e8 / ranks + 3e6 / process_grid(grid, ranks).sides[0]; };
  const PhaseInstructions made = predict_instructions(1, of_function({2, 4, 8, 16}, of_rank), 32, 32, grid);
  EXPECT_NEAR(made.mean_at_target, of_rank(32, 0), 1e-3 * of_rank(32, 0));
}

// Two scales cannot tell terms apart: the total is constant, and its drift is the range. 80e6 on 4, 88e6 on 8.
TEST(Instructions, TheDriftOfTwoScalesIsTheRange) {
  const auto of_rank = [](int ranks, int) { return (72e6 + 2e6 * ranks) / ranks; };
  const PhaseInstructions made = predict_instructions(1, of_function({4, 8}, of_rank), 16, 1, core::GridKind::kLine);
  EXPECT_DOUBLE_EQ(made.mean_at_target, 5.5e6);
  EXPECT_NEAR(made.high, 5.5e6 * (1 + 8. / 88), 1);
  EXPECT_NEAR(made.low, 5.5e6 * (1 - 8. / 88), 1);
}

// One number of ranks does not say whether work is divided, 8e6 / 16 on 16 ranks, or repeated, 1e6 as on 8.
TEST(Instructions, OneScaleLeavesOpenWhetherWorkIsDivided) {
  const auto of_rank = [](int, int) { return 1e6; };
  const PhaseInstructions made = predict_instructions(1, of_function({8}, of_rank), 16, 1, core::GridKind::kLine);
  EXPECT_DOUBLE_EQ(made.mean_at_target, 5e5);
  EXPECT_DOUBLE_EQ(made.low, 5e5);
  EXPECT_DOUBLE_EQ(made.high, 1e6);
  ASSERT_EQ(made.groups.size(), 1U);
  EXPECT_DOUBLE_EQ(made.groups[0].high, 1e6);
}

// Ranks without a neighbour at one end of the line have 1e4 instructions less: 1e8 / P and 2e4 more between others.
TEST(Instructions, SingleRanksDifferByTheirPlace) {
  const auto of_rank = [](int ranks, int rank) {
    return 1e8 / ranks + 2e4 - (rank == 0 ? 1e4 : 0) - (rank == ranks - 1 ? 1e4 : 0);
  };
  const PhaseInstructions made =
      predict_instructions(1, of_function({4, 8, 16}, of_rank), 64, 1, core::GridKind::kLine);
  const std::vector<double> ranks = made.of_ranks_at_target();
  ASSERT_EQ(ranks.size(), 64U);
  EXPECT_NEAR(ranks[1] - ranks[0], 1e4, 1e-3);
  EXPECT_NEAR(ranks[1] - ranks[32], 0, 1e-3);
  EXPECT_NEAR(ranks[63] - ranks[0], 0, 1e-3);
}

// Only rank 0 of 4 and 8 was counted, for all of them.
TEST(Instructions, OneRankMayStandForAll) {
  std::map<int, CountedPhase> counted;
  for (const int ranks : {4, 8}) counted[ranks] = {1, {{0, 8e6 / ranks, ranks}}};
  const PhaseInstructions made = predict_instructions(1, counted, 16, 1, core::GridKind::kLine);
  EXPECT_DOUBLE_EQ(made.groups[0].totals.at(4), 8e6);
  EXPECT_DOUBLE_EQ(made.groups[0].by_constant_total, 5e5);
}

SlotValues seen(double times, std::optional<double> instructions) {
  SlotValues values;
  values.times = times;
  values.instructions = instructions;
  values.counted_for = 1;
  return values;
}

// Two events of a phase; of rank 1 the instructions before the second were not counted.
TEST(Instructions, OnlyRanksWhoseEventsWereAllCountedCount) {
  Slot first, second;
  first.seen[{2, 0}] = first.seen[{2, 1}] = seen(10, 100);
  second.seen[{2, 0}] = seen(10, 50);
  second.seen[{2, 1}] = seen(10, std::nullopt);
  ProgramPhase phase;
  phase.slots = {&first, &second};
  phase.weight = {{2, 10}};
  const auto counted = counted_phases({phase}, {2});
  ASSERT_EQ(counted.size(), 1U);
  ASSERT_EQ(counted[0].at(2).ranks.size(), 1U);
  EXPECT_EQ(counted[0].at(2).ranks[0].rank, 0);
  EXPECT_DOUBLE_EQ(counted[0].at(2).ranks[0].instructions, 1500);
}

}  // namespace
}  // namespace scalediag::loggp
