#include "collector/merge/samples/sample_weights.h"

#include <gtest/gtest.h>

#include "collector/merge/samples/rank_samples.h"
#include "collector/merge/symbols/symbolizer.h"

namespace scalediag::merge {
namespace {

constexpr uint64_t kOneMs = 1000000;  // in nanoseconds
constexpr uint32_t kNoOperation = raw::kOutsideMpi;

// CPU time from the end of MPI_Init to MPI_Finalize: process 10 s, main thread 6 s, the collector 1 s, so that the
// other threads used 3 s. Sampled: main thread 2 s outside MPI and 1 s in operation 7, other threads 6 s.
RankRecord record(const char* sampler) {
  RankRecord r;
  r.identity.emplace();
  r.identity->sampler = sampler;
  const auto set = [&r](const ClockPoint& p) {
    r.points[static_cast<size_t>(p.phase)] = p;
    r.last_point = p;
  };
  set({raw::Phase::kLoad, 0, 0, 0, 0, 0, 0});
  set({raw::Phase::kInitEnd, 1000, 1000 * kOneMs, 0, 500 * kOneMs, 500 * kOneMs, 0});
  set({raw::Phase::kFinalizeBegin, 9000, 9000 * kOneMs, 0, 10500 * kOneMs, 6500 * kOneMs, 1000 * kOneMs});
  set({raw::Phase::kExit, 9500, 9500 * kOneMs, 0, 99999 * kOneMs, 99999 * kOneMs, 1000 * kOneMs});
  r.samples[{raw::kMainThread, kNoOperation, 0, 0x10}] = {500, 2000 * kOneMs, 500 * kOneMs, {}};
  r.samples[{raw::kMainThread, 7, 0, 0}] = {250, 1000 * kOneMs, 1000 * kOneMs, {}};
  r.samples[{raw::kOtherThread, kNoOperation, 0, 0x20}] = {1000, 4000 * kOneMs, 0, {}};
  r.samples[{raw::kMpiInternalThread, kNoOperation, 0, 0x20}] = {500, 2000 * kOneMs, 0, {}};
  return r;
}

TEST(SampleWeights, SamplesOfCpusAddUpToWhatTheClocksOfThreadsSay) {
  const SampleWeights weights(record("cpus"));
  EXPECT_DOUBLE_EQ(weights.of(raw::kMainThread), 2);     // 6 s for 2 + 1 s
  EXPECT_DOUBLE_EQ(weights.of(raw::kOtherThread), 0.5);  // 3 s for 4 + 2 s
  EXPECT_DOUBLE_EQ(weights.of(raw::kMpiInternalThread), 0.5);
}

TEST(SampleWeights, SamplesThatRecordTheTimeSinceTheOneBeforeStayAsTheyAre) {
  const SampleWeights weights(record("perf"));
  EXPECT_DOUBLE_EQ(weights.of(raw::kMainThread), 1);
  EXPECT_DOUBLE_EQ(weights.of(raw::kOtherThread), 1);
}

TEST(SampleWeights, ThreadsWithoutSamplesChangeNothing) {
  RankRecord r = record("cpus");
  r.samples.clear();
  EXPECT_DOUBLE_EQ(SampleWeights(r).of(raw::kMainThread), 1);
  r = record("cpus");
  r.last_point.reset();  // a file that ends before the clocks were read
  EXPECT_DOUBLE_EQ(SampleWeights(r).of(raw::kMainThread), 1);
}

TEST(SampleWeights, KernelsAndOperationsGetThem) {
  RankRecord r = record("cpus");
  r.operation_names[7] = "MPI_Send";
  SymbolCache symbols;
  SampleAttributor attributor(r, false, symbols);
  const RunCounts no_counts(std::vector<std::string>{});
  KernelTable kernels(no_counts);
  RankSamples samples(core::Clock::kCpu);
  samples.add(r, attributor, kernels);
  // Twice 1 s in MPI_Send of the main thread, half of 2 s in MPI's own threads.
  EXPECT_NEAR(samples.time().mpi, 3, 1e-9);
  EXPECT_NEAR(samples.operations().at("MPI_Send").cpu_s, 2, 1e-9);
}

}  // namespace
}  // namespace scalediag::merge
