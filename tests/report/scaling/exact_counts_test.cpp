#include "report/scaling/exact_counts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fit/application/application.h"
#include "fit/profile/profile_data.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::report {
namespace {

// A rank has 1e9 instructions at every scale, so that none of them is shared.
bool stays(const std::vector<std::string>& notes) {
  fit::SyntheticApplication app;
  app.kernels = {{"sweep", [](int, int) { return 1.0; }, [](int) { return 1e9; }}};
  core::Profile profile = app.profile({2, 4, 8});
  profile.runs.back().kernels.front().resource_notes = notes;
  auto data = fit::application_data(profile);
  EXPECT_TRUE(data.ok());
  const auto model = fit::fit_application(std::move(data).value());
  EXPECT_TRUE(model.ok());
  const std::vector<double> at = {64};
  return counts_stay(model.value().kernels().front(), 0, at, Scaling::kStrong);
}

TEST(ExactCounts, InstructionsOfEveryRoundAreExact) { EXPECT_TRUE(stays({})); }

TEST(ExactCounts, InstructionsOfFewRoundsAreNot) { EXPECT_FALSE(stays({"counts_in_part"})); }

}  // namespace
}  // namespace scalediag::report
