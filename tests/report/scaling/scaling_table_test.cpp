#include "report/scaling/scaling_table.h"

#include <gtest/gtest.h>

#include "core/profile/region_profile.h"
#include "fit/profile/profile_data.h"
#include "report/findings/application_findings.h"
#include "report/proposal/job_choice.h"
#include "report/proposal/scaling_table_text.h"
#include "tests/report/scaling/elapsed_runs.h"

namespace scalediag::report {
namespace {

std::vector<ScalingTable> tables_of(const core::Profile& profile, const ScalingTableOptions& options = {},
                                    const std::string& launcher = "mpirun -n {np} {command}") {
  const ModelledRuns runs = modelled(profile, 64);
  core::Experiment experiment = four_cores_a_node();
  experiment.launcher = launcher;
  return scaling_tables(profile, &experiment, runs.data, runs.findings, options);
}

TEST(ScalingTable, SpeedupAndEfficiencyAreOverTheSmallestRun) {
  const auto tables = tables_of(on_nodes({1, 2, 4, 8}));
  ASSERT_EQ(tables.size(), 1U);
  ASSERT_EQ(tables[0].rows.size(), 5U);
  const ScalingRow& row = tables[0].rows[3];
  // T(4) = 41 s, T(32) = 6 s.
  EXPECT_NEAR(row.speedup->value, 41.0 / 6, 1e-9);
  EXPECT_NEAR(row.efficiency->value, 41.0 / 6 / 8, 1e-9);
  EXPECT_FALSE(row.predicted);
  EXPECT_TRUE(tables[0].rows[4].predicted);
  // 64 cores on nodes of 4.
  EXPECT_EQ(tables[0].rows[4].nodes, std::optional(16.0));
}

TEST(ScalingTable, AJobIsChargedWholeNodes) {
  // One rank a core, but every run on 8 nodes: 8 x 41 s, 8 x 21 s, 8 x 11 s, 8 x 6 s. The cheapest is the largest,
  // although by cores the smallest would be.
  const auto tables = tables_of(on_nodes({8, 8, 8, 8}), {.measured_only = true});
  EXPECT_NEAR(tables[0].rows[0].node_hours->value, 8 * 41.0 / 3600, 1e-9);
  EXPECT_NEAR(tables[0].rows[3].node_hours->value, 8 * 6.0 / 3600, 1e-9);
  EXPECT_EQ(job_choices(tables[0], 0.7).cheapest, &tables[0].rows[3]);
}

TEST(ScalingTable, NodesOfAnotherMachineAreCountedByItsCores) {
  // 4, 8, 16 and 32 cores on nodes of 16: 1, 1, 1 and 2.
  const auto tables = tables_of(on_nodes({1, 2, 4, 8}), {.cores_per_node = 16, .measured_only = true});
  EXPECT_TRUE(tables[0].other_nodes);
  EXPECT_EQ(tables[0].rows[2].nodes, std::optional(1.0));
  EXPECT_EQ(tables[0].rows[3].nodes, std::optional(2.0));
}

TEST(ScalingTable, NothingIsMadeOfElapsedTimesOnSharedCores) {
  // 16 and 32 ranks on 2 nodes of 4 cores.
  const auto tables = tables_of(on_nodes({1, 2, 2, 2}));
  ASSERT_EQ(tables[0].rows.size(), 4U);  // no prediction
  EXPECT_FALSE(tables[0].rows[1].doubt);
  EXPECT_TRUE(tables[0].rows[1].speedup);
  for (const size_t i : {2U, 3U}) {
    EXPECT_EQ(tables[0].rows[i].doubt, Doubt::kSharedCores);
    EXPECT_FALSE(tables[0].rows[i].speedup);
    EXPECT_FALSE(tables[0].rows[i].efficiency);
    EXPECT_FALSE(tables[0].rows[i].node_hours);
  }
  // By node-hours of rows without a doubt: 1 x 41 s against 2 x 21 s.
  EXPECT_EQ(job_choices(tables[0], 0.7).cheapest, &tables[0].rows[0]);
}

TEST(ScalingTable, NothingIsComparedWithABaseBesideOtherPrograms) {
  core::Profile profile = on_nodes({1, 2, 4, 8});
  be_off_cpu(profile.runs[0]);
  const auto tables = tables_of(profile);
  EXPECT_EQ(tables[0].rows[0].doubt, Doubt::kOtherPrograms);
  for (const ScalingRow& row : tables[0].rows) EXPECT_FALSE(row.speedup);
  EXPECT_EQ(job_choices(tables[0], 0.7).efficient, nullptr);
}

TEST(ScalingTable, WaitingForFilesIsNoDoubt) {
  core::Profile profile = on_nodes({1, 2, 4, 8});
  be_off_cpu(profile.runs[0]);
  core::FileOperation read;
  read.operation = "read";
  read.time_s.mean = 4;  // of 41 s
  read.bytes.sum = 1e9;
  profile.runs[0].files.push_back(read);
  const auto tables = tables_of(profile);
  EXPECT_FALSE(tables[0].rows[0].doubt);
  EXPECT_EQ(tables[0].rows[0].read_bytes, 1e9);
  EXPECT_EQ(tables[0].rows[0].written_bytes, 0);
}

TEST(ScalingTable, SleepingIsNoDoubtAndWaitingForACoreIs) {
  for (const double asleep_s : {4.0, 1.0}) {
    core::Profile profile = on_nodes({1, 2, 4, 8});
    be_off_cpu(profile.runs[0]);
    profile.runs[0].times.asleep_s.emplace().mean = asleep_s;
    // Of 41 s a rank waited for a core for 0.1 s, or for 3.1 s.
    EXPECT_EQ(tables_of(profile)[0].rows[0].doubt.has_value(), asleep_s == 1);
  }
}

TEST(ScalingTable, RepeatsThatVaryMuchAreInDoubt) {
  core::Profile profile = on_nodes({1, 2, 4, 8});
  // 21 s and 42 s: a coefficient of variation of 0.47.
  core::Run again = profile.runs[1];
  again.repeat = 1;
  again.id = core::run_id({again.np, {}}, 1);
  for (core::OverRanks* value : {&again.times.total_s, &again.times.computation_s}) {
    value->sum *= 2;
    value->mean *= 2;
    value->min *= 2;
    value->max *= 2;
  }
  for (core::Kernel& kernel : again.kernels) {
    for (auto& [name, value] : kernel.metrics)
      value = {2 * value.sum, 2 * value.mean, 2 * value.min, 2 * value.max, 0, 0};
  }
  profile.runs.insert(profile.runs.begin() + 2, again);
  const auto tables = tables_of(profile);
  EXPECT_EQ(tables[0].rows[1].doubt, Doubt::kNoise);
  EXPECT_FALSE(tables[0].rows[1].efficiency);
  EXPECT_TRUE(tables[0].rows[2].efficiency);
}

TEST(ScalingTable, CpuTimesGiveNoSpeedupAndNoCost) {
  core::Profile profile = on_nodes({1, 2, 4, 8});
  for (core::Run& run : profile.runs) run.clock = core::Clock::kCpu;
  const auto tables = tables_of(profile, {.measured_only = true});
  for (const ScalingRow& row : tables[0].rows) {
    EXPECT_FALSE(row.speedup);
    EXPECT_FALSE(row.node_hours);
    EXPECT_TRUE(row.efficiency);
  }
  const JobChoices choices = job_choices(tables[0], 0.7);
  EXPECT_EQ(choices.cheapest, nullptr);
  EXPECT_EQ(choices.fastest, nullptr);
  EXPECT_NE(choices.efficient, nullptr);
  EXPECT_FALSE(budget_of(tables[0], *choices.efficient, {.jobs = 10}));
}

TEST(ScalingTable, NodesOfCpuTimesAreThoseThatAJobNeeds) {
  // All runs shared one machine; 4, 8, 16 and 32 ranks with a core each need 1, 2, 4 and 8 nodes of 4 cores, and 64
  // need 16.
  core::Profile profile = on_nodes({1, 1, 1, 1});
  for (core::Run& run : profile.runs) run.clock = core::Clock::kCpu;
  const auto tables = tables_of(profile, {.cores_per_node = 4});
  ASSERT_EQ(tables[0].rows.size(), 5U);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(tables[0].rows[i].nodes, std::optional(double(1U << i)));
}

// A laptop's cores are no node's.
TEST(ScalingTable, RunsOnOneMachineTellNothingOfNodesAndTheirCost) {
  for (const core::Clock clock : {core::Clock::kWall, core::Clock::kCpu}) {
    core::Profile profile = on_nodes({1, 1, 1, 1});
    for (core::Run& run : profile.runs) run.clock = clock;
    const auto tables = tables_of(profile);
    EXPECT_EQ(tables[0].cores_per_node, 0);
    for (const ScalingRow& row : tables[0].rows) EXPECT_FALSE(row.nodes || row.node_hours || row.core_hours);
    const DocumentTable text = scaling_table_text(tables[0]);
    for (const DocumentColumn& column : text.columns) {
      EXPECT_EQ(column.title.find("node"), std::string::npos) << column.title;
      EXPECT_EQ(column.title.find("hours"), std::string::npos) << column.title;
    }
  }
}

TEST(ScalingTable, NodesAreKnownFromSlurmOrWhereTheyAreSaid) {
  const core::Profile profile = on_nodes({1, 1, 1, 1});
  EXPECT_TRUE(tables_of(profile, {}, "srun -n {np} {command}")[0].rows[0].node_hours);
  // 4 and 8 ranks on nodes of 3.
  const auto said = tables_of(profile, {.ranks_per_node = 3});
  EXPECT_EQ(said[0].rows[0].nodes, std::optional(2.0));
  EXPECT_EQ(said[0].rows[1].nodes, std::optional(3.0));
}

TEST(ScalingTable, TimesAreOfTheRegionAndJobsAreWhole) {
  // Runs of 160/P + 1 s, in which the loop takes 160/P s.
  core::Profile profile = on_nodes({1, 2, 4, 8});
  for (core::Run& run : profile.runs) {
    core::Region loop;
    loop.name = core::kMainLoop;
    const double s = 160.0 / run.np;
    loop.elapsed_s = loop.cpu_s = loop.computation_s = {160, s, s, s, 0, 0};
    loop.count = {100.0 * run.np, 100, 100, 100, 0, 0};
    run.regions = {loop};
  }
  const auto of_region = core::profile_of_region(profile, core::kMainLoop);
  ASSERT_TRUE(of_region.ok());
  const auto data = fit::application_data(profile), region_data = fit::application_data(of_region.value());
  const auto model = fit::fit_application(data.value()), region_model = fit::fit_application(region_data.value());
  FindingsOptions how;
  how.scaling = Scaling::kStrong;
  how.profile = &profile;
  const Findings findings = application_findings(model.value(), {{64}}, how);
  const Findings region_findings = application_findings(region_model.value(), {{64}}, how);
  const TableRegion region{core::kMainLoop, region_data.value(), region_findings};
  const core::Experiment experiment = four_cores_a_node();
  const auto tables = scaling_tables(profile, &experiment, data.value(), findings, {}, &region);
  const ScalingRow& row = tables[0].rows[3];
  EXPECT_NEAR(row.time_s.value, 5, 1e-9);
  EXPECT_NEAR(row.speedup->value, 8, 1e-9);
  EXPECT_NEAR(row.efficiency->value, 1, 1e-9);
  EXPECT_NEAR(row.start_end_s->value, 1, 1e-9);
  EXPECT_NEAR(row.node_hours->value, 8 * 6.0 / 3600, 1e-9);
  // At 64 processes 2.5 s of 3.5 s; the job is predicted by models of the run.
  EXPECT_TRUE(tables[0].rows[4].predicted);
  EXPECT_NEAR(tables[0].rows[4].time_s.value, 2.5, 0.05);
  EXPECT_NEAR(tables[0].rows[4].job_s->value, 3.5, 0.2);
  // Ten times the steps: 6 s and nine loops of 5 s.
  const auto budget = budget_of(tables[0], row, {.jobs = 1, .steps = 1000, .measured_steps = 100});
  EXPECT_NEAR(budget->job_s.value, 51, 1e-9);
}

TEST(Budget, IsJobsTimesNodeHoursOfTheirSteps) {
  ScalingRow row;
  row.time_s = {100, 90, 110};
  row.start_end_s = Bounded{20, 20, 20};
  row.job_s = Bounded{120, 110, 130};
  row.node_hours = Bounded{2 * 120 / 3600.0, 2 * 110 / 3600.0, 2 * 130 / 3600.0};  // two nodes
  // Ten times the steps: 20 + 1000 s on two nodes; 5 jobs; two periods.
  const auto budget = budget_of({}, row, {.jobs = 5, .steps = 1000, .measured_steps = 100, .periods = 2});
  ASSERT_TRUE(budget);
  EXPECT_NEAR(budget->job_s.value, 1020, 1e-9);
  EXPECT_NEAR(budget->cost.value, 5 * 2 * 1020 / 3600.0, 1e-9);
  EXPECT_NEAR(*budget->cost.low, 5 * 2 * 920 / 3600.0, 1e-9);
  EXPECT_NEAR(budget->period_cost.value, 5 * 1020 / 3600.0, 1e-9);
}

TEST(Ratio, ErrorsOfBothAreIndependent) {
  // 10 (8 to 12.5) over 5 (4 to 6.25): factors of 1.25 each, together exp(sqrt(2) ln 1.25) = 1.371.
  const Bounded ratio = ratio_of({10, 8, 12.5}, {5, 4, 6.25});
  EXPECT_NEAR(ratio.value, 2, 1e-12);
  EXPECT_NEAR(*ratio.low, 2 / 1.3711, 1e-3);
  EXPECT_NEAR(*ratio.high, 2 * 1.3711, 1e-3);
  EXPECT_FALSE(ratio_of({10, {}, {}}, {5, 4, 6}).low);
}

}  // namespace
}  // namespace scalediag::report
