#include "core/profile/region_profile.h"

#include <gtest/gtest.h>

#include "tests/core/example_profile.h"

namespace scalediag::core {
namespace {

Region region_of(const std::string& parent, const std::string& name, double seconds) {
  Region r;
  r.parent = parent;
  r.name = name;
  r.source = "scalediag";
  r.count = over_two_ranks(1, 1);
  r.elapsed_s = over_two_ranks(seconds, seconds);
  r.computation_s = over_two_ranks(0.75 * seconds, 0.75 * seconds);
  r.communication_s = over_two_ranks(0.25 * seconds, 0.25 * seconds);
  r.cpu_s = over_two_ranks(0.5 * seconds, 0.5 * seconds);
  return r;
}

Profile profile_with(Clock clock, std::vector<Region> regions) {
  Profile profile = example_profile();
  profile.runs.resize(1);
  profile.runs[0].clock = clock;
  profile.runs[0].regions = std::move(regions);
  return profile;
}

TEST(RegionProfile, WithTheWallClockComputationAndMpiAreTwoSeries) {
  const auto profile = profile_of_region(profile_with(Clock::kWall, {region_of("", "solve", 4)}), "solve");
  ASSERT_TRUE(profile) << profile.error().message;
  const scalediag::core::Run& run = profile.value().runs.at(0);
  EXPECT_DOUBLE_EQ(run.times.total_s.mean, 4);
  ASSERT_EQ(run.kernels.size(), 1u);
  EXPECT_EQ(run.kernels[0].name, "solve, outside of MPI");
  EXPECT_DOUBLE_EQ(run.kernels[0].metrics.at("time_s").mean, 3);
  ASSERT_EQ(run.operations.size(), 1u);
  EXPECT_DOUBLE_EQ(run.operations[0].time_s.mean, 1);
}

TEST(RegionProfile, WithTheCpuClockTheyAreOneAndItIsSaid) {
  Profile whole = profile_with(Clock::kCpu, {region_of("", "solve", 4)});
  whole.runs[0].cut = CutRounds{4, 39, 1};
  const auto profile = profile_of_region(whole, "solve");
  ASSERT_TRUE(profile) << profile.error().message;
  const scalediag::core::Run& run = profile.value().runs.at(0);
  EXPECT_TRUE(run.cut) << "ended runs are told apart in a region, too";
  EXPECT_DOUBLE_EQ(run.times.total_s.mean, 2);
  EXPECT_TRUE(run.operations.empty());
  EXPECT_EQ(run.warnings.size(), 1u);
}

TEST(RegionProfile, ARegionIsKnownByItsPathOrByANameThatIsOnlyOnce) {
  const Profile profile =
      profile_with(Clock::kWall, {region_of("", "a", 4), region_of("a", "x", 1), region_of("b", "x", 2)});
  EXPECT_DOUBLE_EQ(profile_of_region(profile, "b/x").value().runs.at(0).times.total_s.mean, 2);
  EXPECT_DOUBLE_EQ(profile_of_region(profile, "a").value().runs.at(0).times.total_s.mean, 4);
  const auto ambiguous = profile_of_region(profile, "x");
  ASSERT_FALSE(ambiguous);
  EXPECT_EQ(ambiguous.error().message, "several regions are named x");
  EXPECT_EQ(ambiguous.error().hint, "name one by its path: a, a/x, b/x");
}

TEST(RegionProfile, ARunWithoutTheRegionIsNotLeftOutInSilence) {
  Profile profile = profile_with(Clock::kWall, {region_of("", "solve", 4)});
  profile.runs.push_back(profile.runs[0]);
  profile.runs[1].id = "np0004.r0";
  profile.runs[1].regions.clear();
  const auto of_region = profile_of_region(profile, "solve");
  ASSERT_FALSE(of_region);
  EXPECT_EQ(of_region.error().message, "some runs have no region solve: np0004.r0");
}

// With one rank LAMMPS broadcasts 4 times and exchanges nothing in its 300 steps.
TEST(RegionProfile, MainLoopsOfOtherLengthsAreNotOneLoop) {
  Region few = region_of("", kMainLoop, 0.004), many = region_of("", kMainLoop, 4);
  few.count = over_two_ranks(4, 4);
  many.count = over_two_ranks(300, 300);
  Profile profile = profile_with(Clock::kWall, {few});
  profile.runs.push_back(profile.runs[0]);
  profile.runs[1].regions = {many};
  EXPECT_FALSE(profile_of_region(profile, kMainLoop));
  profile.runs[0].regions = {many};
  EXPECT_TRUE(profile_of_region(profile, kMainLoop));
  profile.runs[1].regions[0].count = over_two_ranks(250, 250);  // a solver may need fewer iterations with more ranks
  EXPECT_TRUE(profile_of_region(profile, kMainLoop));
  // pw.x: 8 rounds of MPI_Alltoallv with one rank, 15 of MPI_Barrier with two
  profile.runs[0].regions[0].rounds_of = "MPI_Alltoallv";
  profile.runs[1].regions[0].rounds_of = "MPI_Barrier";
  const auto differs = profile_of_region(profile, kMainLoop);
  ASSERT_FALSE(differs);
  EXPECT_EQ(
      differs.error().message,
      "the main loops of the runs are not one loop: their iterations are 300 rounds of a call of MPI_Alltoallv in "
      "np0002.dt0.1.grid64.r0, 250 rounds of a call of MPI_Barrier in np0002.dt0.1.grid64.r0");
  // As many rounds of another call of the same loop.
  profile.runs[1].regions[0].count = over_two_ranks(300, 300);
  EXPECT_TRUE(profile_of_region(profile, kMainLoop));
}

}  // namespace
}  // namespace scalediag::core
