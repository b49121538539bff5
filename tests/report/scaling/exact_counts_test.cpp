#include "report/scaling/exact_counts.h"

#include <gtest/gtest.h>

#include "fit/profile/profile_data.h"
#include "tests/report/findings/findings_of.h"

namespace scalediag::report {
namespace {

bool allreduce_stays(const core::Profile& profile) {
  auto data = fit::application_data(profile);
  EXPECT_TRUE(data.ok());
  const auto model = fit::fit_application(std::move(data).value());
  EXPECT_TRUE(model.ok());
  for (const fit::KernelModel& kernel : model.value().kernels()) {
    if (kernel.data().name == "MPI_Allreduce") return counts_stay(kernel, 0, std::vector{16.0}, Scaling::kStrong);
  }
  ADD_FAILURE() << "no MPI_Allreduce";
  return false;
}

// 1200 calls of each rank at all scales. Extended from some iterations they are estimates, which decide nothing.
TEST(ExactCounts, CountsOfEndedRunsDecideNothing) {
  core::Profile profile = one_of_each().profile({2, 4, 8, 16});
  EXPECT_TRUE(allreduce_stays(profile));
  for (core::Run& run : profile.runs) run.cut = core::CutRounds{10, 99, 1};
  EXPECT_FALSE(allreduce_stays(profile));
}

}  // namespace
}  // namespace scalediag::report
