// Merged runs of hand-written raw files. Modules are files that do not exist, so that their code has no names.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/collector/merge/run_folder.h"

namespace scalediag::merge {

constexpr uint32_t kOutside = raw::kOutsideMpi;
inline const ModuleSpan kAppModule = {0x10000, 0x10000, 0x20000, "/nonexistent/app", ""};
inline const ModuleSpan kMpiModule = {0x20000, 0x20000, 0x30000, "/nonexistent/libmpi.so.40", ""};
inline const ModuleSpan kOurModule = {0x30000, 0x30000, 0x40000, "/nonexistent/libscalediag.so", ""};
inline const std::string kProgram = "app (no symbols)";

inline SampleRow sample(uint64_t address, uint64_t samples, uint64_t cpu_ms, uint32_t thread_class = raw::kMainThread,
                        uint32_t epoch = 0) {
  return {{thread_class, kOutside, epoch, address}, {samples, cpu_ms * kMillisecond, 0, {}}};
}
inline SampleRow sample_in(uint32_t operation, uint64_t samples, uint64_t cpu_ms,
                           uint32_t thread_class = raw::kMainThread) {
  return {{thread_class, operation, 0, 0}, {samples, cpu_ms * kMillisecond, 0, {}}};
}

inline const core::Kernel* kernel(const core::Run& run, const std::string& name) {
  const auto k = std::find_if(run.kernels.begin(), run.kernels.end(), [&](const auto& x) { return x.name == name; });
  return k == run.kernels.end() ? nullptr : &*k;
}
inline const core::MpiOperation* operation(const core::Run& run, const std::string& name) {
  const auto o =
      std::find_if(run.operations.begin(), run.operations.end(), [&](const auto& x) { return x.operation == name; });
  return o == run.operations.end() ? nullptr : &*o;
}

inline core::Run merged_run(const RunFolder& f, core::Clock clock = core::Clock::kCpu) {
  auto run = f.merge(clock);
  EXPECT_TRUE(run.ok()) << run.error().message;
  return std::move(run).value();
}

inline void expect_over_ranks(const core::OverRanks& v, double sum, double mean, double min, double max,
                              int rank_of_min, int rank_of_max) {
  EXPECT_NEAR(v.sum, sum, 1e-9);
  EXPECT_NEAR(v.mean, mean, 1e-9);
  EXPECT_NEAR(v.min, min, 1e-9);
  EXPECT_NEAR(v.max, max, 1e-9);
  EXPECT_EQ(v.rank_of_min, rank_of_min);
  EXPECT_EQ(v.rank_of_max, rank_of_max);
}

}  // namespace scalediag::merge
