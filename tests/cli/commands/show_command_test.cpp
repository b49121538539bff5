#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/inputs/show_input.h"
#include "core/profile/profile_json.h"
#include "report/render/json/show_json.h"
#include "report/render/text/show/show_text.h"
#include "tests/core/example_profile.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::cli {
namespace {

using core::ExperimentFolder;
using core::RunState;
using nlohmann::json;

core::RunEntry entry(int np, int repeat, RunState state, const std::string& reason = "") {
  core::RunEntry run;
  run.configuration = {np, {}};
  run.repeat = repeat;
  run.state = state;
  run.reason = reason;
  return run;
}

// A complete run of two ranks in which everything is computation.
core::Run run_of(int np, int repeat, double total_s, uint64_t samples) {
  core::Run run;
  run.id = core::run_id({np, {}}, repeat);
  run.np = np;
  run.repeat = repeat;
  run.complete = true;
  run.sampler = "perf";
  run.times.total_s = core::over_two_ranks(total_s, total_s);
  run.times.computation_s = core::over_two_ranks(0.5 * total_s, 1.5 * total_s);
  core::Kernel kernel;
  kernel.name = "work";
  kernel.module = "app";
  kernel.file = "/src/work.c";
  kernel.line = 7;
  kernel.samples = samples;
  kernel.metrics["time_s"] = run.times.computation_s;
  run.kernels = {kernel};
  run.samples = samples;
  run.rank_computation_s = {0.5 * total_s, 1.5 * total_s};
  run.rank_communication_s = {0, 0};
  run.rank_total_s = {total_s, total_s};
  return run;
}

class Show : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_.path()); }
  void save(const core::Experiment& experiment) const { ASSERT_TRUE(folder_.save(experiment).ok()); }
  void save(const core::Profile& profile) const {
    ASSERT_TRUE(core::write_profile(profile, folder_.profile_file()).ok());
  }
  core::Error error() const {
    const core::Result<report::ShownProfile> input = load_show_input(folder_.path());
    EXPECT_FALSE(input.ok());
    return input.ok() ? core::Error{} : input.error();
  }

  core::TemporaryFolder temporary_;
  ExperimentFolder folder_{temporary_.file("app.scalediag")};
};

report::UnmeasuredRun timed_out_run() {
  report::UnmeasuredRun run;
  run.id = "np0008.r0";
  run.configuration.np = 8;
  run.state = "failed";
  run.reason = "timed out";
  return run;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (has(line, part)) return line;
  }
  return "no line with " + part;
}

TEST_F(Show, WhatDoesNotExistIsAnInputError) {
  const core::Result<report::ShownProfile> input = load_show_input(temporary_.file("missing"));
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().code, core::ErrorCode::kInput);
  EXPECT_TRUE(has(input.error().message, "there is no file or folder"));
}

TEST_F(Show, AFolderThatIsNoExperimentIsNamed) { EXPECT_TRUE(has(error().message, "is not an experiment folder")); }

TEST_F(Show, AnEmptyExperimentHasNoRunYet) {
  save(core::Experiment());
  EXPECT_TRUE(has(error().message, "has no run yet"));
  EXPECT_TRUE(has(error().hint, "scalediag profile"));
}

TEST_F(Show, MeasuredButNotMergedGetsTheCommandThatMerges) {
  core::Experiment experiment;
  experiment.runs = {entry(2, 0, RunState::kComplete)};
  save(experiment);
  std::filesystem::create_directories(folder_.run_folder("np0002.r0"));
  std::ofstream(folder_.run_folder("np0002.r0") + "/rank00000.raw") << "data";
  EXPECT_TRUE(has(error().hint, "scalediag merge " + folder_.path())) << error().hint;
}

TEST_F(Show, WithoutACompleteRunTheReasonIsTold) {
  core::Experiment experiment;
  experiment.runs = {entry(2, 0, RunState::kFailed, "rank 1 ended by signal 11")};
  save(experiment);
  EXPECT_TRUE(has(error().message, "np0002.r0 is failed: rank 1 ended by signal 11")) << error().message;
}

TEST_F(Show, AProfileFileAloneIsEnough) {
  save(core::example_profile());
  const core::Result<report::ShownProfile> input = load_show_input(folder_.profile_file());
  ASSERT_TRUE(input.ok()) << input.error().message;
  ASSERT_EQ(input.value().unmeasured.size(), 1u);
  EXPECT_EQ(input.value().unmeasured[0].reason, "rank 1 left no file");
}

TEST_F(Show, UnmeasuredRunsAreNamedWithStateAndReason) {
  core::Experiment experiment;
  experiment.runs = {entry(2, 0, RunState::kComplete), entry(2, 1, RunState::kFailed, "timed out after 60 s"),
                     entry(4, 0, RunState::kRunning), entry(8, 0, RunState::kPlanned),
                     entry(16, 0, RunState::kComplete)};
  save(experiment);
  core::Profile profile;
  profile.runs = {run_of(2, 0, 10, 1000)};
  save(profile);
  const core::Result<report::ShownProfile> input = load_show_input(folder_.path());
  ASSERT_TRUE(input.ok());
  const std::string text = report::show_text(input.value(), {});
  EXPECT_TRUE(has(text, "failed: np0002.r1: timed out after 60 s\n")) << text;
  EXPECT_TRUE(has(text, "running: np0004.r0: it is running now, or was interrupted\n"));
  EXPECT_TRUE(has(text, "planned: np0008.r0: it has not been started\n"));
  EXPECT_TRUE(has(text, "complete: np0016.r0: its data are not in profile.json yet"));
  EXPECT_FALSE(has(text, ": np0002.r0:"));
}

TEST_F(Show, AnUnknownRunIsAUsageErrorThatNamesTheKnownOnes) {
  report::ShownProfile input{"app.scalediag", core::example_profile(), {}};
  input.unmeasured.push_back(timed_out_run());
  const core::Status unknown = select_run(input, "np0003.r0");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, core::ErrorCode::kUsage);
  EXPECT_TRUE(has(unknown.error().hint, "np0002.dt0.1.grid64.r0, np0002.dt0.1.grid64.r1")) << unknown.error().hint;
  const core::Status failed = select_run(input, "np0008.r0");
  ASSERT_FALSE(failed.ok());
  EXPECT_TRUE(has(failed.error().message, "it is failed (timed out)")) << failed.error().message;
  ASSERT_TRUE(select_run(input, "np0002.dt0.1.grid64.r1").ok());
  ASSERT_EQ(input.profile.runs.size(), 1u);
  EXPECT_EQ(input.profile.runs[0].repeat, 1);
}

TEST_F(Show, RepeatsAreAveragedAndTheirVariationTold) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 10, 1000), run_of(2, 1, 12, 1000)};
  const std::string text = report::show_text(input, {});
  // Total 11 s, CV = sqrt(2) / 11 = 12.9 %; computation 0.5 and 1.5 of it on the ranks: imbalance 50 %.
  const std::string summary = line_with(text, " 2     2 ");
  EXPECT_TRUE(has(summary, "11.000")) << text;
  EXPECT_TRUE(has(summary, "50.0%")) << text;
  EXPECT_TRUE(has(summary, "12.9%")) << text;
  const std::string kernel = line_with(text, "work.c:7");
  EXPECT_TRUE(has(kernel, "11.000  100.0%      1.50  12.9%     2000  work")) << text;
  report::ShowTextOptions each;
  each.all_repeats = true;
  const std::string apart = report::show_text(input, each);
  EXPECT_TRUE(has(apart, "np=2 repeat 0: 10.000 s")) << apart;
  EXPECT_TRUE(has(apart, "np=2 repeat 1: 12.000 s")) << apart;
}

TEST_F(Show, ValuesOfFewSamplesAreMarked) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 10, 99)};  // 1 / sqrt(99) is above 10 %
  EXPECT_TRUE(has(line_with(report::show_text(input, {}), "work.c:7"), "~10.000"));
  EXPECT_TRUE(has(report::show_text(input, {}), "~ fewer than 100 samples"));
  input.profile.runs = {run_of(2, 0, 10, 100)};
  EXPECT_FALSE(has(report::show_text(input, {}), "~"));
}

TEST_F(Show, IncompleteRunsStayOutOfTheAverages) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 10, 1000), run_of(2, 1, 90, 1000)};
  input.profile.runs[1].complete = false;
  EXPECT_TRUE(has(report::show_text(input, {}), "np=2: 10.000 s"));
  // A run that is selected by name is shown.
  ASSERT_TRUE(select_run(input, "np0002.r1").ok());
  report::ShowTextOptions with;
  with.with_incomplete = true;
  EXPECT_TRUE(has(report::show_text(input, with), "np=2: 90.000 s of CPU time per rank, INCOMPLETE"));
}

TEST_F(Show, TheRestIsSummedUp) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 10, 1000)};
  core::Kernel small = input.profile.runs[0].kernels[0];
  for (const char* name : {"b", "c"}) {
    small.name = name;
    small.samples = 300;
    small.metrics["time_s"] = core::over_two_ranks(1, 1);
    input.profile.runs[0].kernels.push_back(small);
  }
  report::ShowTextOptions options;
  options.top = 1;
  EXPECT_TRUE(has(line_with(report::show_text(input, options), "(2 more)"), "2.000   20.0%"))
      << report::show_text(input, options);
  options.top = 0;
  EXPECT_FALSE(has(report::show_text(input, options), "more)"));
}

TEST_F(Show, AWarningOfAllRunsIsToldOnce) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 10, 1000), run_of(2, 1, 10, 1000), run_of(4, 0, 5, 1000)};
  for (core::Run& run : input.profile.runs) run.warnings = {"the ranks shared cores"};
  input.profile.runs[2].warnings.push_back("2 threads were not sampled");
  const std::string text = report::show_text(input, {});
  EXPECT_TRUE(has(text, "warning: all runs: the ranks shared cores\n")) << text;
  EXPECT_TRUE(has(text, "warning: np0004.r0: 2 threads were not sampled\n")) << text;
}

TEST_F(Show, AnOperationThatNeverWaitsIsNeverBlocked) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 10, 1000)};
  core::MpiOperation o;
  o.wall_s = core::over_two_ranks(2, 2);
  o.blocked_s = core::over_two_ranks(1.5, 1.5);  // as versions before wrote it for every operation
  for (const char* name : {"MPI_Isend", "MPI_Wait"}) {
    o.operation = name;
    input.profile.runs[0].operations.push_back(o);
  }
  const std::string text = report::show_text(input, {});
  EXPECT_TRUE(has(line_with(text, "MPI_Isend"), " 2.000          -")) << text;
  EXPECT_TRUE(has(line_with(text, "MPI_Wait"), " 2.000      1.500")) << text;
}

// Only the first of two repeats ran the kernel: 4 s, of which 3 s executing and 1 s stalled, with accesses that take 2
// s one after the other. The parts beside the 2 s of the mean over both repeats are means over both as well.
TEST_F(Show, PartsOfATimeAreOfTheRepeatsThatTheTimeIsOf) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 4, 1000), run_of(2, 1, 4, 1000)};
  core::Kernel kernel = input.profile.runs[0].kernels[0];
  kernel.name = "seen_once";
  kernel.metrics["time_s"] = core::over_two_ranks(4, 4);
  kernel.resources = {{"t_comp_s", 3}, {"t_stall_s", 1}, {"t_mem_s", 2}, {"bf_mem", 0.5}, {"cpi", 0.7}, {"hz", 1e9}};
  input.profile.runs[0].kernels.push_back(kernel);
  const std::string text = report::show_text(input, {});
  const std::string why = text.substr(text.find("why: kernel"));
  // t.comp 1.5 + t.stall 0.5 = 2 s; t.mem 1 s, of which half is stalled.
  EXPECT_TRUE(has(line_with(why, "seen_once"), "1.5000   0.5000  1.0000   0.500  0.70")) << text;
  EXPECT_TRUE(has(line_with(text, "seen_once"), "2.0000")) << text;
}

// Both repeats ran it and one of them was counted: 6 s of 8 s executing; nothing is known of the other 4 s.
TEST_F(Show, PartsThatWereCountedInSomeRepeatsAreSharedOut) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 8, 1000), run_of(2, 1, 4, 1000)};
  input.profile.runs[0].kernels[0].resources = {{"t_comp_s", 6}, {"t_stall_s", 2}, {"t_mem_s", 4},
                                                {"bf_mem", 0.5}, {"cpi", 0.7},     {"hz", 1e9}};
  const std::string text = report::show_text(input, {});
  // The mean is 6 s: 6 / 8 of it executing, 1.5 s stalled, which is 0.375 of the 4 s that accesses take.
  EXPECT_TRUE(has(line_with(text.substr(text.find("why: kernel")), "work"), "4.5000   1.5000  4.0000   0.375")) << text;
  EXPECT_TRUE(has(text, "not counted in all repeats")) << text;
}

// 1 to 3 s of stalls where all accesses take 4 s; counted as stalls of every kind at most 1 s.
TEST_F(Show, ABlockingFactorThatIsNotKnownIsShownByItsBounds) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 8, 1000)};
  core::Kernel& kernel = input.profile.runs[0].kernels[0];
  kernel.resources = {{"t_comp_s", 7},  {"t_stall_s", 1},      {"t_stall_high_s", 3}, {"t_mem_s", 4},
                      {"bf_mem", 0.25}, {"bf_mem_high", 0.75}, {"cpi", 0.7},          {"hz", 1e9}};
  kernel.resource_notes = {"stalls_derived"};
  EXPECT_TRUE(has(report::show_text(input, {}), " 0.250-0.750 ")) << report::show_text(input, {});
  EXPECT_TRUE(has(report::show_text(input, {}), "BF_mem is relative")) << report::show_text(input, {});
  kernel.resources.erase("bf_mem_high");
  kernel.resource_notes = {"stalls_total"};
  EXPECT_TRUE(has(report::show_text(input, {}), " <=0.250 ")) << report::show_text(input, {});
}

TEST_F(Show, OneMissIsNoContention) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 4, 1000)};
  core::Kernel& kernel = input.profile.runs[0].kernels[0];
  kernel.resources = {{"llc_miss_ratio", 0.01}, {"t_mem_memory_s", 0.1}};
  kernel.metrics["memory_accesses"] = core::over_two_ranks(1, 1);  // of 100 accesses
  EXPECT_TRUE(has(report::show_text(input, {}), " 1.0e-02")) << report::show_text(input, {});
  EXPECT_FALSE(has(report::show_text(input, {}), "!1.0e-02"));
  kernel.metrics["memory_accesses"] = core::over_two_ranks(1e6, 1e6);
  EXPECT_TRUE(has(report::show_text(input, {}), "!1.0e-02")) << report::show_text(input, {});
  kernel.resources["t_mem_memory_s"] = 0.01;  // of 4 s
  EXPECT_FALSE(has(report::show_text(input, {}), "!1.0e-02"));
}

TEST_F(Show, TheHeaderSaysWhichRunsWereCounted) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 4, 1000), run_of(4, 0, 4, 1000)};
  for (core::Run& run : input.profile.runs) run.counters_reason = "asked for";
  report::ShowTextOptions wide;
  wide.width = static_cast<size_t>(-1);
  EXPECT_TRUE(has(report::show_text(input, wide), "counters  clock, time only (asked for)\n"))
      << report::show_text(input, wide);
  input.profile.runs[0].counters = "simulated";
  EXPECT_TRUE(has(report::show_text(input, wide),
                  "counters  simulated (asked for) in np0002.r0; clock, time only (asked for) in np0004.r0\n"))
      << report::show_text(input, wide);
  for (core::Run& run : input.profile.runs) {
    run.counters = "papi";
    run.counter_method = "events";
  }
  EXPECT_TRUE(
      has(report::show_text(input, wide), "counters  papi (asked for; each event charged by its own overflows)\n"))
      << report::show_text(input, wide);
}

TEST_F(Show, TheMachineIsNotCut) {
  report::ShownProfile input{"app", core::example_profile(), {}};
  core::MachineUsed machine;
  machine.host = "a.node.with.a.very.long.name";
  machine.created = "2026-01-02T03:04:05Z";
  machine.latency_s = {{"l1", 1e-9}, {"l2", 4e-9}, {"llc", 15e-9}, {"memory", 100e-9}};
  input.profile.machine = machine;
  std::string text = report::show_text(input, {});
  // The text continues below its beginning.
  for (size_t at = text.find("\n            "); at != text.npos; at = text.find("\n            "))
    text.replace(at, 13, " ");
  EXPECT_TRUE(has(text, "memory 100.0")) << text;
  EXPECT_TRUE(has(text, "2026-01-02T03:04:05Z")) << text;
}

TEST_F(Show, TheHeaderNamesTheStandardInput) {
  save(core::example_experiment());
  save(core::example_profile());
  const core::Result<report::ShownProfile> input = load_show_input(folder_.path());
  ASSERT_TRUE(input.ok());
  EXPECT_TRUE(has(report::show_text(input.value(), {}), "\n  stdin     in.txt\n"))
      << report::show_text(input.value(), {});
}

TEST_F(Show, AFileThatIsNoProfileGetsAHint) {
  std::ofstream(temporary_.file("notes")) << "hello";
  std::ofstream(temporary_.file("other.json")) << "{}";
  for (const char* name : {"notes", "other.json"}) {
    const core::Result<report::ShownProfile> input = load_show_input(temporary_.file(name));
    ASSERT_FALSE(input.ok());
    EXPECT_TRUE(has(input.error().hint, "profile.json")) << name;
  }
}

TEST_F(Show, WithADamagedExperimentTheProfileCanStillBeSeen) {
  save(core::example_profile());
  std::ofstream(folder_.experiment_file()) << "{";
  EXPECT_TRUE(has(error().hint, "scalediag show " + folder_.profile_file())) << error().hint;
}

// Of 3 s of the mean rank's two threads in 1.5 s, 1 s was idle; the slowest was busy for 1.25 s, the mean one for 1 s
// (example_profile.cpp).
TEST_F(Show, ThreadsOfParallelRegionsAreListed) {
  const std::string text = report::show_text({"app", core::example_profile(), {}}, {});
  EXPECT_TRUE(has(text, "in parallel regions, "));
  std::string row;
  std::istringstream lines(text.substr(std::min(text.size(), text.find("slowest/mean"))));
  while (std::getline(lines, row) && row.find("relax.cpp:44") == std::string::npos) {
  }
  std::istringstream columns(row);
  std::string elapsed, busy, cpu, idle, share, slowest, threads;
  columns >> elapsed >> busy >> cpu >> idle >> share >> slowest >> threads;
  EXPECT_EQ(share + " " + slowest + " " + threads, "33.3% 1.25 2") << text;
}

TEST_F(Show, FitsAHundredColumnsWithLongNames) {
  report::ShownProfile input{"app", core::example_profile(), {}};
  input.profile.runs[1].complete = true;
  for (core::Run& run : input.profile.runs) {
    run.parameters = {{"grid", 64}};
    run.clock = core::Clock::kCpu;
    run.kernels[0].name = "a::very<long, template<name>>::" + std::string(200, 'x') + "(int)";
    run.kernels[0].file = "/" + std::string(200, 'y') + ".cpp";
    run.kernels[0].module = std::string(100, 'z');
    run.operations[0].operation = std::string(100, 'w');
    run.warnings.clear();
  }
  std::istringstream lines(report::show_text(input, {}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  report::ShowTextOptions wide;
  wide.width = static_cast<size_t>(-1);
  EXPECT_TRUE(has(report::show_text(input, wide), std::string(200, 'x')));
}

TEST_F(Show, JsonHoldsEveryRunAndItsTimesAddUp) {
  report::ShownProfile input{"app", core::example_profile(), {}};
  input.unmeasured.push_back(timed_out_run());
  const core::Result<std::string> text = report::show_json(input);
  ASSERT_TRUE(text.ok());
  const json document = json::parse(text.value());
  EXPECT_EQ(document["schema"], "scalediag-show/1");
  ASSERT_EQ(document["runs"].size(), 2u);
  for (const json& run : document["runs"]) {
    const double parts = run["computation_s"].get<double>() + run["communication_s"].get<double>() +
                         run["others_s"].get<double>() + run["unattributed_s"].get<double>();
    EXPECT_NEAR(run["total_s"].get<double>(), parts, 1e-9);
  }
  const json& run = document["runs"][0];
  EXPECT_EQ(run["np"], 2);
  EXPECT_EQ(run["parameters"], json({{"grid", 64.0}, {"dt", 0.1}}));
  EXPECT_EQ(run["repeat"], 0);
  EXPECT_EQ(run["complete"], true);
  EXPECT_EQ(run["clock"], "wall");
  EXPECT_EQ(run["counters"], "papi");
  EXPECT_EQ(run["total_s"], 10.0);
  EXPECT_EQ(run["computation_s"], 7.0);  // (6 + 8) / 2
  EXPECT_EQ(run["lost_samples"], 3);
  EXPECT_EQ(run["cv"], nullptr);  // its repeat is not complete
  const json& kernel = run["kernels"][0];
  EXPECT_EQ(kernel["module"], "heat");
  EXPECT_EQ(kernel["line"], 42);
  EXPECT_EQ(kernel["time_s"], json({{"sum", 5.9 + 7.9}, {"mean", (5.9 + 7.9) / 2}, {"min", 5.9}, {"max", 7.9}}));
  EXPECT_TRUE(kernel["metrics"].contains("cpu_s"));
  const json& operation = run["mpi"][0];
  EXPECT_EQ(operation["operation"], "MPI_Allreduce");
  EXPECT_EQ(operation["calls"], 200.0);  // 100 on each rank
  EXPECT_EQ(operation["bytes"], 1600.0);
  EXPECT_EQ(operation["time_s"]["max"], 3.0);
  EXPECT_EQ(document["runs"][1]["complete"], false);
  EXPECT_EQ(document["unmeasured"][0]["reason"], "timed out");
}

TEST_F(Show, JsonHoldsTheLargestWhereThatIsAskedFor) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 10, 1000)};
  core::Run& run = input.profile.runs[0];
  run.kernels.resize(3, run.kernels[0]);
  for (size_t i = 0; i < 3; ++i) run.kernels[i].name = std::string(1, static_cast<char>('a' + i));
  run.operations.resize(2);
  const json two = json::parse(report::show_json(input, 2).value())["runs"][0];
  ASSERT_EQ(two["kernels"].size(), 2u);
  EXPECT_EQ(two["kernels"][1]["name"], "b");
  EXPECT_EQ(two["kernels_left_out"], 1);
  EXPECT_EQ(two["mpi"].size(), 2u);
  EXPECT_EQ(two["mpi_left_out"], 0);
  const json all = json::parse(report::show_json(input).value())["runs"][0];
  EXPECT_EQ(all["kernels"].size(), 3u);
  EXPECT_EQ(all["kernels_left_out"], 0);
}

TEST_F(Show, JsonTellsTheVariationOverRepeats) {
  report::ShownProfile input{"app", {}, {}};
  input.profile.runs = {run_of(2, 0, 10, 1000), run_of(2, 1, 12, 1000)};
  const json document = json::parse(report::show_json(input).value());
  for (const json& run : document["runs"]) {
    EXPECT_DOUBLE_EQ(run["cv"].get<double>(), std::sqrt(2.0) / 11);
    EXPECT_DOUBLE_EQ(run["kernels"][0]["cv"].get<double>(), std::sqrt(2.0) / 11);
  }
  ASSERT_EQ(document["configurations"].size(), 1u);
  EXPECT_EQ(document["configurations"][0]["stable"], false);
  EXPECT_EQ(document["configurations"][0]["runs"], json({"np0002.r0", "np0002.r1"}));
}

}  // namespace
}  // namespace scalediag::cli
