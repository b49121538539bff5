#include "report/render/html/page.h"

#include <gtest/gtest.h>

#include "core/text/bounded.h"
#include "core/text/quantities.h"
#include "report/findings/kernel_evidence.h"
#include "report/render/html/assets.h"
#include "report/render/html/curve_svg.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/time_chart.h"
#include "report/render/text/first/predict_screen.h"
#include "report/render/verdict.h"
#include "tests/report/example_report.h"

namespace scalediag::report {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Texts of the cells of the first row that begins with `title`, after `caption`.
std::vector<std::string> cells_of(const std::string& page, const std::string& caption, const std::string& title) {
  const size_t row = page.find(title + "</th>", page.find(caption));
  if (row == std::string::npos) return {};
  const std::string html = page.substr(row, page.find("</tr>", row) - row);
  std::vector<std::string> cells;
  for (size_t at = html.find("<td"); at != std::string::npos; at = html.find("<td", at)) {
    at = html.find('>', at) + 1;
    cells.push_back(html.substr(at, html.find("</td>", at) - at));
  }
  return cells;
}

TEST(Escape, LeavesNoMarkup) {
  EXPECT_EQ(html::escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(html::escaped(std::string("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  // A byte of Latin-1, U+009B, and U+202E, which turns the order of what follows.
  EXPECT_EQ(html::escaped("m\xE4rz\xC2\x9B\xE2\x80\xAE\n"), "m\xEF\xBF\xBDrz\xEF\xBF\xBD\xEF\xBF\xBD\n");
}

TEST(Escape, KeepsJsonWithinItsScript) {
  std::string out = "[";
  html::append_script_json("{\"a\": \"</script>&\xC3\xA4\"}", out);
  EXPECT_EQ(out, "[{\"a\": \"\\u003c/script\\u003e\\u0026\xC3\xA4\"}");
}

// Scripts show the texts of this JSON as they are. An escaped backslash before "u202e" makes it text.
TEST(Escape, LeavesNothingInScriptsThatAPageMayNotShow) {
  const std::string replaced = "\xEF\xBF\xBD";
  std::string out;
  html::append_script_json(R"("\\u202e \n\t\" \u202e \u001b \udb40\udc41 \u00e4")", out);
  EXPECT_EQ(out, R"("\\u202e \n\t\" )" + replaced + " " + replaced + " " + replaced + R"( \u00e4")");
  out.clear();
  html::append_script_json("\"\xE2\x80\xA8\xFF\"", out);
  EXPECT_EQ(out, "\"" + replaced + replaced + "\"");
}

TEST(Escape, WritesDigestsAsPoliciesNameThem) {
  // SHA-256 of nothing, in both spellings (FIPS 180-4's example; its base 64 is in RFC 9530's).
  EXPECT_EQ(html::csp_hash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

// A report that is passed on contains Chart.js, so that its notice has to be included.
TEST(Page, CarriesTheNoticeOfTheLibraryInIt) {
  const auto page = report_html(report_findings(example_profile(), {{64}}));
  ASSERT_TRUE(page.ok());
  for (const char* notice : {"Chart.js Contributors", "Released under the MIT License"}) {
    EXPECT_NE(page.value().find(notice), std::string::npos) << notice;
  }
}

TEST(Page, HasTheColoursOfTheDarkInOnePlace) {
  const std::string style(html::kStyle.text);
  EXPECT_EQ(count(style, "--page: #14181c"), 1u);
  // One each for light, dark and paper.
  EXPECT_EQ(count(style, "--accent:"), 3u);
}

TEST(Page, AdmitsOnlyItsOwnScriptsAndAsksNobody) {
  const auto page = report_html(report_findings(example_profile(), {{64}}));
  ASSERT_TRUE(page.ok());
  const std::string& text = page.value();
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(text.find("script-src '" + html::csp_hash(html::kChartLibrary.sha256) + "' '" +
                      html::csp_hash(html::kScript.sha256) + "'"),
            std::string::npos);
  EXPECT_EQ(text.find("unsafe"), std::string::npos);
  EXPECT_EQ(count(text, " style=\""), 0u) << "the policy would not apply it";
  EXPECT_EQ(count(text, "<script"), 3u);
  EXPECT_EQ(count(text, " src="), 0u);
  // Chart.js names its home in its licence; nothing refers to it.
  EXPECT_EQ(count(text, "href=\"http"), 0u);
}

TEST(Page, KeepsHostileNamesText) {
  const auto page = report_html(report_findings(hostile_profile(), {{64}}));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(count(page.value(), "<img"), 0u);
  EXPECT_EQ(count(page.value(), "</script>"), 3u);
  EXPECT_GE(count(page.value(), "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"), 10u);
}

TEST(Page, HasEveryNumberOfTheTablesWithoutScripts) {
  const Findings findings = report_findings(example_profile(), {{64}, {1024}});
  const auto page = report_html(findings);
  ASSERT_TRUE(page.ok());
  const std::string before_data = page.value().substr(0, page.value().find("<script"));
  const core::TimeFormat totals(findings.targets[0].run_s->value);
  const auto bounded = [](const Estimate& e, const core::TimeFormat& time) {
    const double units = core::units_a_second(time);
    return core::bounded(units * e.value, units * e.low, units * e.high);
  };
  for (const TargetFindings& target : findings.targets) {
    EXPECT_NE(before_data.find(">" + bounded(*target.run_s, totals).value + "<"), std::string::npos);
    EXPECT_NE(before_data.find(">" + efficiency_cell(target) + "<"), std::string::npos);
    const core::TimeFormat time(of_slowest(target.kernels.front()).value);
    for (const KernelFinding& kernel : target.kernels) {
      const core::Bounded number = bounded(of_slowest(kernel), time);
      EXPECT_NE(before_data.find(">" + number.value + "<"), std::string::npos) << kernel.name;
      EXPECT_NE(before_data.find(number.low + " - " + number.high), std::string::npos);
    }
  }
  for (const Efficiencies& e : findings.efficiencies) {
    EXPECT_NE(before_data.find(">" + core::percent(e.parallel_efficiency) + "<"), std::string::npos);
    EXPECT_NE(before_data.find(">" + core::percent(e.load_balance) + "<"), std::string::npos);
  }
}

// What stands before the first section that folds.
std::string opening_of(const Findings& findings, const NextStep& next = {}) {
  const std::string page = report_html(findings, {}, next).value();
  return page.substr(page.find("<main>"), page.find("<details") - page.find("<main>"));
}

TEST(Page, OpensWithWhatPredictSaysFirst) {
  const PredictScreen screen = predict_screen_of(example_findings(), false);
  const std::string opening = opening_of(example_findings(), {"scalediag improve x", "repeat np=16, about 4 s"});
  const auto says = [&](const std::string& text) {
    EXPECT_NE(opening.find(html::escaped(text)), std::string::npos) << text;
  };
  for (const std::string& answer : screen.answers) says(answer);
  for (const ScreenTable* table : {&screen.targets.front(), &screen.limits}) {
    ASSERT_FALSE(table->rows.empty());
    for (const auto& row : table->rows) {
      for (const std::string& text : row) says(text);
    }
  }
  for (const auto& [name, text] : screen.certainty) says(text);
  for (const std::string& text : screen.warnings) says(text);
  says("scalediag improve x");
  says("It will repeat np=16, about 4 s.");
  // The charts follow: time, then efficiency.
  EXPECT_LT(opening.find("scalediag improve x"), opening.find("class=\"stack\""));
  EXPECT_LT(opening.find("class=\"stack\""), opening.find("data-chart=\"efficiency\""));
}

TEST(Page, AllSectionsButTheFirstAreClosed) {
  const std::string page = report_html(example_findings()).value();
  EXPECT_EQ(count(page, "<details class=\"fold\"><summary><h2"), count(page, "<h2"));
  EXPECT_GE(count(page, "<h2"), 8u);
  // Every link of the navigation leads into one.
  for (size_t at = page.find("<a href=\"#"); at != std::string::npos; at = page.find("<a href=\"#", at + 1)) {
    const size_t begin = at + std::string("<a href=\"#").size();
    const std::string id = page.substr(begin, page.find('"', begin) - begin);
    EXPECT_EQ(count(page, "<div id=\"" + id + "\">"), 1u) << id;
  }
}

// Four measured scales and three targets. The predicted bars and the key are hatched.
TEST(TimeChart, TellsMeasuredAndPredictedScalesApart) {
  const Findings findings = report_findings(example_profile(), {{64}, {256}, {1024}});
  const std::string chart = html::time_chart(findings);
  EXPECT_EQ(count(chart, "class=\"predicted\""), 4u);
  EXPECT_EQ(count(chart, "class=\"part-computation\""), 8u);
  EXPECT_EQ(count(chart, ">predicted</text>"), 1u);
  EXPECT_EQ(count(chart, ">modelled from runs</text>"), 1u);
  EXPECT_EQ(chart.find("nan"), std::string::npos);
}

TEST(TimeChart, BarsAreAsHighAsTheirTimeUnlessOneWouldBeTooLow) {
  Findings findings = report_findings(example_profile(), {{64}});
  findings.curve->samples.resize(2);
  findings.curve->samples[0].parts = {120, 0, 0, 0, 0};
  findings.curve->samples[1].parts = {60, 0, 0, 0, 60, 0};
  std::string chart = html::time_chart(findings);
  const auto height_of = [&](const std::string& title) {
    const size_t end = chart.find("\"><title>" + title);
    const size_t begin = chart.rfind("height=\"", end) + std::string("height=\"").size();
    return end == std::string::npos ? -1 : std::stod(chart.substr(begin, end - begin));
  };
  const double whole = height_of("np=2, computation: 120.00 s, 100.0 %");
  EXPECT_GT(whole, 100);
  EXPECT_NEAR(height_of("np=4, computation: 60.000 s, 50.0 %"), whole / 2, 0.11);
  EXPECT_NEAR(height_of("np=4, waiting for other ranks: 60.000 s, 50.0 %"), whole / 2, 0.11);
  EXPECT_EQ(count(chart, "messages"), 0u);
  // A twentieth of 120 s: parts are shares.
  findings.curve->samples[1].parts = {3, 0, 0, 0, 3, 0};
  chart = html::time_chart(findings);
  EXPECT_NEAR(height_of("np=4, computation: 3.0000 s, 50.0 %"), height_of("np=2, computation: 120.00 s, 100.0 %") / 2,
              0.11);
  // A bar without time, and none with any.
  findings.curve->samples[1].parts = {0, 0, 0, 0, 0};
  EXPECT_EQ(html::time_chart(findings).find("nan"), std::string::npos);
  findings.curve->samples[0].parts = {0, 0, 0, 0, 0};
  EXPECT_EQ(html::time_chart(findings).find("nan"), std::string::npos);
}

// 0.1 three times is 0.30000000000000004 in floating point.
TEST(TimeChart, TicksAreRound) {
  Findings findings = report_findings(example_profile(), {{64}});
  findings.curve->samples.resize(2);
  for (ScaleSample& sample : findings.curve->samples) sample.parts = {0.45, 0, 0, 0, 0};
  for (ScaleSample& sample : findings.curve->samples) sample.run_s = {0.45, 0.45, 0.45, 0.9};
  EXPECT_EQ(count(html::time_chart(findings), ">300 ms</text>"), 1u);
}

TEST(Page, CallsAndBytesAreThoseOfTheTarget) {
  // 1000 (P - 1) messages of 6144 bytes, measured at 2 to 16: 15000 at 16, where they were measured last, 7000 at 8.
  const auto page = report_html(report_findings(example_profile(), {{8}}));
  ASSERT_TRUE(page.ok());
  const auto cells = cells_of(page.value(), "MPI operations:", "MPI_Sendrecv");
  ASSERT_EQ(cells.size(), 9u);
  EXPECT_EQ(cells[3], html::metric_text("calls", 15000));
  EXPECT_EQ(cells[4], html::metric_text("bytes", 15000 * 6144));
  EXPECT_EQ(cells[6], html::metric_text("calls", 7000));
  EXPECT_EQ(cells[7], html::metric_text("bytes", 7000 * 6144));
}

TEST(Page, ShowsRelevantPhasesAndTheirSequence) {
  Findings findings = report_findings(example_profile(), {{64}});
  findings.phases = example_phases("a<b>");
  const auto page = report_html(findings);
  ASSERT_TRUE(page.ok());
  const std::string text = page.value().substr(0, page.value().find("<script"));
  EXPECT_NE(text.find("<a href=\"#phases\">Phases</a>"), std::string::npos);
  EXPECT_NE(text.find("The main loop goes round 100 times; 2 of 3 phases make up 98.0 % of the computation. Of the "
                      "events, 75.00 % obey one equation each, 25.00 % one of several that differ on 64 ranks, 0.00 % "
                      "none."),
            std::string::npos);
  // Phase 1 is in the picture only.
  EXPECT_EQ(count(text, "<rect class=\"m2\""), 1u);
  EXPECT_EQ(count(text, "<rect class=\"m5\""), 2u);
  EXPECT_TRUE(cells_of(page.value(), "Phases that make up", "1").empty());
  const auto cells = cells_of(page.value(), "Phases that make up", "2");
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_EQ(cells[0], "1000 on 2, 4000 on 16");
  EXPECT_EQ(cells[1], core::percent(0.9));
  EXPECT_EQ(cells[2], "some obey several");
  EXPECT_EQ(cells[3], "<span class=\"place\">MPI_Sendrecv of a&lt;b&gt;</span>");
  EXPECT_EQ(count(text, ">100 times</text>"), 1u);
  EXPECT_EQ(count(text, ">40 times</text>"), 1u);
}

TEST(Page, HasNoPhasesWithoutTraces) {
  Findings findings = report_findings(example_profile(), {{64}});
  findings.phases.reset();
  const auto page = report_html(findings);
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page.value().find("href=\"#phases\""), std::string::npos);
}

TEST(Page, SaysWhatIsModelledFromRuns) {
  const auto tells = [](const Findings& findings, const std::string& what) {
    const auto page = report_html(findings);
    return page.ok() && page.value().substr(0, page.value().find("<script")).find(what) != std::string::npos;
  };
  Findings cpu = report_findings(example_profile(), {{64}});
  EXPECT_TRUE(tells(cpu, "MPI operations: time at np=16 modelled from runs, all else there measured"));
  EXPECT_TRUE(tells(cpu, "Time by operation, modelled from runs and predicted"));
  EXPECT_TRUE(tells(cpu, "</span> modelled from runs <span"));
  EXPECT_TRUE(tells(cpu, "by definition: the CPU clock cannot measure waiting"));
  // The reason for the clock is given where it is known.
  EXPECT_TRUE(tells(cpu, "CPU clock (ranks share cores): times are what the calls cost at their shortest"));
  cpu.clock_reason = "";
  EXPECT_TRUE(tells(cpu, "CPU clock: times are what the calls cost at their shortest"));

  core::Profile profile = example_profile();
  for (core::Run& run : profile.runs) run.clock = core::Clock::kWall;
  const Findings wall = report_findings(profile, {{64}});
  EXPECT_TRUE(tells(wall, "MPI operations: measured at np=16"));
  EXPECT_TRUE(tells(wall, "</span> measured <span"));
  EXPECT_FALSE(tells(wall, "modelled from runs"));
}

TEST(Page, OffersClicksOnlyWhereScriptsRun) {
  const auto page = report_html(report_findings(large_profile(static_cast<int>(kCompleteEvidence) + 10, 4), {{64}}));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(count(page.value(), "at the end of this page<span class=\"js\">, and a click on"), 1u);
  EXPECT_EQ(count(page.value(), "a click on"), 1u);
}

// tests/browser uses one of three thousand.
TEST(Page, StaysSmallWithAThousandKernels) {
  const auto page = report_html(report_findings(large_profile(1000, 12), {{8192}, {65536}}));
  ASSERT_TRUE(page.ok());
  EXPECT_LT(page.value().size(), 6'500'000u);
}

TEST(CurveSvg, ShowsEveryMeasuredPointAndOneBand) {
  const Findings findings = report_findings(example_profile(), {{1024}});
  for (const html::CurveKind kind : {html::CurveKind::kSpeedup, html::CurveKind::kEfficiency}) {
    const std::string svg = html::curve_svg(*findings.curve, kind, 2, false);
    EXPECT_EQ(count(svg, "<circle"), 4u);
    EXPECT_EQ(count(svg, "class=\"band\""), 1u);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

// From 2 to 16 ranks MPI_Allreduce keeps its 0.5 s, which is a quarter of the 2 s there; read's 1 s becomes 0.9 s:
// log(0.9) / log(8) = -0.05. solve's 7 s become 1 s, log(1/7) / log(8) = -0.94.
TEST(Page, TheCallTreeIsThereWithoutScripts) {
  const std::string page = report_html(example_findings()).value();
  EXPECT_NE(page.find("<h2 id=\"callpaths-title\">Call paths</h2>"), std::string::npos);
  EXPECT_NE(page.find("<span class=\"n\">25.0%</span> <code>MPI_Allreduce</code>"), std::string::npos);
  EXPECT_NE(page.find("goes as n^-0.05</span> <span class=\"bad\">does not scale</span>"), std::string::npos);
  EXPECT_NE(page.find("goes as n^-0.94</span></summary>"), std::string::npos);
  EXPECT_NE(page.find("read&lt;&amp;&gt;"), std::string::npos);
  // main is as wide as the picture, solve half as wide.
  EXPECT_NE(page.find("<rect class=\"g3\" x=\"500.0\" y=\"20\" width=\"450.0\""), std::string::npos);
  Findings without = example_findings();
  without.call_tree = {};
  EXPECT_EQ(report_html(without).value().find("Call paths"), std::string::npos);
}

TEST(Page, SaysWhichPartsOfATargetAreNotPredicted) {
  Findings findings = example_findings();
  const std::string sentence = "replayed in logs: 0.500 times what would be predicted";
  EXPECT_FALSE(contains(report_html(findings).value(), sentence));
  predict::ReplayedComputation& replayed = findings.targets.front().replayed.emplace();
  replayed.folder = "logs";
  replayed.mean_s = replayed.most_s = 1;
  replayed.predicted_s = 2;
  EXPECT_TRUE(contains(report_html(findings).value(), sentence));
}

TEST(Page, RegionsAreListedWithTheirTimesAtEachScale) {
  const std::string page = report_html(example_findings()).value();
  const std::string caption = "Time in the run&#39;s clock, mean over ranks";
  // 1 s of 1.25 s, a quarter of it in MPI, of the slowest rank 1.25 s (example_report.cpp).
  EXPECT_EQ(cells_of(page, caption, "main-loop"),
            (std::vector<std::string>{html::metric_text("time_s", 8), html::metric_text("time_s", 4),
                                      html::metric_text("time_s", 1), "80.0%", "25.0%", "1.25", "100", "MPI calls"}));
  EXPECT_EQ(cells_of(page, caption, "\u2003inner (other threads)").at(0), "-");
  EXPECT_TRUE(contains(page, "main-loop: an estimate.</p>"));
}

}  // namespace
}  // namespace scalediag::report
