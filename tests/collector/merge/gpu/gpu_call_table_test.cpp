#include "collector/merge/gpu/gpu_call_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/raw/gpu_functions.h"
#include "tests/collector/merge/merged_run.h"

namespace scalediag::merge {
namespace {

constexpr auto kLaunch = static_cast<uint32_t>(raw::GpuCallKind::kLaunch);
constexpr auto kWait = static_cast<uint32_t>(raw::GpuCallKind::kWait);
constexpr auto kCopyWait = static_cast<uint32_t>(raw::GpuCallKind::kCopyWait);

struct Calls {
  raw::GpuPlace place;
  raw::GpuPlaceTotals totals;
};

// As finished_file(), with these calls. The frames lie in kAppModule, which has no symbols.
std::string file_with(const RankLife& life, const std::vector<Calls>& calls, const raw::GpuUse& use) {
  RawFileBuilder b = unfinished_file(life);
  Payload places = b.payload(), totals = b.payload(), of_use = b.payload();
  places.u32(static_cast<uint32_t>(calls.size()));
  totals.u32(static_cast<uint32_t>(calls.size()));
  for (const auto& [p, t] : calls) {
    places.u32(p.place).text(p.function).u32(p.kind).text(p.detail).u32(p.in_mpi).u32(p.epoch);
    places.u32(static_cast<uint32_t>(p.frames.size()));
    for (const uint64_t frame : p.frames) places.u64(frame);
    totals.u32(t.place).u64(t.calls).u64(t.bytes).u64(t.main_ticks).u64(t.other_ticks).u64(t.device_ns);
    totals.u64(t.timed_calls);
  }
  of_use.text(use.visible).text(use.device).text(use.timed_by).text(use.problem);
  b.chunk(40, places).chunk(41, totals).chunk(42, of_use);
  const uint64_t cpu = life.cpu + kSecond / 4;
  b.clock({raw::Phase::kExit, 12 * kSecond, 12 * kSecond, 0, cpu, cpu, 125 * kMillisecond});
  return b.footer(0).bytes();
}

const core::GpuOperation* gpu_operation(const core::Run& run, const std::string& name, const std::string& detail) {
  const auto g = std::find_if(run.gpu.begin(), run.gpu.end(),
                              [&](const auto& x) { return x.operation == name && x.detail == detail; });
  return g == run.gpu.end() ? nullptr : &*g;
}

// A rank whose main thread waits 4 s, half a second of which it spins, and launches for 0.25 s; another thread waits
// for 1 s; MPI copies 64 bytes. One tick is a nanosecond.
struct FolderWithCalls : RunFolder {
  explicit FolderWithCalls(const std::string& second_device) : RunFolder(2) {
    const auto calls = [](uint64_t device_ns) {
      return std::vector<Calls>{
          {{1, "cudaLaunchKernel", kLaunch, "_Z6updatePd", 0, 0, {0x10010}},
           {1, 100, 0, kSecond / 4, 0, device_ns, 100}},
          {{2, "cudaStreamSynchronize", kWait, "", 0, 0, {0x10020}}, {2, 10, 0, 4 * kSecond, kSecond, 0, 0}},
          {{3, "cudaMemcpy", kCopyWait, "device to host", 1, 0, {}}, {3, 5, 64, kSecond, 0, 0, 0}}};
    };
    const std::vector<SampleRow> samples = {sample(0x10010, 10, 3000), sample_in(raw::kInGpuCall, 5, 500)};
    write("a.raw", file_with({.rank = 0, .size = 2, .modules = {kAppModule}, .samples = samples}, calls(3 * kSecond),
                             {"", "0000:17:00.0", "events", ""}));
    write("b.raw", file_with({.rank = 1, .size = 2, .modules = {kAppModule}, .samples = samples}, calls(kSecond),
                             {"", second_device, "events", ""}));
  }
};

// Code without symbols is told apart by pages.
const std::string kPage = "app+0x0-0xfff";

bool warns(const core::Run& run, const std::string& part) {
  return std::any_of(run.warnings.begin(), run.warnings.end(),
                     [&](const std::string& w) { return w.find(part) != std::string::npos; });
}

TEST(GpuCallTable, WaitingForADeviceIsNoComputation) {
  const FolderWithCalls f("0000:65:00.0");
  const core::Run wall = merged_run(f, core::Clock::kWall);
  // Of the main thread: 4 s and 0.25 s; what MPI calls is MPI's time.
  EXPECT_NEAR(wall.times.gpu_s.mean, 4.25, 1e-9);
  ASSERT_NE(kernel(wall, "[GPU wait] " + kPage), nullptr);
  EXPECT_NEAR(kernel(wall, "[GPU wait] " + kPage)->metrics.at("time_s").mean, 4, 1e-9);
  EXPECT_NEAR(kernel(wall, "[GPU calls] " + kPage)->metrics.at("time_s").mean, 0.25, 1e-9);
  EXPECT_NEAR(kernel(wall, "[GPU wait] " + kPage)->metrics.at("gpu_launches").mean, 100, 1e-9);
  // The window of 10 s less 4.25 s; of the 9.5 s of CPU time in it 0.5 s were in these calls, so that no time is left
  // without a core.
  EXPECT_NEAR(wall.times.computation_s.mean, 3, 1e-9);
  const core::Run cpu = merged_run(f, core::Clock::kCpu);
  EXPECT_NEAR(cpu.times.gpu_s.mean, 5.25, 1e-9);  // all threads
  EXPECT_NEAR(cpu.times.computation_s.mean, 3, 1e-9);
  // 10.25 s of CPU time less 0.125 s of the collector and the 0.5 s in these calls, which last 5.25 s.
  EXPECT_NEAR(cpu.times.total_s.mean, 14.875, 1e-9);
  EXPECT_TRUE(warns(cpu, "ranks shared cores while they used GPUs"));
  EXPECT_FALSE(warns(wall, "ranks shared cores while they used GPUs"));
}

TEST(GpuCallTable, KeepsCallsByFunctionAndKernel) {
  const core::Run run = merged_run(FolderWithCalls("0000:65:00.0"), core::Clock::kWall);
  const core::GpuOperation* launches = gpu_operation(run, "cudaLaunchKernel", "update(double*)");
  ASSERT_NE(launches, nullptr);
  EXPECT_EQ(launches->kind, "launch");
  EXPECT_EQ(launches->calls.sum, 200);
  EXPECT_NEAR(launches->device_s.max, 3, 1e-9);
  ASSERT_EQ(launches->sites.size(), 1U);
  const core::GpuOperation* of_mpi = gpu_operation(run, "cudaMemcpy", "device to host");
  ASSERT_NE(of_mpi, nullptr);
  EXPECT_TRUE(of_mpi->in_mpi);
  EXPECT_EQ(of_mpi->bytes.sum, 128);
  ASSERT_TRUE(run.gpu_busy);
  EXPECT_NEAR(run.gpu_busy->kernels_s.mean, 2, 1e-9);
  EXPECT_NEAR(run.gpu_busy->kernels_s.max, 3, 1e-9);
  EXPECT_EQ(run.gpu_busy->transfers_s.sum, 0);
}

// Times without calls are those that CUPTI recorded: nobody called for them, so that there is no site and no kernel.
TEST(GpuCallTable, TheDevicesTimeAloneIsNoCall) {
  RunFolder f(1);
  const std::vector<Calls> calls = {
      {{1, "cudaLaunchKernel", 4, "update", 0, 0, {0x10010}}, {1, 5, 0, 0, 0, 0, 0}},
      {{2, "cudaLaunchKernel", 4, "update", 0, 0, {}}, {2, 0, 0, 0, 0, 2'000'000'000, 5}},
      {{3, "[device]", 7, "ncclDevKernel_Broadcast", 0, 0, {}}, {3, 0, 0, 0, 0, 500'000'000, 2}}};
  f.write("a.raw", file_with({.modules = {kAppModule}, .samples = {sample(0x10010, 10, 9000)}}, calls,
                             {"", "0000:17:00.0", "CUPTI", ""}));
  const core::Run run = merged_run(f, core::Clock::kWall);
  const core::GpuOperation* launches = gpu_operation(run, "cudaLaunchKernel", "update");
  ASSERT_NE(launches, nullptr);
  EXPECT_EQ(launches->calls.sum, 5);
  EXPECT_EQ(launches->timed_calls.sum, 5);
  EXPECT_NEAR(launches->device_s.sum, 2, 1e-9);
  EXPECT_EQ(launches->sites.size(), 1U);
  const core::GpuOperation* broadcast = gpu_operation(run, "[device]", "ncclDevKernel_Broadcast");
  ASSERT_NE(broadcast, nullptr);
  EXPECT_TRUE(broadcast->sites.empty());
  ASSERT_TRUE(run.gpu_busy && run.gpu_busy->communication_s);
  EXPECT_NEAR(run.gpu_busy->communication_s->sum, 0.5, 1e-9);
  EXPECT_NEAR(run.gpu_busy->busy_s.sum, 2, 1e-9);  // communication is none of it
}

TEST(GpuCallTable, RanksThatShareADeviceAreWarnedOf) {
  const core::Run apart = merged_run(FolderWithCalls("0000:65:00.0"));
  EXPECT_EQ(apart.gpu_devices.size(), 2U);
  EXPECT_FALSE(warns(apart, "shared by up to"));
  const core::Run shared = merged_run(FolderWithCalls("0000:17:00.0"));
  ASSERT_EQ(shared.gpu_devices.size(), 1U);
  EXPECT_EQ(shared.gpu_devices[0].ranks, 2);
  EXPECT_TRUE(warns(shared, "1 GPU is shared by up to 2 ranks"));
}

TEST(GpuCallTable, ALibraryWithoutACallThatWasSeenIsWarnedOf) {
  RunFolder f(1);
  const ModuleSpan driver = {0x50000, 0x50000, 0x60000, "/usr/lib/libcuda.so.535.54", ""};
  f.write("a.raw", finished_file({.modules = {kAppModule, driver}, .samples = {sample(0x10010, 10, 9000)}}));
  EXPECT_TRUE(warns(merged_run(f), "1 rank loaded a library for GPUs (libcuda.so.535.54) without a call"));
  RunFolder without(1);
  without.write("a.raw", finished_file({.modules = {kAppModule}, .samples = {sample(0x10010, 10, 9000)}}));
  EXPECT_FALSE(warns(merged_run(without), "GPU"));
  EXPECT_TRUE(merged_run(without).gpu.empty());
}

TEST(GpuCallTable, PlacesThatAreImpossibleAreDamage) {
  const auto state = [](const Calls& calls) {
    return parse_raw(file_with({.modules = {kAppModule}}, {calls}, {})).state;
  };
  const Calls good = {{1, "cudaFree", 5, "", 0, 0, {0x10010}}, {1, 1, 0, 1, 0, 0, 0}};
  EXPECT_EQ(state(good), FileState::kFinished);
  Calls bad = good;
  bad.place.kind = static_cast<uint32_t>(raw::GpuCallKind::kCount);
  EXPECT_EQ(state(bad), FileState::kDamaged);
  bad = good;
  bad.place.place = 0;  // no number
  EXPECT_EQ(state(bad), FileState::kDamaged);
  bad = good;
  bad.totals.place = 2;  // of no place
  EXPECT_EQ(state(bad), FileState::kDamaged);
  bad = good;
  bad.place.in_mpi = 2;
  EXPECT_EQ(state(bad), FileState::kDamaged);
}

}  // namespace
}  // namespace scalediag::merge
