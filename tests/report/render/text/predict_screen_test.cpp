#include "report/render/text/first/predict_screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/text/shortening.h"
#include "report/render/text/first/doubts.h"
#include "tests/report/findings/findings_of.h"
#include "tests/report/render/text/lines_of.h"

namespace scalediag::report {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// A run of 17.141 ms between 8.335 and 763.25 at 64 processes, and nothing else.
Findings one_run() {
  Findings findings;
  findings.application = "app";
  findings.processes = "np";
  findings.measured = {{{"np", 8}}, {{"np", 16}}};
  TargetFindings& target = findings.targets.emplace_back();
  target.at = {{"np", 64}};
  target.run_s = {17.141e-3, 8.335e-3, 763.25e-3, 0.9};
  target.total_s = {1.017141, 1.008335, 1.76325, 0.9};
  return findings;
}

TEST(PredictScreen, FitsOnOneScreen) {
  const std::string text = predict_screen(findings_of(one_of_each(), {{64}, {256}, {1024}, {4096}}), {});
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_LE(lines.size(), 30u) << text;
  for (const std::string& line : lines) EXPECT_LE(core::display_width(line), 100u) << line;
}

TEST(PredictScreen, AnswersAtEachTargetAndNamesWhatLimitsTheLargest) {
  const std::string text = predict_screen(findings_of(one_of_each(), {{64}, {256}}), {});
  const std::vector<std::string> lines = lines_of(text);
  const auto begins = [&](const std::string& beginning) {
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& l) { return l.starts_with(beginning); });
  };
  EXPECT_EQ(begins("           np=64  "), 1) << text;
  EXPECT_EQ(begins("          np=256  "), 1) << text;
  EXPECT_EQ(begins("What limits it at np=256"), 1) << text;
  EXPECT_EQ(begins("What limits it at np=64"), 0) << text;
  EXPECT_NE(text.find("serial part, rank 0 alone"), std::string::npos) << text;
  EXPECT_NE(text.find("np=16, predicted from 2,4,8, came out "), std::string::npos) << text;
}

// The smallest and the largest of the four measured scales, without intervals; the serial parts keep 16 ranks at half
// of what two had.
TEST(PredictScreen, MeasuredScalesStandAboveTheTargets) {
  const Findings findings = findings_of(one_of_each(), {{64}});
  const std::string text = predict_screen(findings, {});
  EXPECT_NE(text.find("   measured np=2  46.00                1.000 "), std::string::npos) << text;
  EXPECT_NE(text.find(" measured np=16 "), std::string::npos) << text;
  EXPECT_EQ(text.find(" measured np=8 "), std::string::npos) << text;
  EXPECT_NE(text.find("  Efficiency stays at or above 50 % up to np=8 (measured).\n"), std::string::npos) << text;
}

// A target that was measured is no target and a measured scale at once.
TEST(PredictScreen, AScaleIsListedOnce) {
  EXPECT_EQ(predict_screen(findings_of(one_of_each(), {{16}}), {}).find("measured np=16 "), std::string::npos);
}

TEST(PredictScreen, NamesMachineAndNetwork) {
  Findings findings = one_run();
  findings.machine = "EPYC";
  findings.network = "nets/cluster.json";
  EXPECT_NE(
      predict_screen(findings, {}).find("  For cores as measured (EPYC) and the network cluster.json. Run: MPI_Init"),
      std::string::npos);
  findings.network = "latency=1us,bandwidth=12GB/s";
  EXPECT_NE(predict_screen(findings, {}).find("and the network latency=1us,bandwidth=12GB/s. Run:"), std::string::npos);
}

// Of two parts one is undecided: it is larger, and comes second. Alone it limits nothing.
TEST(PredictScreen, WhatIsUndecidedComesAfterWhatLimits) {
  Findings findings = one_run();
  findings.scaling = Scaling::kStrong;
  TargetFindings& target = findings.targets.front();
  const auto add = [&](const char* name, double seconds, std::optional<bool> scales) {
    KernelFinding& kernel = target.kernels.emplace_back();
    kernel.name = name;
    kernel.matters = true;
    kernel.exponent = 0;
    kernel.scales = scales;
    kernel.estimate = {seconds, seconds, seconds, 0.9};
  };
  add("open", 9e-3, std::nullopt);
  EXPECT_NE(predict_screen(findings, {}).find("The largest parts at np=64\n"), std::string::npos);
  add("stops", 2e-3, false);
  const std::string text = predict_screen(findings, {});
  EXPECT_NE(text.find("What limits it at np=64\n"), std::string::npos) << text;
  EXPECT_LT(text.find(" stops"), text.find(" open")) << text;
  EXPECT_NE(text.find("?: not decided"), std::string::npos) << text;
}

// 763.25 / 8.335 = 91.6.
TEST(PredictScreen, TheFirstSentenceSaysWhatIsNotKnown) {
  EXPECT_EQ(lines_of(predict_screen(one_run(), {}))[1],
            "  At np=64 the run takes 17 ms, between 8 and 770: not known within a factor of 91.");
}

TEST(PredictScreen, TheFirstSentenceHasAtMost25WordsAndNoBrackets) {
  for (const Findings& findings : {one_run(), findings_of(one_of_each(), {{1024}})}) {
    const std::string sentence = lines_of(predict_screen(findings, {.width = 1000}))[1];
    std::istringstream words(sentence);
    size_t n = 0;
    for (std::string word; words >> word;) ++n;
    EXPECT_LE(n, 25u) << sentence;
    EXPECT_EQ(sentence.find_first_of("()[]"), std::string::npos) << sentence;
  }
}

// The end of a long text goes, and of runs' warnings the numbers of ranks in front.
TEST(DoubtOf, RunsWarningsKeepWhatTheySay) {
  const std::string waited =
      "ranks waited for a core for 12 % of their time beside other programs, which makes times longer";
  EXPECT_EQ(doubt_of("of the runs at np=2, np=4, np=8: " + waited + ": leave the machine to them").text,
            "R" + waited.substr(1));
  EXPECT_EQ(doubt_of("of the runs at np=2: short").text, "Short");
  EXPECT_EQ(doubt_of("of the runs at np=2: ranks were seen without rights (events of CPUs: Permission denied): time in "
                     "system calls is charged to the code after them")
                .text,
            "Ranks were seen without rights");
}

TEST(DoubtOf, OneConfigurationIsSaidOnceForAllSeries) {
  const std::string one = "Only one configuration was measured: predictions take several scales";
  for (const std::string series : {"[computation] (time)", "[unknown]->MPI_Allreduce (time)"}) {
    EXPECT_EQ(doubt_of(series + " is not predicted: only one configuration was measured (np = 8)").text, one);
  }
}

// Of what ranks that shared cores took, and of where messages go.
TEST(PredictScreen, SaysWhatComputationIsMultipliedBy) {
  Findings findings = one_run();
  findings.lone_factor = 0.62;
  findings.on_own_network = true;
  const std::string text = predict_screen(findings, {});
  EXPECT_NE(text.find("  cores    computation of ranks that shared cores is taken as 0.62 of the time measured"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  For this host's network (a cluster's: --network NAME, such as hdr). Run: MPI_Init"),
            std::string::npos)
      << text;
}

TEST(PredictScreen, TheWholeJobStandsBesideTheRun) {
  const std::vector<std::string> lines = lines_of(predict_screen(one_run(), {}));
  const auto row =
      std::find_if(lines.begin(), lines.end(), [](const std::string& l) { return l.starts_with("  np=64"); });
  ASSERT_NE(row, lines.end());
  // 0.746 s below its upper end: two digits.
  EXPECT_NE(row->find("1.0 1.0 - 1.8"), std::string::npos) << *row;
}

TEST(PredictScreen, ThreeWarningsTheMostHarmfulFirst) {
  Findings findings = one_run();
  findings.notes = {"no counters: kernels are modelled by their time only, and so on", "3 incomplete runs are left out",
                    "what nobody foresaw; for a reason", "the runs were emulated, not measured: errors are unknown",
                    "not all measured scales are simulated: too long"};
  const std::string text = predict_screen(findings, {});
  EXPECT_EQ(count(text, "warning: "), 3u) << text;
  EXPECT_LT(text.find("warning: The runs were emulated"), text.find("warning: No counts")) << text;
  EXPECT_NE(text.find("2 more warnings and all tables: --details\n"), std::string::npos) << text;
}

TEST(PredictScreen, NotesThatNobodyListedAreDoubtsUpToTheirSemicolon) {
  Findings findings = one_run();
  findings.notes = {"what nobody foresaw; for a reason"};
  const std::vector<HarmfulDoubt> doubts = doubts_of(findings);
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_EQ(doubts[0].text, "What nobody foresaw");
  EXPECT_EQ(doubts[0].harm, Harm::kDoubt);
}

TEST(PredictScreen, NamesOfOthersDoNotDriveIt) {
  SyntheticApplication app = one_of_each();
  app.kernels[3].name = "ser\x1b[2Jial";
  EXPECT_EQ(predict_screen(findings_of(app, {{64}}), {}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace scalediag::report
