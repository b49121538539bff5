// What a report holds beyond a prediction: verdict, evidence, traffic, provenance.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/report_json.h"
#include "report/verdict.h"
#include "tests/core/example_profile.h"
#include "tests/report/example_report.h"

namespace scalediag::report {
namespace {

const Findings& example() {
  static const Findings findings = report_findings(example_profile(), {{64}, {1024}});
  return findings;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Verdict, NamesCostCulpritAndTrust) {
  const std::vector<std::string> verdict = verdict_of(example());
  ASSERT_EQ(verdict.size(), 3u);
  EXPECT_TRUE(contains(verdict[0], "At np=1024, 64 times the largest measured scale,")) << verdict[0];
  // At 1024 ranks it takes 2 s on rank 0, longer than anything else does.
  EXPECT_TRUE(contains(verdict[1], "output::gather") && contains(verdict[1], kSerial)) << verdict[1];
  EXPECT_TRUE(contains(verdict[1], "efficiency stays at or above 50% up to np=")) << verdict[1];
  EXPECT_TRUE(contains(verdict[2], "from 2,4,8, np=16 came out")) << verdict[2];
  EXPECT_TRUE(contains(verdict[2], "a step of 2 times the processes, not one of 64")) << verdict[2];
}

TEST(Verdict, SaysWhenNothingCanBeChecked) {
  core::Profile profile = example_profile();
  std::erase_if(profile.runs, [](const core::Run& run) { return run.np > 4; });
  const std::vector<std::string> verdict = verdict_of(report_findings(profile, {{8}}));
  EXPECT_TRUE(contains(verdict[2], "too few scales")) << verdict[2];
}

TEST(Evidence, KeepsEveryMetricsPointsAndCurves) {
  const Findings& findings = example();
  for (const KernelFinding& kernel : findings.targets.front().kernels) {
    if (kernel.name != "grid::stencil") continue;
    const KernelEvidence& evidence = findings.evidence[kernel.id];
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
    return;
  }
  FAIL() << "no such kernel";
}

TEST(Evidence, RanksKernelsAtMeasuredScales) {
  // At np=2: relax 30 s, refine 10 s, stencil 5.66 s, balance 5 s in the mean.
  for (const KernelFinding& kernel : example().targets.front().kernels) {
    const std::vector<int>& ranks = example().evidence[kernel.id].measured_ranks;
    if (kernel.name == "solver::relax(double*, int)") {
      EXPECT_EQ(ranks[0], 1);
    }
    if (kernel.name == "mesh::refine") {
      EXPECT_EQ(ranks[0], 2);
    }
    if (kernel.name == "grid::stencil") {
      EXPECT_EQ(ranks[0], 3);
    }
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
  // Both targets have the same kernels in the same places.
  for (const KernelFinding& k : example().targets[0].kernels) {
    for (const auto& kernel : json["kernels"]) {
      if (kernel["name"] == k.name) {
        EXPECT_EQ(kernel["targets"]["rank"][0], k.rank);
      }
    }
  }
}

}  // namespace
}  // namespace scalediag::report
