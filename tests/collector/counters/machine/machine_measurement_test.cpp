#include "collector/counters/machine/machine_measurement.h"

#include <gtest/gtest.h>

#include <set>

#include "collector/counters/machine/huge_memory.h"
#include "collector/counters/machine/machine_cores.h"
#include "collector/counters/machine/machine_latency.h"
#include "collector/counters/machine/machine_topology.h"
#include "collector/counters/machine/nominal_frequency.h"
#include "collector/counters/machine/repeated_timing.h"
#include "tests/core/example_machine.h"

namespace scalediag::counters {
namespace {

core::Machine good_machine() {
  core::Machine m = core::example_machine();
  m.warnings.clear();
  m.caches[2].step_bytes = 30e6;  // of 33.5e6
  return m;
}

bool warns_of(const core::Machine& m, const std::string& text) {
  for (const std::string& warning : m.warnings) {
    if (warning.find(text) != warning.npos) return true;
  }
  return false;
}

TEST(MachineMeasurement, AGoodMachineHasNoWarning) {
  core::Machine m = good_machine();
  ASSERT_TRUE(check_machine(m).ok());
  EXPECT_TRUE(m.warnings.empty()) << m.warnings.front();
}

TEST(MachineMeasurement, NoisyRepeatsAreFlagged) {
  core::Machine m = good_machine();
  m.memory_latency_s.spread = 0.2;  // above kNoisySpread, below kDisagreement
  ASSERT_TRUE(check_machine(m).ok());
  EXPECT_TRUE(warns_of(m, "latency of memory differ by 20 %"));
}

TEST(MachineMeasurement, RepeatsThatDisagreeAreRefusedUnlessAccepted) {
  core::Machine m = good_machine();
  m.bandwidth[1].bytes_per_s.spread = 0.31;
  const auto refused = check_machine(m);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("bandwidth of 4 cores"), std::string::npos) << refused.error().message;
  EXPECT_EQ(refused.error().code, core::ErrorCode::kEnvironment);
  ASSERT_TRUE(check_machine(m, true).ok());
  EXPECT_TRUE(warns_of(m, "bandwidth of 4 cores differ by 31 %"));
}

TEST(MachineMeasurement, CoresThatOthersUsedAreToldAndTooManyRefused) {
  // With 4 cores 1 % is negligible, 10 % are 0.40 cores, 30 % leave no round undisturbed.
  core::Machine m = good_machine();
  ASSERT_TRUE(check_others(m, OthersOnCpus::Share{0.01, 0.01}).ok());
  EXPECT_TRUE(m.warnings.empty());
  ASSERT_TRUE(check_others(m, OthersOnCpus::Share{0.1, 0.03}).ok());
  EXPECT_TRUE(warns_of(m, "other programs used 0.40 of 4 cores"));
  EXPECT_TRUE(warns_of(m, "the hypervisor kept 0.12 of 4 cores"));
  m = good_machine();
  for (const OthersOnCpus::Share& share : {OthersOnCpus::Share{0.3, 0}, OthersOnCpus::Share{0, 0.3}}) {
    const auto refused = check_others(m, share);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("1.20 of 4 cores"), std::string::npos) << refused.error().message;
    EXPECT_TRUE(check_others(m, share, true).ok());
  }
  EXPECT_TRUE(warns_of(m, "other programs used 1.20 of 4 cores"));
}

// Where the share of others is unknown, the result must not claim that there were none.
TEST(MachineMeasurement, OthersOfWhomNothingIsKnownAreToldOf) {
  core::Machine m = good_machine();
  ASSERT_TRUE(check_others(m, std::nullopt).ok());
  ASSERT_EQ(m.warnings.size(), 1u);
  EXPECT_NE(m.warnings[0].find("is not known"), std::string::npos) << m.warnings[0];
}

TEST(MachineMeasurement, ThreadsThatCannotBePinnedAreNoticed) {
  Pinning pinning;
  const auto topology = read_topology();
  ASSERT_TRUE(topology.ok());
  measure_frequency(topology.value().cpus, 1, 1, pinning);
  EXPECT_FALSE(pinning.refused());
  // No Linux has a CPU of that number.
  measure_frequency({1 << 20}, 1, 1, pinning);
  EXPECT_TRUE(pinning.refused());
}

TEST(MachineMeasurement, ALevelFasterThanTheOneBeforeIsRefused) {
  core::Machine m = good_machine();
  m.caches[1].latency_s.value = 0.9e-9;  // l1 takes 1e-9
  const auto refused = check_machine(m, true);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("l2 came out faster than l1"), std::string::npos);
}

TEST(MachineMeasurement, AStepFarFromTheSizeIsFlagged) {
  core::Machine m = good_machine();
  m.caches[2].step_bytes = 3e6;  // of 33.5e6
  ASSERT_TRUE(check_machine(m).ok());
  EXPECT_TRUE(warns_of(m, "beyond llc"));
  m = good_machine();
  m.caches[1].step_bytes = 0;
  ASSERT_TRUE(check_machine(m).ok());
  EXPECT_TRUE(warns_of(m, "no step of latency is seen at the end of l2"));
}

TEST(MachineMeasurement, SmallPagesAreFlagged) {
  core::Machine m = good_machine();
  m.pages = "small";
  ASSERT_TRUE(check_machine(m).ok());
  EXPECT_TRUE(warns_of(m, "no huge pages"));
}

TEST(MachineMeasurement, BandwidthIsMeasuredOnOneToAllCores) {
  EXPECT_EQ(core_counts(1), (std::vector<int>{1}));
  EXPECT_EQ(core_counts(3), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(core_counts(24), (std::vector<int>{1, 2, 4, 8, 16, 24}));
}

TEST(RepeatedTiming, SpreadIsThatOfTheQuartilesOverTheMedian) {
  // Quartiles of 1..5 are 2 and 4, the median 3.
  const core::MachineValue v = summarize_repeats({5, 1, 4, 2, 3}, "x");
  EXPECT_DOUBLE_EQ(v.value, 3);
  EXPECT_DOUBLE_EQ(v.spread, 2.0 / 3);
  EXPECT_DOUBLE_EQ(summarize_repeats({7}, "x").spread, 0);
  // Between 1 and 2 the quartiles lie at 1.25 and 1.75, the median at 1.5.
  EXPECT_DOUBLE_EQ(summarize_repeats({1, 2}, "x").spread, 0.5 / 1.5);
}

// A pass over memory of eight times a large cache takes a second; five of them say as much as nineteen.
TEST(RepeatedTiming, LongRepeatsEndEarlier) {
  EXPECT_FALSE(enough_repeats(4, 60));
  EXPECT_FALSE(enough_repeats(5, 0.9));
  EXPECT_TRUE(enough_repeats(5, 1.1));
}

TEST(MachineLatency, EveryLineIsVisitedOnceARound) {
  constexpr size_t kLines = 1000;
  auto memory = HugeMemory::allocate(kLines * 64);
  ASSERT_TRUE(memory.ok());
  link_random_cycle(memory.value().data(), kLines, 64, 1);
  void** const first = static_cast<void**>(memory.value().data());
  std::set<void**> seen;
  void** place = first;
  for (size_t i = 0; i < kLines; ++i) {
    EXPECT_TRUE(seen.insert(place).second) << i;
    place = static_cast<void**>(*place);
  }
  EXPECT_EQ(place, first);
  EXPECT_EQ(seen.size(), kLines);
}

TEST(MachineLatency, NeighboursAreNotVisitedOneAfterTheOther) {
  // A prefetcher that fetches the next line must not help: of 1000 random successors about one is the next line.
  constexpr size_t kLines = 1000;
  auto memory = HugeMemory::allocate(kLines * 64);
  ASSERT_TRUE(memory.ok());
  link_random_cycle(memory.value().data(), kLines, 64, 1);
  const char* base = static_cast<const char*>(memory.value().data());
  int next_line = 0;
  for (size_t i = 0; i + 1 < kLines; ++i) {
    const void* successor = *reinterpret_cast<void* const*>(base + 64 * i);
    if (successor == base + 64 * (i + 1)) ++next_line;
  }
  EXPECT_LT(next_line, 20);
}

TEST(MachineLatency, AnySizeOfSetIsChased) {
  // Sets of a line, of a part of a block, of a block, of a part more, and of all memory, in an order in which each has
  // to find the links that it needs.
  auto probe = LatencyProbe::create(3 * kChaseBlock, 64);
  ASSERT_TRUE(probe.ok());
  for (const size_t bytes : {size_t{64}, 3 * kChaseBlock, kChaseBlock / 3, kChaseBlock, kChaseBlock + 64}) {
    const core::MachineValue latency = probe.value().latency_s(bytes, 1);
    EXPECT_GT(latency.value, 1e-11) << bytes;  // a load takes longer than a tenth of any core's cycle
    EXPECT_NE(latency.source.find(std::to_string(bytes / 64) + " lines"), std::string::npos) << latency.source;
  }
}

TEST(MachineTopology, CachesAreNamedAsCountersNameThem) {
  const auto topology = read_topology();
  ASSERT_TRUE(topology.ok()) << topology.error().message;
  EXPECT_FALSE(topology.value().cpus.empty());
  const auto& caches = topology.value().caches;
  if (caches.empty()) GTEST_SKIP() << "this system does not tell its caches";
  EXPECT_EQ(caches.front().name, "l1");
  if (caches.size() > 1) {
    EXPECT_EQ(caches.back().name, "llc");
  }
  for (size_t i = 1; i < caches.size(); ++i) {
    EXPECT_GE(caches[i].size_bytes.value * caches[i].shared_by, caches[i - 1].size_bytes.value);
  }
}

TEST(NominalFrequency, IsReadFromTheModelsName) {
  EXPECT_DOUBLE_EQ(frequency_in_name("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz"), 2.4e9);
  EXPECT_DOUBLE_EQ(frequency_in_name("Old CPU @ 800MHz"), 8e8);
  EXPECT_EQ(frequency_in_name("AMD EPYC 9654 96-Core Processor"), 0);
  EXPECT_EQ(frequency_in_name("user@ host"), 0);
}

}  // namespace
}  // namespace scalediag::counters
