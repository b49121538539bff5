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

// The sweeps of the model take 100 us on all scales; those of the point, with as many instructions as on 64 ranks, 7
// us.
TEST_F(MeasurablePoints, AFittingPointGivesItsComputation) {
  const auto swept = [](std::vector<RankTrace> run, uint64_t ns) {
    for (RankTrace& trace : run) {
      TraceTimes& before = trace.steps[0].body[0].before;
      before.total = ns * before.n;
      before.least = before.most = ns;
    }
    return run;
  };
  auto slow = model_of({swept(counted_run(2, 64e6), 100000), swept(counted_run(4, 64e6), 100000)}, 64);
  ASSERT_TRUE(slow);
  const auto of_model = instructions_of(slow.value());
  const int first = slow.value().slots[0].body[0].id;
  const auto none = use_points(of_model, slow.value(), {counted_run(4, 8e6)});
  ASSERT_TRUE(none);
  EXPECT_EQ(none.value().without, std::vector<int>{1});
  EXPECT_NEAR(slow.value().equations.at(first).before_ns.at(64, 5), 100000, 1);
  const auto use =
      use_points(of_model, slow.value(), {swept(counted_run(4, 4.2e6), 9000), swept(counted_run(4, 4e6), 7000)});
  ASSERT_TRUE(use);
  ASSERT_EQ(use.value().used.size(), 1U);
  EXPECT_EQ(use.value().used[0].run, 1U);
  EXPECT_DOUBLE_EQ(use.value().used[0].share, 1);
  EXPECT_TRUE(use.value().without.empty());
  EXPECT_NEAR(slow.value().equations.at(first).before_ns.at(64, 5), 7000, 1);
}

TEST_F(MeasurablePoints, TheFewestRanksComeFirst) {
  EXPECT_EQ(best_point({point(counted_run(8, 8e6)), point(counted_run(4, 4.1e6)), point(counted_run(4, 4e6)),
                        point(counted_run(2, 4e6))}),
            2U);
  EXPECT_EQ(best_point({point(counted_run(2, 4e6))}), 1U);
}

}  // namespace
}  // namespace scalediag::loggp
