#include <gtest/gtest.h>

#include "fit/application/call_path_data.h"
#include "fit/curves/fit.h"
#include "report/findings/application_findings.h"
#include "report/render/json/findings_json.h"
#include "report/render/text/predict_text.h"
#include "report/render/verdict.h"
#include "tests/report/findings/findings_of.h"

namespace scalediag::report {
namespace {

fit::MeasurementSet two_call_paths(const std::string& processes = "p", double factor = 1) {
  fit::SeriesBuilder builder({processes});
  for (const double p : {4.0, 8.0, 16.0, 32.0, 64.0}) {
    const std::vector<double> at = {p};
    builder.add("main->solve", "time", at, std::vector{factor * 100 / p}, "");
    builder.add("main->gather", "time", at, std::vector{factor * 0.2 * p}, "");
    builder.add("main->solve", "flops", at, std::vector{factor * 1e9}, "");
  }
  return std::move(builder).finish();
}

Findings of_call_paths(fit::MeasurementSet set, const std::vector<std::vector<double>>& targets,
                       const FindingsOptions& options = {}) {
  const auto model = fit::fit_application(fit::application_data(std::move(set)));
  return application_findings(model.value(), targets, options);
}

TEST(CallPathFindings, PredictEveryMetricOfEveryCallPath) {
  const Findings findings = of_call_paths(two_call_paths(), {{512}});
  const TargetFindings& target = findings.targets.front();
  ASSERT_EQ(target.kernels.size(), 3u);
  EXPECT_FALSE(target.total_s);
  EXPECT_EQ(findings.processes, "p");
  // All three are at least 1 % of the largest of their metric at 64; flops and seconds are not compared.
  EXPECT_EQ(findings.backtest.kernels, 3);
  // 100/512 = 0.195 and 0.2 x 512 = 102.4; measured at 64: 1.5625 and 12.8.
  const KernelFinding& gather = finding(target, "main->gather");
  EXPECT_EQ(gather.metric, "time");
  EXPECT_EQ(gather.rank, 1);
  EXPECT_NEAR(gather.estimate.value, 102.4, 10);
  int times = 0;
  for (const KernelFinding& k : target.kernels) times += k.metric == "time" ? 1 : 0;
  EXPECT_EQ(times, 2);
}

// 8 times the processes take a twentieth of the time: an efficiency of 20 / 8 = 250 % at 32 over 4.
TEST(CallPathFindings, MoreThanIdealScalingIsSaidWithItsCauses) {
  fit::SeriesBuilder builder({"p"});
  const std::pair<double, double> measured[] = {{4, 100}, {8, 45}, {16, 12}, {32, 5}};
  for (const auto& [p, seconds] : measured) {
    builder.add("main->solve", "time", std::vector{p}, std::vector{seconds}, "");
  }
  FindingsOptions options;
  options.scaling = Scaling::kStrong;
  const Findings findings = of_call_paths(std::move(builder).finish(), {{64}}, options);
  const std::string text = findings_text(findings, {.top = 0, .width = 1000, .color = false});
  EXPECT_NE(text.find("efficiency is above 100%, 250.0% at p=32 over p=4: likely a rank's data fit into a cache"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("ran out of memory"), std::string::npos);
  const Findings ideal = of_call_paths(two_call_paths(), {{512}}, options);
  EXPECT_EQ(findings_text(ideal, {}).find("above 100%"), std::string::npos);
}

// Halving ends at 64. The likeliest hypothesis is still work that is divided, which comes to about 2 s at 256, a third
// of the median of all: no formula is printed beside a value that it does not give.
TEST(CallPathFindings, AFormulaStandsBesideItsOwnValueOnly) {
  fit::SeriesBuilder builder({"p"});
  const std::pair<double, double> measured[] = {{4, 100}, {8, 50}, {16, 25}, {32, 12.5}, {64, 12}};
  for (const auto& [p, seconds] : measured) {
    builder.add("main->solve", "time", std::vector{p}, std::vector{seconds}, "");
    builder.add("main->scales", "time", std::vector{p}, std::vector{100 / p}, "");
  }
  const auto model = fit::fit_application(fit::application_data(std::move(builder).finish()));
  const TargetFindings target = application_findings(model.value(), {{256}}).targets.front();
  EXPECT_NE(finding(target, "main->scales").formula, "");
  for (const fit::KernelModel& kernel : model.value().kernels()) {
    if (kernel.data().name != "main->solve") continue;
    const double of_formula = kernel.formula_value(std::vector<double>{256}).value();
    ASSERT_GT(std::abs(of_formula / finding(target, "main->solve").estimate.value - 1), 0.1);
  }
  EXPECT_EQ(finding(target, "main->solve").formula, "");
  EXPECT_NE(finding(target, "main->solve").formula_note.find("it is not shown"), std::string::npos);
}

TEST(CallPathFindings, NamesOfParametersDoNotDriveTheTerminal) {
  const Findings findings = of_call_paths(two_call_paths("p\x1b[31m"), {{512}});
  EXPECT_EQ(findings_text(findings, {.top = 0, .width = 110, .color = false}).find('\x1b'), std::string::npos);
  for (const std::string& sentence : verdict_of(findings)) EXPECT_EQ(sentence.find('\x1b'), std::string::npos);
}

TEST(CallPathFindings, NothingButZerosIsNotTooFewScales) {
  const Findings findings = of_call_paths(two_call_paths("p", 0), {{512}});
  EXPECT_EQ(findings.scaling_reason, "all values are 0");
  EXPECT_EQ(verdict_of(findings)[2].find("Sure enough. Backtest: impossible, since all measured values are 0."), 0u)
      << verdict_of(findings)[2];
  EXPECT_NE(findings_text(findings, {}).find("impossible: all values are 0"), std::string::npos);
}

TEST(CallPathFindings, AStatementThatTheDataContradictIsNoted) {
  FindingsOptions options;
  options.scaling = Scaling::kWeak;
  const Findings findings = of_call_paths(two_call_paths(), {{512}}, options);
  bool told = false;
  for (const std::string& note : findings.notes) told = told || note.find("as in strong scaling") != std::string::npos;
  EXPECT_TRUE(told);
}

// A file lists "n" before the processes: targets, scales and verdicts go by the parameter that counts processes.
TEST(CallPathFindings, TheProcessesNeedNotBeTheFirstParameter) {
  fit::SeriesBuilder builder({"n", "p"});
  for (const double n : {1.0, 2.0}) {
    for (const double p : {4.0, 8.0, 16.0, 32.0, 64.0}) {
      builder.add("main->gather", "time", std::vector{n, p}, std::vector{0.2 * p}, "");
      builder.add("main->solve", "time", std::vector{n, p}, std::vector{100 / p}, "");
    }
  }
  const Findings findings = of_call_paths(std::move(builder).finish(), {{2, 512}});
  EXPECT_EQ(findings.processes, "p");
  EXPECT_EQ(text_of(findings.targets.front().at), "n=2 p=512");
  EXPECT_EQ(findings.targets.front().beyond, 8);
  const KernelFinding& gather = finding(findings.targets.front(), "main->gather");
  EXPECT_EQ(gather.measured, 0.2 * 64);
  EXPECT_EQ(gather.scales, std::optional(false));
  EXPECT_EQ(finding(findings.targets.front(), "main->solve").scales, std::optional(true));
}

}  // namespace
}  // namespace scalediag::report
