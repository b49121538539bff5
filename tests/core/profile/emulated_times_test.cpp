#include "core/profile/emulated_times.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/profile/off_cpu.h"
#include "core/profile/profile_check.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::core {
namespace {

OverRanks of(double a, double b) {
  return {a + b, (a + b) / 2, std::min(a, b), std::max(a, b), a <= b ? 0 : 1, a >= b ? 0 : 1};
}

MpiClass calls_of(double bytes_from, double bytes_to, double bytes) {
  MpiClass c;
  c.communicator_size = 2;
  c.bytes_from = bytes_from;
  c.bytes_to = bytes_to;
  c.calls = of(1, 1);
  c.bytes = of(bytes, bytes);
  c.wall_s = of(9, 9);
  c.shortest_call_s = c.longest_call_s = 9;
  return c;
}

// Two ranks that computed 2 and 1 s of CPU time, and were in MPI_Send for 9 s a call.
Run sampled_run() {
  Run run;
  run.id = "np0002.r0";
  run.np = 2;
  run.complete = true;
  run.times.computation_s = of(2, 1);
  run.times.communication_s = of(18, 18);
  run.times.total_s = of(20, 19);
  run.times.asleep_s = of(0, 1);
  Kernel kernel;
  kernel.name = "work";
  kernel.metrics["time_s"] = of(2, 1);
  run.kernels = {kernel};
  MpiOperation send;
  send.operation = "MPI_Send";
  send.classes = {calls_of(8, 15, 8), calls_of(1024, 2047, 2000)};
  send.calls = of(2, 2);
  send.bytes = of(2008, 2008);
  send.time_s = send.wall_s = of(18, 18);
  for (const MpiClass& c : send.classes) {
    MpiSite site;
    site.function = c.bytes_from < 1024 ? "small" : "large";
    site.classes = {c};
    site.calls = c.calls;
    site.bytes = c.bytes;
    send.sites.push_back(site);
  }
  run.operations = {send};
  run.samples = 1000;
  Region named;
  named.name = "step";
  named.parent = "run";
  named.source = "MPI_Pcontrol";
  named.count = of(1, 1);
  named.elapsed_s = of(20, 19);
  Region of_threads = named, loop = named;
  of_threads.of_other_threads = true;
  loop.name = kMainLoop;
  run.regions = {loop, named, of_threads};
  run.rank_computation_s = {2, 1};
  run.rank_communication_s = {18, 18};
  run.rank_total_s = {20, 19};
  return run;
}

EmulatedTimes emulated() {
  EmulatedTimes times;
  times.on = {"ours", 2};
  times.computation_s = {3.8, 3};
  times.slept_s = {0, 1};
  times.regions = {{"run", "step", {2, 1}, {3, 2}, {1, 0.5}}, {"", "step", {9, 9}, {9, 9}, {9, 9}}};
  times.calls = {{"MPI_Send", 2, 1024, {3, 1}, {1, 0}, 3}, {"MPI_Barrier", 2, 0, {0.5, 0.5}, {0, 0}, 0.5}};
  return times;
}

TEST(EmulatedTimes, TakeThePlaceOfThoseOfThisMachine) {
  core::Run run = sampled_run();
  put_emulated_times(emulated(), run);
  // The ranks were emulated as awake for 3.8 + 2 s, of which the only function has all; it was sampled for 3 s, which
  // the factor makes 6: the rest of 3 % is no reason to warn.
  EXPECT_DOUBLE_EQ(run.kernels[0].metrics["time_s"].sum, 5.8);
  EXPECT_TRUE(run.warnings.empty());
  EXPECT_DOUBLE_EQ(off_cpu_s(run), 0.5);
  EXPECT_EQ(run.rank_computation_s, (std::vector<double>{3.8, 3}));
  EXPECT_DOUBLE_EQ(run.times.computation_s.sum, 6.8);
  EXPECT_DOUBLE_EQ(run.times.communication_s.sum, 5);
  // 3.8 + 3.5, and 3 + 1.5
  EXPECT_EQ(run.rank_total_s, (std::vector<double>{7.3, 4.5}));
  EXPECT_DOUBLE_EQ(run.times.total_s.max, 7.3);
  EXPECT_EQ(run.clock, Clock::kWall);
  ASSERT_TRUE(run.emulated);
  EXPECT_EQ(run.emulated->network, "ours");
  Profile profile;
  profile.runs = {run};
  EXPECT_EQ(find_impossible(profile).value_or("possible"), "possible");
}

// A third of what is sampled waits for threads, so that a third of the emulated time is waiting: of ranks that are
// awake for 3.8 and 2 s.
TEST(EmulatedTimes, WaitingOfThreadsKeepsItsShare) {
  core::Run run = sampled_run();
  run.times.openmp_waiting_s = of(1, 0.5);
  put_emulated_times(emulated(), run);
  EXPECT_NEAR(run.times.openmp_waiting_s.sum, 5.8 / 3, 1e-12);
  EXPECT_NEAR(run.times.computation_s.sum, 1 + 5.8 * 2 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(run.times.total_s.max, 7.3);
}

TEST(EmulatedTimes, SamplesThatSayOtherwiseAreToldAndNoSamplesAreUnattributed) {
  core::Run run = sampled_run();
  EmulatedTimes times = emulated();
  times.computation_s = {7.6, 5};  // 11.6 s awake, and not 6
  put_emulated_times(times, run);
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_NE(run.warnings[0].find("is 0.517 times the emulated computation"), std::string::npos);

  run = sampled_run();
  run.kernels.clear();
  run.times.computation_s = of(0, 0);
  put_emulated_times(emulated(), run);
  EXPECT_DOUBLE_EQ(run.times.computation_s.sum, 1);  // what slept
  EXPECT_DOUBLE_EQ(run.times.unattributed_s.sum, 5.8);
  EXPECT_DOUBLE_EQ(run.times.total_s.max, 7.3);
}

TEST(EmulatedTimes, RegionsOfTheMainThreadHaveTheirTime) {
  core::Run run = sampled_run();
  put_emulated_times(emulated(), run);
  ASSERT_EQ(run.regions.size(), 1U);
  const Region& step = run.regions[0];
  EXPECT_EQ(step.source, "MPI_Pcontrol");
  EXPECT_DOUBLE_EQ(step.count.max, 2);
  EXPECT_DOUBLE_EQ(step.elapsed_s.max, 3);
  EXPECT_DOUBLE_EQ(step.communication_s.sum, 1.5);
  EXPECT_DOUBLE_EQ(step.computation_s.sum, 3.5);
}

TEST(EmulatedTimes, CallsOfASizeAreThoseOfItsSites) {
  core::Run run = sampled_run();
  put_emulated_times(emulated(), run);
  ASSERT_EQ(run.operations.size(), 2U);
  const MpiOperation& send = run.operations[0];
  EXPECT_EQ(send.operation, "MPI_Send");
  EXPECT_DOUBLE_EQ(send.time_s.sum, 4);
  EXPECT_DOUBLE_EQ(send.blocked_s.sum, 1);
  EXPECT_DOUBLE_EQ(send.classes[0].wall_s.sum, 0);
  EXPECT_DOUBLE_EQ(send.classes[1].wall_s.max, 3);
  EXPECT_DOUBLE_EQ(send.classes[1].shortest_call_s, 1.5);  // (4 - 1) / 2
  EXPECT_DOUBLE_EQ(send.classes[1].longest_call_s, 3);
  EXPECT_EQ(send.sites[0].function, "large");
  EXPECT_DOUBLE_EQ(send.sites[0].time_s.sum, 4);
  EXPECT_DOUBLE_EQ(send.sites[1].time_s.sum, 0);
  // Calls that the profile does not know keep their time.
  EXPECT_EQ(run.operations[1].operation, "MPI_Barrier");
  EXPECT_DOUBLE_EQ(run.operations[1].time_s.mean, 0.5);
}

// A size that the profile has not is shared by the calls on its communicator: half each.
TEST(EmulatedTimes, AnUnknownSizeIsSharedByCalls) {
  core::Run run = sampled_run();
  EmulatedTimes times = emulated();
  times.calls[0].bytes = 1 << 20;
  put_emulated_times(times, run);
  EXPECT_DOUBLE_EQ(run.operations[0].classes[0].wall_s.sum, 2);
  EXPECT_DOUBLE_EQ(run.operations[0].classes[1].wall_s.sum, 2);
}

TEST(EmulatedTimes, ComeBackFromTheirFile) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_emulated_times(folder.path(), 2).value());
  ASSERT_TRUE(write_emulated_times(emulated(), folder.path()));
  const auto read = read_emulated_times(folder.path(), 2);
  ASSERT_TRUE(read.ok());
  ASSERT_TRUE(read.value());
  EXPECT_EQ(read.value()->on.cpu_factor, 2);
  EXPECT_EQ(read.value()->slept_s, emulated().slept_s);
  EXPECT_EQ(read.value()->computation_s, emulated().computation_s);
  ASSERT_EQ(read.value()->regions.size(), 2U);
  EXPECT_EQ(read.value()->regions[0].parent, "run");
  EXPECT_EQ(read.value()->regions[0].communication_s, emulated().regions[0].communication_s);
  ASSERT_EQ(read.value()->calls.size(), 2U);
  EXPECT_EQ(read.value()->calls[0].wall_s, emulated().calls[0].wall_s);
  EXPECT_EQ(read.value()->calls[0].blocked_s, emulated().calls[0].blocked_s);
  EXPECT_FALSE(read_emulated_times(folder.path(), 3).ok());
  EmulatedTimes in_no_time = emulated();
  in_no_time.on.cpu_factor = 0;
  ASSERT_TRUE(write_emulated_times(in_no_time, folder.path()));
  EXPECT_NE(read_emulated_times(folder.path(), 2).error().message.find("cpu_factor: expected a number above 0"),
            std::string::npos);
  std::ofstream(folder.path() + "/emulated.json") << "{\"schema\": \"scalediag-emulated/3\"}";
  EXPECT_FALSE(read_emulated_times(folder.path(), 2).ok());
}

}  // namespace
}  // namespace scalediag::core
