#include "loggp/phases/instructions/measurable_points.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

// `rounds` of a message around and an Allreduce in a program of n cells: n / P + 100 instructions before the message of
// each round, 3 before the Allreduce.
std::vector<RankTrace> counted_run(int ranks, double cells, uint64_t rounds = 20) {
  return run(
      [&](int, int rank) {
        Script s(ranks, rank);
        s.message(trace::EventKind::kSend, (rank + 1) % ranks, 8);
        s.message(trace::EventKind::kRecv, (rank + ranks - 1) % ranks, 8);
        s.allreduce(8);
        s.repeat(0, rounds);
        std::vector<TraceStep>& steps = s.trace.steps[0].body;
        for (size_t i = 0; i < steps.size(); ++i) {
          const double of_one = i == 0 ? cells / ranks + 100 : i == 2 ? 3 : 0;
          steps[i].instructions.n = rounds;
          steps[i].instructions.total = static_cast<uint64_t>(of_one * static_cast<double>(rounds));
        }
        s.trace.counted_for = 1;
        return s.trace;
      },
      ranks);
}

class MeasurablePoints : public ::testing::Test {
 protected:
  MeasurablePoints() {
    auto made = model_of({counted_run(2, 64e6), counted_run(4, 64e6), counted_run(8, 64e6)}, 64);
    EXPECT_TRUE(made);
    model = std::move(made.value());
    predicted = instructions_of(model);
  }
  MeasurablePoint point(const std::vector<RankTrace>& run) const {
    auto made = point_of(predicted, model, run);
    EXPECT_TRUE(made);
    return std::move(made.value());
  }

  ScalingModel model;
  std::vector<PhaseInstructions> predicted;
};

// 64e6 cells on 64 ranks are 1e6 a rank, as 4e6 on 4; the number of rounds has nothing to do with it.
TEST_F(MeasurablePoints, AnInputWithAsManyInstructionsPerRankFits) {
  const MeasurablePoint made = point(counted_run(4, 4e6, 7));
  ASSERT_EQ(made.phases.size(), 1U);
  EXPECT_NEAR(made.phases[0].wanted, 1e6 + 103, 1e3);
  EXPECT_NEAR(made.phases[0].counted, 1e6 + 103, 1e-3);
  EXPECT_TRUE(made.fits());
}

// 8 % more, and 6 %.
TEST_F(MeasurablePoints, SevenPercentIsTheLimit) {
  EXPECT_FALSE(point(counted_run(4, 4.32e6)).fits());
  EXPECT_TRUE(point(counted_run(4, 4.24e6)).fits());
}

TEST_F(MeasurablePoints, APhaseThatARunDoesNotHaveIsNamed) {
  const RankOf alone = [](int ranks, int rank) {
    Script s(ranks, rank);
    s.allreduce(8);
    return s.trace;
  };
  const MeasurablePoint made = point(run(alone, 2));
  ASSERT_EQ(made.phases.size(), 1U);
  EXPECT_FALSE(made.phases[0].is_there);
  EXPECT_FALSE(made.fits());
  EXPECT_EQ(made.worst(), std::numeric_limits<double>::infinity());
}

// Rounds that compute `ns` before their message, and nothing before their other events.
std::vector<RankTrace> swept(std::vector<RankTrace> run, uint64_t ns) {
  for (RankTrace& trace : run) {
    for (TraceStep& step : trace.steps[0].body) {
      const uint64_t own_ns = &step == &trace.steps[0].body[0] ? ns : 0;
      step.before.total = own_ns * step.before.n;
      step.before.least = step.before.most = own_ns;
    }
  }
  return run;
}

// Rounds of 64e6 cells take 100 us on 2 and 4 ranks, and 64 are asked for.
class PointTimes : public ::testing::Test {
 protected:
  PointTimes() {
    auto made = model_of({swept(counted_run(2, 64e6), 100000), swept(counted_run(4, 64e6), 100000)}, 64);
    EXPECT_TRUE(made);
    model = std::move(made.value());
    predicted = instructions_of(model);
  }
  PointUse use(const std::vector<std::vector<RankTrace>>& runs) {
    auto made = use_points(predicted, model, runs);
    EXPECT_TRUE(made);
    return std::move(made.value());
  }
  double round_ns() { return model.equations.at(model.slots[0].body[0].id).before_ns.at(64, 5); }

  ScalingModel model;
  std::vector<PhaseInstructions> predicted;
};

// 2e6 cells a rank are twice as many as on 64 ranks, and nothing has fewer.
TEST_F(PointTimes, ARunWithMoreInstructionsAloneSaysNothing) {
  EXPECT_EQ(use({counted_run(4, 8e6)}).without, std::vector<int>{1});
  EXPECT_NEAR(round_ns(), 100000, 1);
}

// The rounds of the point, with as many instructions as on 64 ranks, take 7 us.
TEST_F(PointTimes, AFittingPointGivesItsComputation) {
  const PointUse taken = use({swept(counted_run(4, 4.2e6), 9000), swept(counted_run(4, 4e6), 7000)});
  ASSERT_EQ(taken.used.size(), 1U);
  EXPECT_EQ(taken.used[0].run, 1U);
  EXPECT_DOUBLE_EQ(taken.used[0].share, 1);
  EXPECT_FALSE(taken.used[0].is_interpolated());
  EXPECT_TRUE(taken.without.empty());
  EXPECT_NEAR(round_ns(), 7000, 7);
}

// 5 % more instructions and no run with fewer: 8400 / 1.05 = 8000 ns, to be relied on by 5 %.
TEST_F(PointTimes, APointWithAFewMoreInstructionsIsScaledToThem) {
  const PointUse taken = use({swept(counted_run(4, 4.2e6), 8400)});
  ASSERT_EQ(taken.used.size(), 1U);
  EXPECT_NEAR(taken.used[0].error, 0.05, 0.001);
  EXPECT_NEAR(round_ns(), 8000, 8);
}

// Half and twice the instructions: the middle of 2 and 18 us in logarithms is the root of 36, 6 us. By their times per
// instruction it would be 4 or 9 us, which is 1/3 less and 1/2 more.
TEST_F(PointTimes, BetweenTwoPointsTimeIsInterpolatedOverInstructions) {
  const PointUse taken = use({swept(counted_run(4, 8e6), 18000), swept(counted_run(4, 2e6), 2000)});
  ASSERT_EQ(taken.used.size(), 1U);
  EXPECT_TRUE(taken.used[0].is_interpolated());
  ASSERT_TRUE(taken.used[0].other_end && taken.used[0].other_end->run);
  EXPECT_EQ(taken.used[0].run + *taken.used[0].other_end->run, 1U);
  EXPECT_NEAR(taken.used[0].error, 0.5, 0.001);
  EXPECT_NEAR(round_ns(), 6000, 6);
}

// A factor of 8 lies between them.
TEST_F(PointTimes, PointsFarApartAreNotInterpolated) {
  EXPECT_EQ(use({counted_run(4, 16e6), counted_run(4, 2e6)}).without, std::vector<int>{1});
}

// 8 ranks have half of the instructions that 4 have: the middle between 4 ranks and a point like 16 ranks with a
// quarter of them. 100 and 25 us lead to 50 us, as by either time per instruction.
TEST_F(PointTimes, TheProgramItselfIsAnEndOfTheCurve) {
  auto eight = model_of({swept(counted_run(2, 64e6), 100000), swept(counted_run(4, 64e6), 100000)}, 8);
  ASSERT_TRUE(eight);
  model = std::move(eight.value());
  predicted = instructions_of(model);
  const PointUse taken = use({swept(counted_run(2, 8e6), 25000)});
  ASSERT_EQ(taken.used.size(), 1U);
  ASSERT_TRUE(taken.used[0].other_end);
  EXPECT_FALSE(taken.used[0].other_end->run);
  EXPECT_EQ(taken.used[0].other_end->ranks, 4);
  EXPECT_NEAR(taken.used[0].error, 0, 0.001);
  EXPECT_NEAR(model.equations.at(model.slots[0].body[0].id).before_ns.at(8, 5), 50000, 50);
}

TEST_F(MeasurablePoints, TheFewestRanksComeFirst) {
  EXPECT_EQ(best_point({point(counted_run(8, 8e6)), point(counted_run(4, 4.1e6)), point(counted_run(4, 4e6)),
                        point(counted_run(2, 4e6))}),
            2U);
  EXPECT_EQ(best_point({point(counted_run(2, 4e6))}), 1U);
}

}  // namespace
}  // namespace scalediag::loggp
