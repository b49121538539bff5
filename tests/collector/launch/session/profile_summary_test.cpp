#include "collector/launch/session/profile_summary.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

core::Run run(int np, int repeat, double total_s) {
  core::Run r;
  r.id = "np" + std::to_string(np) + ".r" + std::to_string(repeat);
  r.np = np;
  r.repeat = repeat;
  r.complete = true;
  r.clock = core::Clock::kCpu;
  r.clock_reason = "why";
  r.sampler = "perf";
  r.times.total_s.mean = total_s;
  r.times.computation_s.mean = total_s / 2;
  r.times.communication_s.mean = total_s / 4;
  r.times.others_s.mean = total_s / 8;
  return r;
}

TEST(ProfileSummary, HasALineAConfigurationWithMeansOverRepeats) {
  const std::string table = configuration_table({run(2, 0, 3), run(2, 1, 5), run(4, 0, 2)});
  // Total of np=2: (3 + 5) / 2 = 4; computation 2, communication 1. CV: sqrt(2) / 4 = 35.4 %.
  EXPECT_NE(table.find("np=2"), std::string::npos) << table;
  EXPECT_NE(table.find("4.0000"), std::string::npos) << table;
  EXPECT_NE(table.find("35.4%"), std::string::npos) << table;
  EXPECT_NE(table.find("np=4"), std::string::npos) << table;
  // Others: 4 / 8. Without them the parts of very short programs would not come near the total.
  EXPECT_NE(table.find("others"), std::string::npos) << table;
  EXPECT_NE(table.find("0.5000"), std::string::npos) << table;
  EXPECT_EQ(configuration_table({}), "");
}

// The ended run took 3 s, extended; with the whole one, of 5 s, the mean would be 4.
TEST(ProfileSummary, LeavesTheWholeRunBesideAnEndedOneOut) {
  core::Run ended = run(2, 1, 3);
  ended.cut = core::CutRounds{4, 39, 1};
  const std::string table = configuration_table({run(2, 0, 5), ended});
  EXPECT_NE(table.find("3.0000"), std::string::npos) << table;
  EXPECT_EQ(table.find("4.0000"), std::string::npos) << table;
}

TEST(ProfileSummary, TellsThatThreeScalesAreFew) {
  EXPECT_EQ(few_scales_text({run(2, 0, 3), run(2, 1, 3)}), "");
  EXPECT_NE(few_scales_text({run(2, 0, 3), run(4, 0, 3), run(8, 0, 3)}).find("3 numbers of processes are few"),
            std::string::npos);
  EXPECT_EQ(few_scales_text({run(2, 0, 3), run(4, 0, 3), run(8, 0, 3), run(16, 0, 3)}), "");
}

TEST(ProfileSummary, CallsCpuTimeThat) {
  EXPECT_NE(configuration_table({run(2, 0, 3)}).find("CPU time per rank [s]"), std::string::npos);
  core::Run wall = run(2, 0, 3);
  wall.clock = core::Clock::kWall;
  EXPECT_EQ(configuration_table({wall}).find("CPU time"), std::string::npos);
}

TEST(ProfileSummary, SaysHowItWasMeasured) {
  core::Run a = run(2, 0, 1);
  a.sampling_rate_hz = 249.99994;  // a period is a whole number of ns
  EXPECT_EQ(measurement_line({a, a}), "clock: CPU time (why); sampler: perf at 250 Hz");
  core::Run b = a;
  b.sampler = "timer";
  b.sampling_rate_hz = 100;
  EXPECT_EQ(measurement_line({a, b, a}), "clock: CPU time (why); sampler: perf at 250 Hz, timer at 100 Hz");
  core::Run unsampled = a;
  unsampled.sampler = "none";
  EXPECT_EQ(measurement_line({unsampled}), "clock: CPU time (why); sampler: none");
  EXPECT_EQ(measurement_line({run(2, 0, 1)}), "clock: CPU time (why); sampler: perf");  // a run without samples
}

TEST(ProfileSummary, LastWordsAreTheProgramsOwn) {
  const core::TemporaryFolder folder;
  const auto write = [&folder](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() + name) << text;
  };
  const std::string rule(74, '-');
  ASSERT_EQ(last_output(folder.path()), "");
  write("/stdout.log", "step 1\n");
  write("/stderr.log", rule + "\nmpirun detected that\n" + rule + "\n");
  EXPECT_EQ(last_output(folder.path()), "  | step 1\n");
  write("/stderr.log", "1\n2\n3\n\n4\n5\n6\n" + rule + "\nmpirun\n" + rule + "\n");
  EXPECT_EQ(last_output(folder.path()), "  | 2\n  | 3\n  | 4\n  | 5\n  | 6\n");
}

TEST(ProfileSummary, SaysAWarningOnce) {
  core::Run a = run(2, 0, 1);
  core::Run b = run(2, 1, 1);
  a.warnings = {"few samples"};
  b.warnings = {"few samples", "lost samples"};
  EXPECT_EQ(collect_warnings({a, b}),
            (std::vector<std::string>{"few samples (np2.r0 and 1 more)", "lost samples (np2.r1)"}));
}

TEST(ProfileSummary, NamesTheWorstKernelThatSamplingDoesNotExplain) {
  NoisyConfiguration noisy{"np=2", {}, 5};
  noisy.stability.run_cv = 0.08;
  noisy.stability.noisy = {{"rare", 0.5, 0.2, 0.2, true}, {"solve", 0.25, 0.125, 0.01, false}};
  EXPECT_EQ(describe_noise(noisy, 0.05),
            "np=2 varies by 8.0% over 5 repeats, its solve (25.0% of the time) by 12.5%; the target is 5.0%");
}

}  // namespace
}  // namespace scalediag::launch
