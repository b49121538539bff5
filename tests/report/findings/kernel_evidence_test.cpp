#include "report/findings/kernel_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "report/render/json/report_json.h"
#include "tests/fit/application/synthetic_application.h"
#include "tests/report/example_report.h"

namespace scalediag::report {
namespace {

TEST(Evidence, KeepsEveryMetricsPointsAndCurves) {
  const Findings& findings = example_findings();
  const KernelEvidence& evidence = findings.evidence[kernel_of(findings, "grid::stencil").id];
  EXPECT_TRUE(evidence.complete);
  ASSERT_GE(evidence.metrics.size(), 6u);
  const MetricEvidence& time = evidence.metrics.front();
  EXPECT_EQ(time.name, "time_s");
  ASSERT_EQ(time.measured.size(), 4u);
  // 8 / sqrt(16) s and 1 % more in the second repeat.
  EXPECT_NEAR(time.measured[3].low, 2.0, 1e-9);
  EXPECT_NEAR(time.measured[3].high, 2.02, 1e-9);
  EXPECT_NEAR(time.measured[3].mean, 2.01, 1e-9);
  EXPECT_EQ(time.measured[3].repeats, 2u);
  EXPECT_EQ(time.curve.size(), findings.evidence_points.size());
  EXPECT_FALSE(time.alternatives.empty());
}

TEST(Evidence, NotesOfFormulasTellFactorsFromHypotheses) {
  // Runs that vary by some percent, so that no hypothesis gives the value; instructions of one kernel are not counted.
  core::Profile profile = example_profile();
  for (core::Run& run : profile.runs) {
    const double off = run.np == 2 || run.np == 8 ? 1.03 : 0.96;
    for (core::Kernel& kernel : run.kernels) {
      if (kernel.name == "mesh::refine") {
        kernel.metrics.erase("instructions");
        kernel.resources.clear();
      }
      for (auto& [name, over] : kernel.metrics) {
        for (double* value : {&over.sum, &over.mean, &over.min, &over.max}) *value *= off;
      }
    }
  }
  const Findings findings = report_findings(profile, {{64}});
  size_t composed = 0, direct = 0;
  for (const KernelFinding& kernel : findings.targets.front().kernels) {
    EXPECT_EQ(kernel.formula_note.empty(), kernel.formula_weight >= 1) << kernel.name;
    EXPECT_EQ(findings.evidence[kernel.id].metrics.front().formula_note, kernel.formula_note);
    if (kernel.formula_note.empty()) continue;
    const bool factors = contains(kernel.formula_note, "put together") || contains(kernel.formula_note, "each factor");
    EXPECT_EQ(factors, kernel.method == fit::Method::kResources) << kernel.name << ": " << kernel.formula_note;
    ++(factors ? composed : direct);
  }
  EXPECT_GT(composed, 0u);
  EXPECT_GT(direct, 0u);
}

// Frequencies of 1e9, 1e3, 1e9 and 1e3 at 2, 4, 8 and 16: the interval at 64 is wider than a factor of 100.
TEST(Evidence, AMetricWithoutAValueHasAReasonInItsPlace) {
  core::Profile profile = example_profile();
  for (core::Run& run : profile.runs) {
    for (core::Kernel& kernel : run.kernels) {
      if (kernel.name == "grid::stencil") kernel.resources["hz"] = run.np % 3 == 1 ? 1e3 : 1e9;
    }
  }
  const Findings findings = report_findings(profile, {{64}});
  const KernelEvidence& evidence = findings.evidence[kernel_of(findings, "grid::stencil").id];
  const auto ratio = std::find_if(evidence.metrics.begin(), evidence.metrics.end(),
                                  [](const MetricEvidence& m) { return m.name == "hz"; });
  ASSERT_NE(ratio, evidence.metrics.end());
  EXPECT_FALSE(ratio->measured.empty());
  EXPECT_TRUE(ratio->curve.empty());
  EXPECT_EQ(ratio->formula, "");
  ASSERT_FALSE(ratio->notes.empty());
  EXPECT_EQ(ratio->notes.back(), "not predicted: its interval at np=64 spans a factor of more than 100");
}

TEST(Evidence, ARegimeChangeAtOneScaleMayBeABadRun) {
  EXPECT_EQ(
      regime_text({"np", 8, 16, 1.5, false}),
      "regime change between np=8 and np=16: 1.5 times what the trend before it says (one scale only, which may be a "
      "bad run)");
  EXPECT_EQ(regime_text({"np", 8, 16, 1.5, true}),
            "regime change between np=8 and np=16: 1.5 times what the trend before it says");
  // Values that are 0 but for rounding have such steps.
  EXPECT_EQ(regime_text({"np", 8, 16, 2.174e15, true}),
            "regime change between np=8 and np=16: more than 100 times what the trend before it says");
  EXPECT_EQ(regime_text({"np", 8, 16, 1e-9, true}),
            "regime change between np=8 and np=16: less than a hundredth of what the trend before it says");
}

TEST(Evidence, RanksKernelsAtMeasuredScales) {
  // At np=2: relax 30 s, refine 10 s, balance 10 / sqrt(2) = 7.07 s on rank 0 (5 s in the mean), stencil 5.66 s.
  const char* const expected[] = {"solver::relax(double*, int)", "mesh::refine", "partition::balance", "grid::stencil"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(example_findings().evidence[kernel_of(example_findings(), expected[i]).id].measured_ranks[0], i + 1)
        << expected[i];
  }
}

TEST(Evidence, EveryMetricOfResourcesHasACurveAndAFormula) {
  const Findings findings = report_findings(fit::profile_with_resources({2, 4, 8, 16, 32}), {{64}});
  const auto json = nlohmann::json::parse(report_json(findings, JsonLayout::kCompact).value());
  const auto& kernels = json["kernels"];
  const auto sweep = std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k["name"] == "sweep"; });
  ASSERT_NE(sweep, kernels.end());
  std::set<std::string> names;
  for (const auto& metric : (*sweep)["evidence"]["metrics"]) {
    names.insert(metric["name"].get<std::string>());
    EXPECT_TRUE(metric["curve"].is_object()) << metric["name"];
    EXPECT_TRUE(metric["formula"].is_string()) << metric["name"];
  }
  for (const char* name : {"t_mem_l1_s", "t_mem_llc_s", "t_mem_memory_s", "cpi", "bf_mem_high", "l1_hit_ratio",
                           "llc_miss_ratio", "memory_bytes", "flops_per_byte"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  EXPECT_TRUE((*sweep)["resource_notes"].contains("stalls_derived"));
}

}  // namespace
}  // namespace scalediag::report
