#include "report/render/text/first/predict_screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
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
  EXPECT_LE(lines.size(), 40u) << text;
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
      predict_screen(findings, {}).find("  For cores as measured (EPYC), the network cluster.json. Run: MPI_Init"),
      std::string::npos);
  findings.network = "latency=1us,bandwidth=12GB/s";
  EXPECT_NE(predict_screen(findings, {}).find(", the network latency=1us,bandwidth=12GB/s. Run:"), std::string::npos);
  findings.network.clear();
  EXPECT_NE(predict_screen(findings, {.width = 300})
                .find("messages as fast as in these runs (a cluster's: --network NAME, such as hdr). Run:"),
            std::string::npos);
}

TEST(PredictScreen, SaysWhetherTheInputStays) {
  Findings findings = one_run();
  findings.base = {{"np", 8}};
  findings.scaling = Scaling::kStrong;
  EXPECT_NE(predict_screen(findings, {.width = 300}).find("over np=8, strong scaling (same input).\n"),
            std::string::npos);
  findings.scaling = Scaling::kWeak;
  EXPECT_NE(
      predict_screen(findings, {.width = 300}).find("over np=8, weak scaling (the input grows with the processes).\n"),
      std::string::npos);
}

void add_kernel(const char* name, const Estimate& estimate, std::optional<bool> scales, Findings& findings) {
  findings.scaling = Scaling::kStrong;
  KernelFinding& kernel = findings.targets.front().kernels.emplace_back();
  kernel.name = name;
  kernel.matters = true;
  kernel.exponent = 0;
  kernel.scales = scales;
  kernel.estimate = estimate;
}

// The cells of the row that ends with `name`.
std::vector<std::string> row_of(const std::string& text, const std::string& name) {
  for (const std::string& line : lines_of(text)) {
    if (!line.ends_with(name)) continue;
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

// Of a run of 17.141 ms 9 are undecided, 2 do not scale. All else is 6.141 ms, with a part of which nothing is known
// but that it takes between 0.01 and 5 ms: 52.5, 11.7 and 35.8 %.
TEST(PredictScreen, LimitsComeBySizeAndAddUpToTheRun) {
  Findings findings = one_run();
  const auto exactly = [](double seconds) { return Estimate{seconds, seconds, seconds, 0.9}; };
  add_kernel("wide", {1e-3, 0.01e-3, 5e-3, 0.9}, false, findings);
  add_kernel("stops", exactly(2e-3), false, findings);
  add_kernel("open", exactly(9e-3), std::nullopt, findings);
  const std::string text = predict_screen(findings, {});
  EXPECT_EQ(row_of(text, " open"), (std::vector<std::string>{"9.000", "-", "53", "scaling", "not", "decided", "open"}))
      << text;
  EXPECT_EQ(row_of(text, " stops"), (std::vector<std::string>{"2.000", "-", "12", "does", "not", "scale", "stops"}));
  EXPECT_EQ(row_of(text, " wide"),
            (std::vector<std::string>{"-", "0.01", "-", "5.0", "-", "does", "not", "scale", "wide"}));
  EXPECT_EQ(row_of(text, " [all else, of which:]"),
            (std::vector<std::string>{"6.1", "36", "[all", "else,", "of", "which:]"}));
  EXPECT_LT(text.find(" open"), text.find(" stops")) << text;
  EXPECT_LT(text.find(" stops"), text.find("[all else")) << text;
  EXPECT_LT(text.find("[all else"), text.find(" wide")) << text;
  EXPECT_NE(text.find("What limits it at np=64\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  -: not known within a factor of 100\n"), std::string::npos) << text;
}

// Of 17.141 ms the mean rank computes 8: 9.141 are left, though the slowest rank's 14 stand above them.
TEST(PredictScreen, AllElseIsOfTheMeanRankWhereTheSlowestIsShown) {
  Findings findings = one_run();
  add_kernel("uneven", {8e-3, 8e-3, 8e-3, 0.9}, false, findings);
  findings.targets.front().kernels.front().slowest = Estimate{14e-3, 14e-3, 14e-3, 0.9};
  const std::string text = predict_screen(findings, {});
  EXPECT_EQ(row_of(text, " [all else]"), (std::vector<std::string>{"9.1", "53", "[all", "else]"})) << text;
  EXPECT_NE(text.find("  Where ranks differ, a row is the slowest rank's, so that rows are more than the run\n"),
            std::string::npos)
      << text;
}

// Five undecided ones are larger, and a screen has five rows.
TEST(PredictScreen, TheLargestThatDoesNotScaleIsShownBelowLargerOnes) {
  Findings findings = one_run();
  for (const char* name : {"a", "b", "c", "d", "e"}) add_kernel(name, {2e-3, 2e-3, 2e-3, 0.9}, std::nullopt, findings);
  add_kernel("stops", {1e-3, 1e-3, 1e-3, 0.9}, false, findings);
  const std::string text = predict_screen(findings, {});
  EXPECT_NE(text.find("What limits it at np=64\n"), std::string::npos) << text;
  EXPECT_EQ(row_of(text, " stops").size(), 7u) << text;
  EXPECT_EQ(row_of(text, " e").size(), 0u) << text;
}

// No mark is explained that is not there, and what is undecided alone limits nothing.
TEST(PredictScreen, WhatIsUndecidedAloneIsNoLimit) {
  Findings findings = one_run();
  add_kernel("open", {9e-3, 9e-3, 9e-3, 0.9}, std::nullopt, findings);
  const std::string text = predict_screen(findings, {});
  EXPECT_NE(text.find("The largest parts at np=64\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  [all else]\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("-: not"), std::string::npos) << text;
}

TEST(PredictScreen, OpenWaitingNamesWhatWouldTellIt) {
  Findings findings = one_run();
  add_kernel("stops", {2e-3, 2e-3, 2e-3, 0.9}, false, findings);
  findings.targets.front().waiting_s = Estimate{3e-3, 0.1e-3, 360e-3, 0.9};
  const std::string text = predict_screen(findings, {});
  EXPECT_EQ(row_of(text, " [waiting for others]"),
            (std::vector<std::string>{"-", "0.1", "-", "360", "-", "imbalance", "[waiting", "for", "others]"}))
      << text;
  EXPECT_NE(text.find("; a simulation tells waiting (--network)\n"), std::string::npos) << text;
}

TEST(PredictScreen, NamesLoseScopesAndTemplateArguments) {
  Findings findings = one_run();
  add_kernel("Foam::fvPatchField<Foam::Vector<double> >::patchInternalField() const", {2e-3, 2e-3, 2e-3, 0.9}, false,
             findings);
  findings.targets.front().kernels.back().module = "libfiniteVolume.so";
  add_kernel("LAMMPS_NS::PairLJCut::compute(int, int)", {1e-3, 1e-3, 1e-3, 0.9}, false, findings);
  const std::string text = predict_screen(findings, {});
  EXPECT_NE(text.find("  patchInternalField  libfiniteVolume.so\n"), std::string::npos) << text;
  EXPECT_NE(predict_screen(findings, {.width = core::kUnlimited}).find("Foam::fvPatchField<Foam::Vector<double> >::"),
            std::string::npos);
  EXPECT_NE(text.find("  PairLJCut::compute\n"), std::string::npos) << text;
}

// A long name loses the module that is named like it, but not where another row would look the same.
TEST(PredictScreen, LongNamesLoseTheirClassWhereNoOtherRowLooksTheSame) {
  Findings findings = one_run();
  const Estimate time{2e-3, 2e-3, 2e-3, 0.9};
  add_kernel("flux_calc_kernel_module::flux_calc_kernel", time, false, findings);
  add_kernel("PairBuckinghamLongCoulombLong::compute_inner_all", time, false, findings);
  add_kernel("PairLennardJonesCutCoulomb::compute_inner_all", time, false, findings);
  const std::string text = predict_screen(findings, {.width = 200});
  for (const char* name : {"  flux_calc_kernel\n", "  PairBuckinghamLongCoulombLong::compute_inner_all\n",
                           "  PairLennardJonesCutCoulomb::compute_inner_all\n"}) {
    EXPECT_NE(text.find(name), std::string::npos) << text;
  }
}

// 770 / 8 = 96, as one finds who divides what is printed; 763.25 / 8.335 would be 91.
TEST(PredictScreen, TheFirstSentenceSaysWhatIsNotKnown) {
  EXPECT_EQ(lines_of(predict_screen(one_run(), {}))[1],
            "  At np=64 the run takes 17 ms, between 8 and 770: not known within a factor of 96.");
}

// At 64 processes the run is known roughly, at 256 it is not.
TEST(PredictScreen, EachTargetHasAnAnswerOfItsOwn) {
  Findings findings = one_run();
  findings.targets.front().trust.add({Doubt::kSourcesApart, Grade::kRough, 0.4});
  add_kernel("stops", {2e-3, 2e-3, 2e-3, 0.9}, false, findings);
  TargetFindings far = findings.targets.front();
  far.at = {{"np", 256}};
  far.run_s = {6e-3, 0.5e-3, 900e-3, 0.9};
  far.total_s = {1, 0.9, 1.9, 0.9};
  far.trust.add({Doubt::kWideInterval, Grade::kNothing, 1800, {}, *far.run_s});
  findings.targets.push_back(far);
  const std::string text = predict_screen(findings, {.width = 300});
  EXPECT_EQ(lines_of(text)[1],
            "  Rough: at np=64 the run takes 17 ms, between 8 and 770: not known within a factor of 96.");
  EXPECT_EQ(lines_of(text)[2],
            "  Cannot be told from these runs: what the run takes at np=256, because the interval spans a factor of "
            "1800.");
  // Neither the run nor the whole job has a value there.
  EXPECT_NE(text.find("  np=256  "), std::string::npos) << text;
  const std::vector<std::string> lines = lines_of(text);
  const auto row = std::ranges::find_if(lines, [](const std::string& l) { return l.starts_with("  np=256"); });
  ASSERT_NE(row, lines.end()) << text;
  std::istringstream words(*row);
  EXPECT_EQ((std::vector<std::string>{std::istream_iterator<std::string>(words), {}}),
            (std::vector<std::string>{"np=256", "-", "0.5", "-", "900", "-", "-", "-", "0.9", "-", "1.9"}))
      << *row;
  EXPECT_NE(text.find("  -: not known; between is what the models give.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("What limits it at np=64\n"), std::string::npos) << text;
  EXPECT_NE(text.find("How sure: np=256: nothing can be concluded, because the interval spans a factor of 1800. Also, "
                      "two sources put computation 40 % apart\n"
                      "  also     np=64: rough, because two sources put computation 40 % apart\n"),
            std::string::npos)
      << text;
}

TEST(PredictScreen, OneReasonForAllTargetsIsSaidOnce) {
  Findings findings = one_run();
  findings.targets.front().trust.add({Doubt::kNoise, Grade::kNothing, 0.7, {{{"np", 2}}}});
  findings.targets.push_back(findings.targets.front());
  findings.targets.back().at = {{"np", 256}};
  const std::vector<std::string> lines = lines_of(predict_screen(findings, {.width = 200}));
  EXPECT_EQ(lines[1],
            "  Cannot be told from these runs: what the run takes at np=64 and at np=256, because repeats at np=2 vary "
            "by 70 %.");
  EXPECT_EQ(lines[2], "");
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

// Ranks shared cores at 16, and not at 2.
TEST(PredictScreen, MarksTimesOfRanksThatSharedCores) {
  Findings findings = findings_of(one_of_each(), {{64}});
  EXPECT_EQ(predict_screen(findings, {}).find('*'), std::string::npos);
  findings.shared_cores = {{{"np", 16}}};
  const std::string mark = "  *: CPU time, since ranks shared cores";
  const std::string text = predict_screen(findings, {.width = 200});
  EXPECT_NE(text.find(" measured np=16 * "), std::string::npos) << text;
  EXPECT_NE(text.find(" measured np=2 "), std::string::npos) << text;
  EXPECT_EQ(text.find(" measured np=2 *"), std::string::npos) << text;
  EXPECT_NE(text.find(mark + ".\n"), std::string::npos) << text;
  findings.lone_factor = 0.62;
  EXPECT_NE(predict_screen(findings, {.width = 200})
                .find(mark + "; of the largest, computation is 0.62 of that, as with a core each.\n"),
            std::string::npos);
}

TEST(PredictScreen, SaysOnWhatNetworkMessagesGo) {
  Findings findings = one_run();
  findings.on_own_network = true;
  const std::string text = predict_screen(findings, {});
  EXPECT_NE(text.find("  For this host's network (a cluster's: --network NAME, such as hdr). Run: MPI_Init"),
            std::string::npos)
      << text;
}

TEST(PredictScreen, TheCommandThatNarrowsItSaysWhatItRuns) {
  const std::string text =
      predict_screen(one_run(), {.next = {"scalediag improve x --at np=64", "measure np=32, about 4 s"}});
  EXPECT_TRUE(
      text.ends_with("next, to narrow this: scalediag improve x --at np=64\n"
                     "  it will  measure np=32, about 4 s\n"))
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
