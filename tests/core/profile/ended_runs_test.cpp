#include "core/profile/repeats/ended_runs.h"

#include <gtest/gtest.h>

#include "core/profile/run_summary.h"
#include "tests/core/example_profile.h"

namespace scalediag::core {
namespace {

core::Run run_of(int np, int repeat, double computation_s, bool is_ended) {
  core::Run run;
  run.np = np;
  run.repeat = repeat;
  run.complete = true;
  run.times.computation_s = over_two_ranks(computation_s, computation_s);
  run.times.others_s = over_two_ranks(1, 1);
  run.times.total_s = over_two_ranks(computation_s + 3, computation_s + 3);
  if (is_ended) run.cut = CutRounds{4, 39, 1};
  return run;
}

TEST(EndedRuns, HaveNoWholeRunAmongTheirRepeats) {
  Profile profile;
  profile.runs = {run_of(2, 0, 10, false), run_of(2, 1, 9, true), run_of(2, 2, 9.5, true), run_of(4, 0, 5, false)};
  const auto groups = group_by_configuration(profile, true);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0], (std::vector<const core::Run*>{&profile.runs[1], &profile.runs[2]}));
  EXPECT_EQ(groups[1], std::vector<const core::Run*>{&profile.runs[3]}) << "nothing was ended there";
  EXPECT_EQ(group_by_configuration(profile, false)[0].size(), 3u) << "all that there is";
  profile.runs[1].complete = profile.runs[2].complete = false;
  EXPECT_EQ(group_by_configuration(profile, true)[0], std::vector<const core::Run*>{&profile.runs[0]});
}

// Ended runs compute for 9 and 9.5 s, the whole one for 10 s: |9.25 / 10 - 1| = 0.075. Without start and end all take
// 2 s more: |11.25 / 12 - 1| = 0.0625.
TEST(EndedRuns, AreAsFarOffAsTheWholeRunSays) {
  std::vector<core::Run> runs = {run_of(2, 0, 10, false), run_of(2, 1, 9, true), run_of(2, 2, 9.5, true),
                                 run_of(4, 0, 5, true), run_of(8, 0, 2, false)};
  const auto of_two = ended_and_whole(runs, runs[0]);
  ASSERT_TRUE(of_two);
  EXPECT_DOUBLE_EQ(of_two->ended_s, 9.25);
  EXPECT_DOUBLE_EQ(of_two->whole_s, 10);
  EXPECT_NEAR(of_two->apart(), 0.075, 1e-12);
  EXPECT_FALSE(ended_and_whole(runs, runs[3]));
  EXPECT_FALSE(ended_and_whole(runs, runs[4]));
  for (core::Run& run : runs) run.clock = Clock::kWall;
  EXPECT_NEAR(ended_and_whole(runs, runs[1])->apart(), 0.0625, 1e-12);
  runs[2].complete = false;
  EXPECT_DOUBLE_EQ(ended_and_whole(runs, runs[1])->ended_s, 11);
}

}  // namespace
}  // namespace scalediag::core
