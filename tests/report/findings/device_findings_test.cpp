// What is said of the work that devices do while a run goes by.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "report/render/text/predict_text.h"
#include "report/render/verdict.h"
#include "tests/report/findings/findings_of.h"

namespace scalediag::report {
namespace {

core::OverRanks of_ranks(int np, const std::function<double(int)>& value) {
  core::OverRanksBuilder builder;
  for (int rank = 0; rank < np; ++rank) builder.add(rank, value(rank));
  return builder.finish(np);
}

core::OverRanks same(int np, double value) {
  return of_ranks(np, [value](int) { return value; });
}

core::GpuOperation operation(const char* name, const char* kind, const char* detail, const char* caller, int np,
                             double calls, double bytes, const std::function<double(int)>& device_s) {
  core::GpuOperation o;
  o.operation = name;
  o.kind = kind;
  o.detail = detail;
  o.calls = o.timed_calls = same(np, calls);
  o.bytes = same(np, bytes);
  o.time_s = same(np, 0.01);
  o.device_s = of_ranks(np, device_s);
  core::FileSite site;
  site.function = caller;
  site.module = "synthetic";
  site.calls = o.calls;
  o.sites = {site};
  return o;
}

// The host computes 60 / P s and waits 20 / P s in advance(), 0.5 s in extra() and 0.3 s in send(). Of a rank's device
// the kernel advance takes 24 / P s, on rank 0 half as much again, and extra, of 100 launches, 0.4 s at all scales; so
// do copies of 8 MB by each of two functions, 0.1 s each.
core::Profile with_devices() {
  SyntheticApplication app;
  app.clock = core::Clock::kWall;
  const auto add = [&](const char* name, std::function<double(int, int)> time_s) {
    app.kernels.push_back({name, std::move(time_s), nullptr, 0, core::KernelKind::kGpu});
  };
  app.kernels = {{"scales", [](int np, int) { return 60.0 / np; }}};
  add("[GPU wait] advance", [](int np, int) { return 20.0 / np; });
  add("[GPU wait] extra", [](int, int) { return 0.5; });
  add("[GPU wait] send", [](int, int) { return 0.3; });
  core::Profile profile = app.profile({2, 4, 8, 16});
  for (core::Run& run : profile.runs) {
    const int np = run.np;
    const auto advance = [np](int rank) { return (rank == 0 ? 36.0 : 24.0) / np; };
    const auto always = [](double s) { return [s](int) { return s; }; };
    run.gpu = {operation("cudaLaunchKernel", "launch", "advance", "advance", np, 10, 0, advance),
               operation("cudaLaunchKernel", "launch", "extra", "extra", np, 100, 0, always(0.4)),
               operation("cudaMemcpy", "copy and wait", "host to device", "send", np, 10, 8e6, always(0.1)),
               operation("cudaMemcpyAsync", "copy", "host to device", "send", np, 10, 8e6, always(0.1))};
    run.gpu_timed_by = "events";
    run.gpu_busy = {of_ranks(np, [&](int rank) { return advance(rank) + 0.4; }),
                    same(np, 0.2),
                    of_ranks(np, [&](int rank) { return advance(rank) + 0.6; }),
                    {}};
  }
  return profile;
}

TEST(DeviceFindings, KernelsOnDevicesAreRankedByThemselvesAndNoPartOfTheRun) {
  const Findings findings = findings_of(with_devices(), {{64}});
  const TargetFindings& target = findings.targets.front();
  core::Profile without = with_devices();
  for (core::Run& run : without.runs) {
    run.gpu.clear();
    run.gpu_busy.reset();
    run.gpu_timed_by.clear();
  }
  const Findings hosts = findings_of(without, {{64}});
  EXPECT_EQ(target.run_s->value, hosts.targets.front().run_s->value);
  EXPECT_EQ(findings.backtest.kernels, hosts.backtest.kernels);
  for (const KernelFinding& k : hosts.targets.front().kernels) {
    EXPECT_EQ(finding(target, k.name).rank, k.rank) << k.name;
    EXPECT_EQ(finding(target, k.name).scales, k.scales) << k.name;
  }
  EXPECT_EQ(metrics_of(target), (std::vector<std::string>{"time_s", "device_s"}));
  // At 64 the slowest rank has 36 / 64 s of advance beside 0.4 s of extra and 0.2 s of copies.
  const char* const ranked[] = {"[on GPU] advance", "[on GPU] extra", "[on GPU] copy host to device"};
  const double seconds[] = {36.0 / 64, 0.4, 0.2};
  for (int i = 0; i < 3; ++i) {
    const KernelFinding& k = finding(target, ranked[i]);
    EXPECT_EQ(k.kind, fit::KernelKind::kDevice);
    EXPECT_EQ(k.rank, std::optional(i + 1)) << k.name;
    EXPECT_NEAR(of_slowest(k).value, seconds[i], 0.02 * seconds[i]) << k.name;
  }
  EXPECT_EQ(finding(target, "[on GPU] advance").scales, std::optional(true));
  EXPECT_EQ(finding(target, "[on GPU] extra").cause, Cause::kDeviceWork);
  const KernelFinding& copies = finding(target, "[on GPU] copy host to device");
  EXPECT_EQ(copies.cause, Cause::kTransfers) << copies.evidence;
  // 16 MB in 0.2 s.
  EXPECT_NEAR(copies.metrics.at("gpu_bytes").value, 16e6, 1);
  EXPECT_NEAR(copies.metrics.at("gpu_bandwidth").value, 80e6, 1);
}

// The function that waits is accused, by the kernel that it launched; kernels on devices are no parts of the run, which
// sentences and the first screen are about.
TEST(DeviceFindings, TheHostsWaitingNamesTheKernelOnTheDevice) {
  const Findings findings = findings_of(with_devices(), {{64}});
  const KernelFinding& waits = finding(findings.targets.front(), "[GPU wait] extra");
  EXPECT_EQ(waits.cause, Cause::kDeviceWork);
  EXPECT_NE(waits.evidence.find("[on GPU] extra as P^0.00, 400.00 ms a rank"), std::string::npos) << waits.evidence;
  for (const KernelFinding* k : stopping_kernels(findings.targets.front())) EXPECT_FALSE(overlaps_run(*k)) << k->name;
  EXPECT_EQ(stopping_kernels(findings.targets.front(), true).size(), 2);
  const std::string text = findings_text(findings, {});
  EXPECT_LT(text.find("by predicted time,"), text.find("by predicted time on devices,"));
}

TEST(DeviceFindings, EfficienciesOfDevicesAreThoseOfTalp) {
  const Findings findings = findings_of(with_devices(), {{64}});
  // At 16: the run 60 / 16 + 20 / 16 + 0.8 s, kernels 24 / 16 x (1 + 0.5 / 16) + 0.4 s, at most 36 / 16 + 0.4 s.
  const Efficiencies& e = findings.efficiencies[3];
  const double run_s = 5.8, kernels_s = 1.946875, most_s = 2.65;
  ASSERT_TRUE(e.devices);
  EXPECT_NEAR(e.devices->efficiency, kernels_s / run_s, 1e-9);
  EXPECT_NEAR(e.devices->load_balance, kernels_s / most_s, 1e-9);
  EXPECT_NEAR(e.devices->communication, most_s / (most_s + 0.2), 1e-9);
  EXPECT_NEAR(e.devices->orchestration, (most_s + 0.2) / run_s, 1e-9);
  // The host's 60 / 16 s beside 20 / 16 + 0.8 s in calls.
  EXPECT_NEAR(*e.offload_efficiency, 3.75 / 5.8, 1e-9);
  // At 64: 80 / 64 + 0.8 s, 24 / 64 x (1 + 0.5 / 64) + 0.4 s.
  const Efficiencies& predicted = findings.efficiencies.back();
  ASSERT_TRUE(predicted.predicted && predicted.devices);
  EXPECT_NEAR(predicted.devices->efficiency, 0.7779 / 2.05, 0.02);
  EXPECT_NEAR(predicted.devices->load_balance * predicted.devices->communication * predicted.devices->orchestration,
              predicted.devices->efficiency, 1e-9);
}

// At 64 devices do 36 / 64 + 0.4 + 0.2 s. Of the run, 2.05 s, the host's waiting is a part.
TEST(DeviceFindings, SharesOfKernelsOnDevicesAreOfWhatDevicesDo) {
  const TargetFindings target = findings_of(with_devices(), {{64}}).targets.front();
  EXPECT_NEAR(finding(target, "[on GPU] extra").share, 0.4 / 1.1625, 0.01);
  EXPECT_NEAR(finding(target, "[on GPU] copy host to device").share, 0.2 / 1.1625, 0.01);
  EXPECT_NEAR(finding(target, "[GPU wait] extra").share, 0.5 / 2.05, 0.01);
}

// Rank 0 waits 4 s at every scale. With the CPU clock the run is the mean rank's: at 64, 4 / 64 s of computation and
// (4 + 63 x 4 / 64) / 64 s of waiting, 0.19 s in all.
// The run is that of the mean rank, for which the others wait in it.
TEST(DeviceFindings, AShareIsAtMostTheRunAndTheSlowestRankKeepsItsTime) {
  SyntheticApplication app;
  app.kernels = {{"scales", [](int np, int) { return 4.0 / np; }},
                 {"[GPU wait] uneven", [](int np, int rank) { return rank == 0 ? 4.0 : 4.0 / np; }, nullptr, 0,
                  core::KernelKind::kGpu}};
  const TargetFindings target = findings_of(app, {{64}}).targets.front();
  const KernelFinding& uneven = finding(target, "[GPU wait] uneven");
  ASSERT_TRUE(uneven.slowest);
  EXPECT_LE(uneven.share, 1);
  EXPECT_LE(uneven.estimate.value, target.run_s->value);
  EXPECT_NEAR(uneven.slowest->value, 4, 0.4);
}

// CUPTI does not tell the direction of all copies, of which then no bytes are known.
TEST(DeviceFindings, CopiesWithoutBytesAreNoKernels) {
  core::Profile profile = with_devices();
  for (core::Run& run : profile.runs) {
    for (core::GpuOperation& o : run.gpu) o.bytes = same(run.np, 0);
  }
  const Findings findings = findings_of(profile, {{64}});
  const KernelFinding& copies = finding(findings.targets.front(), "[on GPU] copy host to device");
  EXPECT_EQ(copies.cause, Cause::kNone) << copies.evidence;
  const Findings with_bytes = findings_of(with_devices(), {{64}});
  const Efficiencies &with = with_bytes.efficiencies.back(), &without = findings.efficiencies.back();
  ASSERT_TRUE(with.devices && without.devices);
  EXPECT_DOUBLE_EQ(without.devices->communication, with.devices->communication);
  EXPECT_LT(without.devices->communication, 0.9);
}

TEST(DeviceFindings, ADeviceThatIsBusierThanTheRunHasNoEfficiency) {
  EXPECT_FALSE(core::device_efficiencies({1, 1, 2.5}, 2));
  EXPECT_FALSE(core::device_efficiencies({}, 2));
}

TEST(DeviceFindings, KernelsThatWereHardlyTimedAreLeftOut) {
  core::Profile profile = with_devices();
  for (core::Run& run : profile.runs) run.gpu[1].timed_calls = same(run.np, 94);  // of 100
  const Findings findings = findings_of(profile, {{64}});
  const auto& kernels = findings.targets.front().kernels;
  EXPECT_TRUE(std::ranges::none_of(kernels, [](const KernelFinding& k) { return k.name == "[on GPU] extra"; }));
  EXPECT_TRUE(std::ranges::any_of(findings.notes, [](const std::string& note) {
    return note.find("is not modelled for [on GPU] extra") != std::string::npos;
  }));
  EXPECT_EQ(finding(findings.targets.front(), "[on GPU] advance").scales, std::optional(true));
}

// Of 10 launches and 30 copies 10 and 20 are timed, of those of a graph, which CUPTI times by its kernels, and of a
// kernel that nothing launches none counts.
TEST(DeviceFindings, TheShareThatWasTimedIsOfCallsThatWereSeen) {
  const auto row = [](const char* name, const char* kind, const char* detail, double calls, double timed) {
    core::GpuOperation o = operation(name, kind, detail, "f", 2, calls / 2, 0, [](int) { return 0.1; });
    o.timed_calls = same(2, timed / 2);
    return o;
  };
  core::Run run;
  run.gpu_timed_by = "CUPTI";
  run.gpu = {row("cudaGraphLaunch", "launch", "[graph]", 7, 0)};
  EXPECT_DOUBLE_EQ(core::timed_share(run), 1);
  run.gpu.push_back(row("cudaLaunchKernel", "launch", "f", 6, 10));
  run.gpu.push_back(row("cuLaunchKernel", "launch", "f", 4, 0));
  run.gpu.push_back(row("cudaMemcpy", "copy and wait", "host to device", 30, 0));
  run.gpu.push_back(row("[device]", "copy", "host to device", 0, 20));
  run.gpu.push_back(row("[device]", "launch", "of a graph", 0, 70));
  EXPECT_DOUBLE_EQ(core::timed_share(run), 30.0 / 40);
  run.gpu_timed_by = "events";
  EXPECT_DOUBLE_EQ(core::timed_share(run), 30.0 / 47);
  run.gpu.clear();
  EXPECT_EQ(core::timed_share(run), 0);
}

// Of two scales of four the devices' times are known: the others have none, and no 0 either.
TEST(DeviceFindings, RunsWithoutTimesOfDevicesAreNotZero) {
  core::Profile profile = with_devices();
  for (core::Run& run : profile.runs) {
    if (run.np == 2 || run.np == 16) run.gpu_timed_by.clear();
  }
  const auto data = fit::application_data(profile);
  ASSERT_TRUE(data.ok());
  int n = 0;
  for (const fit::KernelData& kernel : data.value().kernels) {
    if (kernel.kind != fit::KernelKind::kDevice) continue;
    ++n;
    EXPECT_EQ(kernel.main_series().observations.size(), 2U) << kernel.name;
    EXPECT_EQ(kernel.critical_series().observations.size(), 2U) << kernel.name;
  }
  EXPECT_EQ(n, 3);
}

// Messages of 61 kB, whose volume stays, beside devices that are busy for 19 / P s while the host waits for them 20 / P
// s; then for all of the time in MPI, 0.6 s, as well.
TEST(DeviceFindings, MessagesWhileDevicesAreIdleAreSaidToBe) {
  const auto cause = [](double busy_in_mpi_s) {
    SyntheticApplication app = one_of_each();
    app.clock = core::Clock::kWall;
    app.kernels = {{"scales", [](int np, int) { return 60.0 / np; }},
                   {"[GPU wait] f", [](int np, int) { return 20.0 / np; }, nullptr, 0, core::KernelKind::kGpu}};
    app.operations = {{"MPI_Sendrecv", [](int np) { return 2000.0 * np; }, [](int np) { return 61440.0 * 2000 * np; },
                       [](int) { return 300e-6; }}};
    core::Profile profile = app.profile({2, 4, 8, 16});
    for (core::Run& run : profile.runs) {
      const int np = run.np;
      const auto busy = [&](int) { return 19.0 / np + busy_in_mpi_s; };
      run.gpu = {operation("cudaLaunchKernel", "launch", "f", "f", np, 10, 0, busy)};
      run.gpu_timed_by = "events";
      run.gpu_busy = {of_ranks(np, busy), same(np, 0), of_ranks(np, busy), {}};
    }
    const Findings findings = findings_of(profile, {{64}});
    return finding(findings.targets.front(), "MPI_Sendrecv").cause;
  };
  EXPECT_EQ(cause(0), Cause::kIdleDevice);
  EXPECT_EQ(cause(0.7), Cause::kVolume);
}

}  // namespace
}  // namespace scalediag::report
