// Times of ranks with a core each, in place of those of ranks that shared cores.
#include "predict/sources/lone_ranks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/profile/profile_data.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::predict {
namespace {

// In logarithms 8 lies in the middle of 4 and 16: sqrt(0.9 x 0.4).
TEST(LoneRanks, FactorIsOfRanksThatSharedCoresAndInterpolatedBetweenScales) {
  const LoneRanks ranks = {2, {{4, 0.9, 4}, {16, 0.4, 4}}};
  EXPECT_EQ(ranks.factor_at(2), 1);
  EXPECT_DOUBLE_EQ(ranks.factor_at(3), 0.9);
  EXPECT_NEAR(ranks.factor_at(8), 0.6, 1e-12);
  EXPECT_DOUBLE_EQ(ranks.factor_at(1024), 0.4);
  EXPECT_EQ(LoneRanks().factor_at(16), 1);
  EXPECT_EQ(
      text_of(LoneRanks{2, {{8, 0.4, 4}}}),
      "ranks that shared cores computed 2.50 times as long at np=8 as the 4 of them that were replayed with a core "
      "each, and computation is theirs");
}

// The ranks cannot have been slowed by having a core each.
TEST(LoneRanks, RanksAreNotTakenToComputeLongerWithACoreEach) {
  const LoneRanks ranks = {2, {{16, 1.29, 4}}};
  EXPECT_EQ(ranks.factor_at(4), 1);
  EXPECT_EQ(ranks.factor_at(16), 1);
  EXPECT_EQ(ranks.factor_at(64), 1);
  EXPECT_EQ(text_of(ranks).rfind("ranks of np=16 took 1.29 times as long with a core each as when they shared", 0), 0U);
}

double at(const fit::Series& series, double np) { return fit::mean_at(&series, {np}); }

// 40 s of work are divided among the ranks, of which the last one does half as much again: 20 s and 30 s on 2, 5 s and
// 7.5 s on 8, where a rank alone takes 0.4 times as long. MPI and the start of the program take what they took.
TEST(LoneRanks, FunctionsAndWaitingShrinkAndTheWholeByAsMuch) {
  fit::SyntheticApplication app;
  app.clock = core::Clock::kCpu;
  app.kernels = {{"work", [](int np, int rank) { return (rank == np - 1 ? 60.0 : 40.0) / np; }}};
  const fit::ApplicationData before = fit::application_data(app.profile({2, 4, 8})).value();
  fit::ApplicationData after = before;
  take_lone_ranks({2, {{8, 0.4, 4}}}, after);
  const auto total = [](const fit::ApplicationData& data, const char* name, double np) {
    return at(data.totals.at(name), np);
  };
  for (const char* name : {"computation_s", "waiting_s", "computation_max_s"}) {
    EXPECT_NEAR(total(after, name, 2), total(before, name, 2), 1e-9) << name;
    EXPECT_NEAR(total(after, name, 8), 0.4 * total(before, name, 8), 1e-9) << name;
  }
  const double less = 0.6 * (total(before, "computation_s", 8) + total(before, "waiting_s", 8));
  EXPECT_GT(less, 3);
  for (const char* name : {"run_s", "total_s"}) {
    EXPECT_NEAR(total(before, name, 8) - total(after, name, 8), less, 1e-9) << name;
  }
  EXPECT_NEAR(total(after, "others_s", 8), total(before, "others_s", 8), 1e-9);
  ASSERT_EQ(after.kernels.size(), before.kernels.size());
  for (size_t i = 0; i < after.kernels.size(); ++i) {
    const double factor = after.kernels[i].kind == fit::KernelKind::kMpi ? 1 : 0.4;
    EXPECT_NEAR(at(after.kernels[i].main_series(), 8), factor * at(before.kernels[i].main_series(), 8), 1e-9);
  }
  EXPECT_EQ(after.notes.size(), before.notes.size() + 1);
}

}  // namespace
}  // namespace scalediag::predict
