// The parts of a report beyond a prediction: verdict, evidence, traffic, provenance.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "report/quantities.h"
#include "report/report_json.h"
#include "report/terminal.h"
#include "report/verdict.h"
#include "synthetic_application.h"
#include "tests/core/example_profile.h"
#include "tests/report/example_report.h"

namespace scalediag::report {
namespace {

const Findings& example() {
  static const Findings findings = report_findings(example_profile(), {{64}, {1024}});
  return findings;
}

const KernelFinding& kernel_of(const Findings& findings, const std::string& name) {
  for (const KernelFinding& kernel : findings.targets.front().kernels) {
    if (kernel.name == name) return kernel;
  }
  ADD_FAILURE() << "no kernel " << name;
  return findings.targets.front().kernels.front();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Verdict, NamesCostCulpritAndTrust) {
  const std::vector<std::string> verdict = verdict_of(example());
  ASSERT_EQ(verdict.size(), 3u);
  EXPECT_TRUE(contains(verdict[0],
                       "At np=1024, 64 times the largest measured scale and so no more than an extrapolation "
                       "(more than 16 times beyond the data), the run"))
      << verdict[0];
  const Findings near = report_findings(example_profile(), {{256}});
  EXPECT_TRUE(contains(verdict_of(near)[0], "At np=256, 16 times the largest measured scale, the run"))
      << verdict_of(near)[0];
  // At 1024 ranks it takes 2 s on rank 0, longer than all others.
  EXPECT_TRUE(contains(verdict[1], "output::gather") && contains(verdict[1], kSerial)) << verdict[1];
  EXPECT_TRUE(contains(verdict[1], "efficiency stays at or above 50% up to np=")) << verdict[1];
  EXPECT_TRUE(contains(verdict[2], "from 2,4,8, np=16 came out")) << verdict[2];
  EXPECT_TRUE(contains(verdict[2], "a step of 2 times the processes, not one of 64")) << verdict[2];
}

TEST(Verdict, TheHeadlineIsTheRunWithoutStartAndEnd) {
  Findings findings = example();
  TargetFindings& target = findings.targets.back();
  EXPECT_TRUE(contains(verdict_of(findings)[0], "the run between MPI_Init and MPI_Finalize is predicted to take"));
  EXPECT_TRUE(contains(verdict_of(findings)[0], " s of CPU time per rank (90% interval")) << verdict_of(findings)[0];
  EXPECT_FALSE(contains(verdict_of(findings)[1], "starting and ending"));
  // With start and end of twice the run's length, these are separate from it, and the headline does not change.
  target.run_s->value = 3;
  target.others_s = Estimate{6, 6, 6, 0.9};
  target.total_s->value = 9;
  EXPECT_TRUE(contains(verdict_of(findings)[1], "starting and ending take 6.0000 s more")) << verdict_of(findings)[1];
  EXPECT_FALSE(contains(verdict_of(findings)[0], "starting"));
  EXPECT_TRUE(contains(verdict_of(findings)[0], "predicted to take 3.0000 s")) << verdict_of(findings)[0];
  EXPECT_TRUE(contains(findings_text(findings, {}), "Start and end, no part of it: "));
  EXPECT_TRUE(contains(findings_text(findings, {}), "6.0000 s at np=1024."));
  findings.clock = "wall";
  EXPECT_FALSE(contains(verdict_of(findings)[0], "CPU time per rank"));
}

TEST(Verdict, SaysWhatThePredictionWasHeldAgainst) {
  EXPECT_EQ(example().clock, "cpu");
  EXPECT_TRUE(contains(verdict_of(example())[2], "against what is modelled from its runs ("));
  core::Profile profile = example_profile();
  for (core::Run& run : profile.runs) run.clock = core::Clock::kWall;
  EXPECT_FALSE(contains(verdict_of(report_findings(profile, {{1024}}))[2], "modelled"));
}

TEST(Verdict, FactorsHaveTheDecimalsThatTell) {
  EXPECT_EQ(times_text(4), "4 times");
  EXPECT_EQ(times_text(1.5), "1.5 times");
  EXPECT_EQ(times_text(8.0 / 6), "1.33 times");
  EXPECT_EQ(times_text(64), "64 times");
  EXPECT_EQ(times_text(1000.0 / 24), "42 times");
}

TEST(Verdict, SaysWhenNothingCanBeChecked) {
  core::Profile profile = example_profile();
  std::erase_if(profile.runs, [](const core::Run& run) { return run.np > 4; });
  const std::vector<std::string> verdict = verdict_of(report_findings(profile, {{8}}));
  EXPECT_TRUE(contains(verdict[2], "too few scales")) << verdict[2];
}

TEST(Evidence, KeepsEveryMetricsPointsAndCurves) {
  const Findings& findings = example();
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

TEST(Evidence, NotesOfFormulasTellFactorsFromLaws) {
  // Runs that vary by some percent, so that no law gives the value; instructions of one kernel are not counted.
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
    EXPECT_EQ(factors, kernel.way == "resources") << kernel.name << ": " << kernel.formula_note;
    ++(factors ? composed : direct);
  }
  EXPECT_GT(composed, 0u);
  EXPECT_GT(direct, 0u);
}

TEST(Evidence, ARegimeChangeAtOneScaleMayBeABadRun) {
  EXPECT_EQ(
      regime_text({"np", 8, 16, 1.5, false}),
      "regime change between np=8 and np=16: 1.5 times what the law before it says (one scale only, which may be a "
      "bad run)");
  EXPECT_EQ(regime_text({"np", 8, 16, 1.5, true}),
            "regime change between np=8 and np=16: 1.5 times what the law before it says");
}

TEST(Evidence, RanksKernelsAtMeasuredScales) {
  // At np=2: relax 30 s, refine 10 s, balance 10 / sqrt(2) = 7.07 s on rank 0 (5 s in the mean), stencil 5.66 s.
  const char* const expected[] = {"solver::relax(double*, int)", "mesh::refine", "partition::balance", "grid::stencil"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(example().evidence[kernel_of(example(), expected[i]).id].measured_ranks[0], i + 1) << expected[i];
  }
}

TEST(Traffic, IsThatOfTheMostProcesses) {
  const TrafficFindings& traffic = *example().traffic;
  EXPECT_EQ(text_of(traffic.at), "np=16");
  EXPECT_EQ(traffic.matrix.blocks, 16);
  EXPECT_EQ(traffic.matrix.cells.size(), 32u);  // two neighbours each
  EXPECT_EQ(traffic.load.computation_s.size(), 16u);
  ASSERT_EQ(traffic.sizes.size(), 2u);
  EXPECT_EQ(traffic.sizes[0].operation, "MPI_Sendrecv");
  EXPECT_NEAR(traffic.sizes[0].classes[0].calls, 15000, 1e-6);
}

TEST(Traffic, PutsManyRanksTogether) {
  core::Profile profile = example_profile();
  core::Run& run = profile.runs.back();
  run.np = 100;
  run.peers = {{0, 1, 1, 10}, {2, 99, 2, 20}, {3, 98, 4, 40}};
  profile.runs = {run};
  const TrafficMatrix matrix = traffic_findings(profile).matrix;
  // 100 ranks in at most 32 blocks: 4 ranks each, 25 blocks. 0 -> 1 stays in block 0; 2 and 3 -> 98 and 99 are 0 -> 24.
  EXPECT_EQ(matrix.ranks_per_block, 4);
  EXPECT_EQ(matrix.blocks, 25);
  ASSERT_EQ(matrix.cells.size(), 2u);
  EXPECT_EQ(matrix.cells[1].to, 24);
  EXPECT_EQ(matrix.cells[1].bytes, 60);
  EXPECT_EQ(matrix.cells[1].messages, 6);
}

TEST(Provenance, TellsRepeatsSamplesAndLosses) {
  const Provenance& provenance = *example().provenance;
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
  EXPECT_EQ(example().provenance->runs[0].unsteady, 0u);
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

TEST(ReportJson, HoldsTheFindingsNumbers) {
  const auto text = report_json(example(), JsonLayout::kCompact);
  ASSERT_TRUE(text.ok());
  const auto json = nlohmann::json::parse(text.value());
  const TargetFindings& target = example().targets[1];
  EXPECT_NEAR(json["targets"][1]["total_s"]["value"].get<double>(), target.total_s->value,
              1e-8 * target.total_s->value);
  ASSERT_EQ(json["kernels"].size(), target.kernels.size());
  for (size_t i = 0; i < target.kernels.size(); ++i) {
    const auto& kernel = json["kernels"][i];
    EXPECT_EQ(kernel["name"], target.kernels[i].name);
    EXPECT_EQ(kernel["targets"]["rank"][1], target.kernels[i].rank);
    EXPECT_NEAR(kernel["targets"]["value"][1].get<double>(), target.kernels[i].estimate.value,
                1e-8 * target.kernels[i].estimate.value);
  }
  // Each column has the first target as well.
  for (const KernelFinding& k : example().targets[0].kernels) {
    const auto same = std::find_if(json["kernels"].begin(), json["kernels"].end(),
                                   [&](const auto& kernel) { return kernel["name"] == k.name; });
    ASSERT_NE(same, json["kernels"].end()) << k.name;
    EXPECT_EQ((*same)["targets"]["rank"][0], k.rank) << k.name;
    EXPECT_EQ((*same)["formula_note"].is_null(), k.formula_note.empty()) << k.name;
  }
}

TEST(ReportJson, NumbersOfProcessesAreWhole) {
  const auto text = report_json(example(), JsonLayout::kCompact);
  ASSERT_TRUE(text.ok());
  const auto json = nlohmann::json::parse(text.value());
  EXPECT_EQ(json["curve"]["sweet_spot"]["examined"].dump(), "1024");
  EXPECT_EQ(json["total_is"], "modelled");
  EXPECT_EQ(json["clock_reason"], "ranks share cores");
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
