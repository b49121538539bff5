#include "report/render/text/show/show_rank_spread.h"

#include <gtest/gtest.h>

#include "core/profile/metric_names.h"

namespace scalediag::report {
namespace {

core::OverRanks spread(double least, int rank_of_least, const core::RankQuantiles& quantiles, double greatest,
                       int rank_of_greatest) {
  return {quantiles[2] * 2000, quantiles[2], least, greatest, rank_of_least, rank_of_greatest, quantiles};
}

TEST(ShowRankSpread, LargeRunsHaveATableOfQuantiles) {
  core::Run run;
  run.np = 2000;
  run.times.total_s = spread(1, 7, {1.25, 1.5, 2, 2.5, 3}, 4, 1999);
  run.times.computation_s = run.times.communication_s = run.times.others_s = run.times.total_s;
  core::Kernel kernel;
  kernel.name = "relax";
  kernel.metrics[metric::kTime] = spread(0.5, 3, {0.5, 0.75, 1, 1.25, 1.5}, 2, 4);
  run.kernels = {kernel, kernel};
  core::ConfigurationSummary summary;
  summary.np = 2000;
  summary.runs = {&run};
  const std::string text = rank_spread_table(summary, 1, core::TimeFormat(4), {.width = core::kUnlimited});
  EXPECT_NE(text.find("1.0000     7  1.2500  1.5000  2.0000  2.5000  3.0000    4.0000  1999  total\n"), text.npos)
      << text;
  EXPECT_NE(text.find("0.5000     3  0.5000  0.7500  1.0000  1.2500  1.5000    2.0000     4  relax\n"), text.npos)
      << text;
  // One of both kernels.
  EXPECT_EQ(text.find("relax"), text.rfind("relax"));
}

TEST(ShowRankSpread, SmallRunsHaveNone) {
  core::Run run;
  core::ConfigurationSummary summary;
  summary.runs = {&run};
  EXPECT_EQ(rank_spread_table(summary, 0, core::TimeFormat(1), {}), "");
}

}  // namespace
}  // namespace scalediag::report
