#include "report/html/page.h"

#include <gtest/gtest.h>

#include "report/html/assets.h"
#include "report/html/curve_svg.h"
#include "report/html/escape.h"
#include "report/quantities.h"
#include "tests/report/example_report.h"

namespace scalediag::report {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Escape, LeavesNoMarkup) {
  EXPECT_EQ(html::escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(html::escaped(std::string("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(Escape, KeepsJsonWithinItsScript) {
  std::string out = "[";
  html::append_script_json("{\"a\": \"</script>&\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA\"}", out);
  EXPECT_EQ(out, "[{\"a\": \"\\u003c/script\\u003e\\u0026\\u2028\\u2029\xE2\x80\xAA\"}");
}

TEST(Escape, WritesDigestsAsPoliciesNameThem) {
  // SHA-256 of nothing, in both spellings (FIPS 180-4's example; its base 64 is in RFC 9530's).
  EXPECT_EQ(html::csp_hash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

// Who passes a report on passes Chart.js on with it.
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
  // Light, dark and paper.
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
  const TimeFormat totals(findings.targets[0].total_s->value);
  for (const TargetFindings& target : findings.targets) {
    EXPECT_NE(before_data.find(totals(target.total_s->value)), std::string::npos);
    EXPECT_NE(before_data.find(percent(*target.efficiency)), std::string::npos);
    const TimeFormat time(target.kernels.front().estimate.value);
    for (const KernelFinding& kernel : target.kernels) {
      EXPECT_NE(before_data.find(">" + time(kernel.estimate.value) + "<"), std::string::npos) << kernel.name;
      EXPECT_NE(before_data.find(time(kernel.estimate.low) + " - " + time(kernel.estimate.high)), std::string::npos);
    }
  }
  for (const Efficiencies& e : findings.efficiencies) {
    EXPECT_NE(before_data.find(">" + percent(e.parallel_efficiency) + "<"), std::string::npos);
    EXPECT_NE(before_data.find(">" + percent(e.load_balance) + "<"), std::string::npos);
  }
}

TEST(Page, StaysSmallWithThousandsOfKernels) {
  const auto page = report_html(report_findings(large_profile(3000, 12), {{8192}, {65536}}));
  ASSERT_TRUE(page.ok());
  EXPECT_LT(page.value().size(), 10'000'000u);
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

}  // namespace
}  // namespace scalediag::report
