#include "fit/profile/path_kernels.h"

#include <gtest/gtest.h>

#include "tests/fit/application/application_models.h"

namespace scalediag::fit {
namespace {

// A profile of main (with all time), main->divided (16 / np s), main->replicated (2 s) and main->tiny (0.05 s), on
// `scales` ranks.
core::Profile profile_of_paths(const std::vector<int>& scales) {
  core::Profile profile = stencil().profile(scales);
  for (core::Run& run : profile.runs) {
    const auto same = [&](double seconds) {
      return core::OverRanks{seconds * run.np, seconds, seconds, seconds, 0, 0};
    };
    const auto path = [&](int parent, const char* function, double inclusive_s, double exclusive_s) {
      return core::CallPath{
          parent, function, "app", "", 0, core::CallPathKind::kFunction, 500, same(inclusive_s), same(exclusive_s)};
    };
    const double divided_s = 16.0 / run.np;
    run.call_paths = {path(-1, "main(int, char**)", divided_s + 2.05, 0), path(0, "divided(int)", divided_s, divided_s),
                      path(0, "replicated", 2, 2), path(0, "tiny", 0.05, 0.05)};
    run.call_paths_from = 0.0005;
  }
  return profile;
}

TEST(PathKernels, AreTheInclusiveTimesOfPathsAboveOnePercent) {
  const auto data = call_path_data(profile_of_paths({2, 4, 8}));
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_FALSE(data.value().has_totals());
  ASSERT_EQ(data.value().kernels.size(), 4u);  // tiny: 0.05 of 4.05 s with 8 ranks is 1.2 %
  EXPECT_EQ(data.value().kernels[0].name, "main");
  EXPECT_EQ(data.value().kernels[1].name, "main->divided");
  EXPECT_EQ(data.value().kernels[2].name, "main->replicated");
  const Series& divided = data.value().kernels[1].main_series();
  ASSERT_EQ(divided.observations.size(), 3u);
  EXPECT_DOUBLE_EQ(divided.observations[0].values.front(), 8);
  EXPECT_EQ(data.value().kernels[1].kind, KernelKind::kCallPath);
  EXPECT_TRUE(data.value().kernels[1].is_time);
  EXPECT_GE(data.value().kernels[1].fewest_samples, 500);
  // With 2 and 4 ranks tiny has at most 0.05 / 6.05 = 0.8 %.
  EXPECT_EQ(call_path_data(profile_of_paths({2, 4})).value().kernels.size(), 3u);
}

TEST(PathKernels, APathThatOneScaleHasIsLeftOutAndTold) {
  core::Profile profile = profile_of_paths({2, 4, 8});
  for (core::Run& run : profile.runs) {
    if (run.np < 8) run.call_paths[2].function = "another";
  }
  const auto data = call_path_data(profile);
  ASSERT_TRUE(data.ok());
  for (const KernelData& k : data.value().kernels) EXPECT_NE(k.name, "main->replicated");
  EXPECT_EQ(data.value().notes.back(), "1 paths that were met at one configuration only are left out");
}

TEST(PathKernels, NeedStacks) {
  const auto data = call_path_data(stencil().profile({2, 4}));
  ASSERT_FALSE(data.ok());
  EXPECT_NE(data.error().hint.find("--call-paths"), std::string::npos);
}

// Two functions of one name: parameters tell them apart, in all runs alike.
TEST(PathKernels, OverloadsAreDifferentPaths) {
  core::Profile profile = profile_of_paths({2, 4});
  for (core::Run& run : profile.runs) {
    run.call_paths[1].function = "f(int)";
    run.call_paths[2].function = run.np == 2 ? "f(double)" : "replicated";
  }
  const auto data = call_path_data(profile);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data.value().kernels[1].name, "main->f(int)");
}

}  // namespace
}  // namespace scalediag::fit
