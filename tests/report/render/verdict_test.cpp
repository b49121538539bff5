#include "report/render/verdict.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/render/text/predict_text.h"
#include "tests/report/example_report.h"

namespace scalediag::report {
namespace {

TEST(Verdict, NamesCostCulpritAndTrust) {
  const std::vector<std::string> verdict = verdict_of(example_findings());
  ASSERT_EQ(verdict.size(), 3u);
  EXPECT_TRUE(contains(verdict[0], "The target is 64 times the largest measured scale: no more than an extrapolation."))
      << verdict[0];
  const Findings near = report_findings(example_profile(), {{256}});
  EXPECT_TRUE(contains(verdict_of(near)[0], "The target is 16 times the largest measured scale."))
      << verdict_of(near)[0];
  // At 1024 ranks it takes 2 s on rank 0, longer than all others.
  EXPECT_TRUE(contains(verdict[1], "output::gather") && contains(verdict[1], name_of(Cause::kSerial))) << verdict[1];
  EXPECT_TRUE(contains(verdict[1], "Efficiency stays at or above 50 % up to np=")) << verdict[1];
  EXPECT_TRUE(contains(verdict[2], "np=16, predicted from 2,4,8, came out")) << verdict[2];
  EXPECT_TRUE(
      contains(verdict[2], "That checks 2 times the processes; the largest target has 64 times those of np=16."))
      << verdict[2];
}

TEST(Verdict, TheHeadlineIsTheRunWithoutStartAndEnd) {
  Findings findings = example_findings();
  TargetFindings& target = findings.targets.back();
  EXPECT_TRUE(contains(verdict_of(findings)[0], "at np=1024 the run takes ")) << verdict_of(findings)[0];
  EXPECT_TRUE(contains(verdict_of(findings)[0], " s with a core for each process, between "))
      << verdict_of(findings)[0];
  EXPECT_FALSE(contains(verdict_of(findings)[1], "Starting and ending"));
  // Time in calls of GPUs is elapsed time of ranks that shared cores.
  Findings with_gpus = example_findings();
  with_gpus.targets.back().gpu_s = Estimate{1, 1, 1, 0.9};
  EXPECT_FALSE(contains(verdict_of(with_gpus)[0], "a core for each process")) << verdict_of(with_gpus)[0];
  // With start and end of twice the run's length, these are separate from it, and the headline does not change.
  target.run_s = Estimate{3, 3, 3, 0.9};
  target.others_s = Estimate{6, 6, 6, 0.9};
  target.total_s->value = 9;
  EXPECT_TRUE(contains(verdict_of(findings)[1], "Starting and ending take 6.0000 s more.")) << verdict_of(findings)[1];
  EXPECT_FALSE(contains(verdict_of(findings)[0], "arting"));
  EXPECT_TRUE(contains(verdict_of(findings)[0], "the run takes 3.000 s with a core for each process."))
      << verdict_of(findings)[0];
  EXPECT_TRUE(contains(findings_text(findings, {}), "Start and end, no part of it: "));
  EXPECT_TRUE(contains(findings_text(findings, {}), "6.0000 s at np=1024."));
  findings.clock = "wall";
  EXPECT_FALSE(contains(verdict_of(findings)[0], "CPU time"));
}

TEST(Verdict, SaysWhatThePredictionWasHeldAgainst) {
  EXPECT_EQ(example_findings().clock, "cpu");
  EXPECT_TRUE(contains(verdict_of(example_findings())[2], "What it is held against is modelled from its runs."));
  core::Profile profile = example_profile();
  for (core::Run& run : profile.runs) run.clock = core::Clock::kWall;
  EXPECT_FALSE(contains(verdict_of(report_findings(profile, {{1024}}))[2], "modelled"));
}

TEST(Verdict, LeavesOutTheErrorOfKernelsWhereNoneCanBeChecked) {
  Findings findings = example_findings();
  ASSERT_GT(findings.backtest.kernels, 0);
  EXPECT_TRUE(contains(verdict_of(findings)[2], "Single functions were off by ")) << verdict_of(findings)[2];
  EXPECT_TRUE(contains(findings_text(findings, {}), "functions: median error "));
  findings.backtest.kernels = 0;
  EXPECT_FALSE(contains(verdict_of(findings)[2], "off by")) << verdict_of(findings)[2];
  EXPECT_FALSE(contains(findings_text(findings, {}), "median error"));
  findings.backtest.error.reset();
  EXPECT_TRUE(contains(findings_text(findings, {}), "no measured time to be held against"));
}

TEST(Verdict, SaysWhenNothingCanBeChecked) {
  core::Profile profile = example_profile();
  std::erase_if(profile.runs, [](const core::Run& run) { return run.np > 4; });
  const std::vector<std::string> verdict = verdict_of(report_findings(profile, {{8}}));
  EXPECT_TRUE(contains(verdict[2], "too few scales")) << verdict[2];
}

// A kernel whose name has brackets is the only thing that may bring them.
TEST(Verdict, SentencesAreShortAndHaveNoBracketsWithinBrackets) {
  for (const std::string& text : verdict_of(example_findings())) {
    size_t words = 0, depth = 0;
    char before = ' ';
    for (const char c : text) {
      words += c == ' ';
      if (before == '.' && c == ' ') words = 0;
      EXPECT_LE(words, 25u) << text;
      depth = depth + (c == '(') - (c == ')');
      EXPECT_LE(depth, 1u) << text;
      before = c;
    }
  }
}

}  // namespace
}  // namespace scalediag::report
