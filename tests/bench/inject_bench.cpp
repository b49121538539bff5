// The cost of the engine inside the application. It prints, and never passes or fails.
#include <benchmark/benchmark.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/inject/clock_points.h"
#include "collector/inject/counting/call_totals.h"
#include "collector/inject/sampling/sample_table.h"
#include "collector/inject/thread_record.h"
#include "pmpi-comm/ticks.h"

namespace scalediag::inject {
namespace {

void ReadTicks(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(pmpi::ticks());
}
BENCHMARK(ReadTicks);

void AddSampleToTable(benchmark::State& state) {
  SampleTable table;
  const auto addresses = static_cast<uint64_t>(state.range(0));
  uint64_t a = 0;
  for (auto _ : state) {
    table.add({0, raw::kOutsideMpi, 0, a * 64}, {1, 4000000, 0});
    a = (a + 7919) % addresses;
  }
}
BENCHMARK(AddSampleToTable)->Arg(100)->Arg(10000);

// The path of an MPI call that met no sample.
void LookAtAnEmptyRing(benchmark::State& state) {
  ThreadRecord record(raw::kMainThread, pthread_self(), static_cast<pid_t>(syscall(SYS_gettid)));
  SamplerOutcome outcome;
  if (!record.start_sampler(SamplerChoice::kPerf, 3997001, outcome)) {
    state.SkipWithError("perf_event_open is refused here");
    return;
  }
  uint64_t differences = 0;
  for (auto _ : state) {
    differences += *record.ring_head != record.ring_seen.load(std::memory_order_relaxed) ? 1 : 0;
    benchmark::DoNotOptimize(differences);
  }
  record.stop_sampler();
}
BENCHMARK(LookAtAnEmptyRing);

// CPU time that sampling takes from a thread that only computes, at the rate of the argument.
void ComputeWhileSampled(benchmark::State& state) {
  ThreadRecord record(raw::kMainThread, pthread_self(), static_cast<pid_t>(syscall(SYS_gettid)));
  SamplerOutcome outcome;
  if (state.range(0) > 0 &&
      !record.start_sampler(SamplerChoice::kPerf, 1000000000u / static_cast<uint64_t>(state.range(0)), outcome)) {
    state.SkipWithError("perf_event_open is refused here");
    return;
  }
  SampleTable table;
  for (auto _ : state) {
    double x = 1;
    for (int i = 0; i < 2000000; ++i) benchmark::DoNotOptimize(x = x * 1.0000001);
    record.collect(0, table);
  }
  record.stop_sampler();
}
BENCHMARK(ComputeWhileSampled)->Arg(0)->Arg(250)->Arg(1000)->Unit(benchmark::kMillisecond);

void SumCallsOfAThread(benchmark::State& state) {
  pmpi::CallTable table;
  for (uint32_t operation = 0; operation < 20; ++operation) {
    for (uint32_t bin = 0; bin < 8; ++bin) table.call_entry(operation, 64, bin)->calls.add(1);
  }
  CallTotals totals;
  for (auto _ : state) {
    totals.begin();
    totals.add(raw::kMainThread, table);
    raw::Encoder e;
    benchmark::DoNotOptimize(totals.write_changed_operations(e));
  }
}
BENCHMARK(SumCallsOfAThread)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace scalediag::inject
