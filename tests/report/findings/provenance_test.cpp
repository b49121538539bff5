#include "report/findings/provenance.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/report/example_report.h"

namespace scalediag::report {
namespace {

TEST(Provenance, TellsRepeatsSamplesAndLosses) {
  const Provenance& provenance = *example_findings().provenance;
  ASSERT_EQ(provenance.runs.size(), 4u);
  EXPECT_EQ(provenance.runs[0].repeats, 2u);
  EXPECT_EQ(provenance.runs[0].samples, 20000u);
  EXPECT_EQ(provenance.runs[0].lost_samples, 3u);
  const auto fact = [&](const std::string& name) {
    for (const auto& [key, text] : provenance.facts) {
      if (key == name) return text;
    }
    return std::string();
  };
  EXPECT_EQ(fact("MPI"), "Open MPI v4.1.4");
  EXPECT_EQ(fact("clock"), "cpu: ranks share cores");
  EXPECT_EQ(fact("sampler"), "perf, 250 samples a second");
}

TEST(Provenance, CountsKernelsThatVary) {
  EXPECT_EQ(example_findings().provenance->runs[0].unsteady, 0u);
  core::Profile profile = example_profile();
  core::OverRanks& time = profile.runs[1].kernels[0].metrics["time_s"];
  for (double* value : {&time.sum, &time.mean, &time.min, &time.max}) *value *= 1.2;
  const std::vector<MeasuredRuns> runs = provenance_of(profile, nullptr).runs;
  EXPECT_EQ(runs[0].unsteady, 1u);
  EXPECT_EQ(runs[1].unsteady, 0u);
}

TEST(Provenance, NamesRunsThatDoNotCount) {
  core::Profile profile = example_profile();
  profile.runs.back().complete = false;
  profile.runs.back().reason = "rank 3 has no data";
  core::Experiment experiment;
  core::RunEntry& failed = experiment.runs.emplace_back();
  failed.configuration.np = 32;
  failed.state = core::RunState::kFailed;
  failed.reason = "killed by signal 9";
  const std::vector<std::string> missing = provenance_of(profile, &experiment).missing;
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0], "np0016.r1: incomplete, rank 3 has no data");
  EXPECT_EQ(missing[1], "np0032.r0: failed, killed by signal 9");
}

}  // namespace
}  // namespace scalediag::report
