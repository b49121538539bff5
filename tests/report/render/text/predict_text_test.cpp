#include "report/render/text/predict_text.h"

#include <gtest/gtest.h>

#include "report/render/source_text.h"
#include "report/render/verdict.h"
#include "tests/report/findings/findings_of.h"

namespace scalediag::report {
namespace {

TEST(Terminal, FitsTheWidthAndNamesTheCauses) {
  const Findings findings = findings_of(one_of_each(), {{64}});
  const std::string text = findings_text(findings, {.top = 15, .width = 110, .color = false});
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 110u) << text.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_NE(text.find("serial part, rank 0 alone (rank 0 does it"), std::string::npos) << text;
  EXPECT_NE(text.find("backtest"), std::string::npos);
  EXPECT_NE(text.find("np=16 predicted from 2,4,8"), std::string::npos) << text;
}

// What a source missed by more than a factor of 2 is no percentage: 55.2 s against 1 s, and 0.25 s against 1 s.
TEST(Terminal, LargeMissesAreFactorsOfWhatIsKnown) {
  Findings findings;
  findings.backtest.parameter = "np";
  findings.backtest.scale = 16;
  TargetFindings target;
  target.at = {{"np", 64}};
  const auto line = [](bool taken, double missed) {
    return predict::SourceLine{
        predict::Component::kWaiting, predict::Source::kCosts, Estimate{2, 1, 3}, missed, taken, "", 1.0, {}};
  };
  target.sources = {line(true, 0.1), line(false, 54.2), line(false, -0.75)};
  target.sources.back().backtest_before = -0.2;
  const std::vector<std::string> lines = source_lines(findings, target);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("at np=16 +10.0% against 1.0000 s"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("at np=16 55 times too high against 1.0000 s"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("at np=16 4 times too low against 1.0000 s, at the scale before -20.0%"), std::string::npos)
      << lines[2];
}

TEST(Terminal, NamesOfOthersDoNotDriveIt) {
  SyntheticApplication app = one_of_each();
  app.clock = core::Clock::kWall;
  app.kernels[3].name = "ser\x1b[2Jial";
  app.operations.push_back({"MPI_Barrier", [](int np) { return 10.0 * np; }, [](int) { return 0.0; },
                            [](int) { return 1e-3; }, [](int) { return 2.0; }});
  core::Profile profile = app.profile({2, 4, 8, 16});
  profile.parameter_names = {"si\x1bze"};
  for (core::Run& run : profile.runs) run.parameters["si\x1bze"] = 1;
  const Findings findings = findings_of(profile, {{64, 1}});
  EXPECT_NE(finding(findings.targets.front(), "MPI_Barrier").evidence.find('\x1b'), std::string::npos);
  const std::string text = findings_text(findings, {.top = 0, .width = 110, .color = false});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("ranks wait for ser?[2Jial"), std::string::npos) << text;
  for (const std::string& sentence : verdict_of(findings)) EXPECT_EQ(sentence.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace scalediag::report
