#include "collector/counters/resource_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "core/profile/memory_contention.h"
#include "tests/core/example_machine.h"

namespace scalediag::counters {
namespace {

using core::Kernel;

// A value that is the same on each of two ranks.
core::OverRanks on_two_ranks(double value) {
  core::OverRanks v;
  v.sum = 2 * value;
  v.mean = v.min = v.max = value;
  return v;
}

Kernel kernel(const std::string& name, double time_s, const std::map<std::string, double>& counts,
              uint64_t samples = 1000) {
  Kernel k;
  k.name = name;
  k.samples = samples;
  k.metrics["time_s"] = on_two_ranks(time_s);
  for (const auto& [metric, count] : counts) k.metrics[metric] = on_two_ranks(count);
  return k;
}

core::Run run_of(int np, int repeat, std::vector<Kernel> kernels) {
  core::Run run;
  run.np = np;
  run.repeat = repeat;
  run.complete = true;
  run.hosts = {"node1"};
  run.kernels = std::move(kernels);
  return run;
}

bool has_note(const Kernel& k, const std::string& note) {
  return std::find(k.resource_notes.begin(), k.resource_notes.end(), note) != k.resource_notes.end();
}

void expect_identity(const core::Run& run) {
  for (const Kernel& k : run.kernels) {
    if (k.resources.count("t_comp_s") == 0) continue;
    const double time_s = k.metrics.at("time_s").mean;
    EXPECT_NEAR(k.resources.at("t_comp_s") + k.resources.at("t_stall_s"), time_s, 1e-9 * time_s) << k.name;
    if (k.resources.count("t_mem_s") == 0) continue;
    EXPECT_NEAR(k.resources.at("t_comp_s") + k.resources.at("bf_mem") * k.resources.at("t_mem_s"), time_s,
                1e-9 * time_s)
        << k.name;
  }
}

// The example machine: l1 1 ns, l2 4 ns, llc 16 ns, memory 100 ns, lines of 64 bytes, 3.5 GHz on one of four cores and
// 3 GHz on all.

TEST(ResourceMetrics, FollowFromCountedCyclesAndStalls) {
  const core::Machine machine = core::example_machine();
  std::vector<core::Run> runs = {run_of(2, 0,
                                        {kernel("f", 2,
                                                {{"instructions", 8e9},
                                                 {"cycles", 6e9},
                                                 {"memory_stall_cycles", 2e9},
                                                 {"stall_cycles", 5e9},  // most of them for something else
                                                 {"flops", 1.28e9},
                                                 {"l1_hits", 1e9},
                                                 {"l2_hits", 1e8},
                                                 {"llc_hits", 1e7},
                                                 {"memory_accesses", 1e7}})})};
  derive_resources(runs, &machine);
  const auto& r = runs[0].kernels[0].resources;
  EXPECT_DOUBLE_EQ(r.at("hz"), 3e9);              // 6e9 cycles in 2 s
  EXPECT_DOUBLE_EQ(r.at("cpi"), 0.5);             // (6e9 - 2e9) / 8e9
  EXPECT_DOUBLE_EQ(r.at("t_comp_s"), 4.0 / 3);    // 8e9 x 0.5 / 3e9
  EXPECT_DOUBLE_EQ(r.at("t_stall_s"), 2.0 / 3);   // 2e9 / 3e9
  EXPECT_DOUBLE_EQ(r.at("t_mem_l1_s"), 1.0);      // 1e9 x 1 ns
  EXPECT_DOUBLE_EQ(r.at("t_mem_l2_s"), 0.4);      // 1e8 x 4 ns
  EXPECT_DOUBLE_EQ(r.at("t_mem_llc_s"), 0.16);    // 1e7 x 16 ns
  EXPECT_DOUBLE_EQ(r.at("t_mem_memory_s"), 1.0);  // 1e7 x 100 ns
  EXPECT_DOUBLE_EQ(r.at("t_mem_s"), 2.56);
  EXPECT_DOUBLE_EQ(r.at("bf_mem"), 2.0 / 3 / 2.56);
  EXPECT_DOUBLE_EQ(r.at("llc_hit_ratio"), 0.5);          // 1e7 of 2e7 that come so far
  EXPECT_DOUBLE_EQ(r.at("l2_hit_ratio"), 1e8 / 1.2e8);   // ... of 1.2e8
  EXPECT_DOUBLE_EQ(r.at("l1_hit_ratio"), 1e9 / 1.12e9);  // ... of 1.12e9
  EXPECT_DOUBLE_EQ(r.at("llc_miss_ratio"), 1e7 / 1.12e9);
  EXPECT_DOUBLE_EQ(r.at("memory_bytes"), 64e7);
  EXPECT_DOUBLE_EQ(r.at("flops_per_byte"), 2);  // 1.28e9 / 64e7
  EXPECT_EQ(r.count("bf_mem_high"), 0u);        // it was counted
  EXPECT_TRUE(runs[0].kernels[0].resource_notes.empty());
  expect_identity(runs[0]);
}

TEST(ResourceMetrics, StallsAreDerivedFromTheSmallestCpi) {
  const core::Machine machine = core::example_machine();
  const auto counts = [](double instructions) {
    return std::map<std::string, double>{{"instructions", instructions}, {"l1_hits", 1e9}, {"memory_accesses", 0}};
  };
  // np 4: every core is busy, 3 GHz; 1 s and 6e9 instructions are CPI 0.5. np 8: 0.8 s and 3e9 are CPI 0.8.
  std::vector<core::Run> runs = {run_of(4, 0, {kernel("f", 1, counts(6e9))}),
                                 run_of(8, 0, {kernel("f", 0.8, counts(3e9))})};
  derive_resources(runs, &machine);
  const Kernel& best = runs[0].kernels[0];
  const Kernel& stalled = runs[1].kernels[0];
  EXPECT_NEAR(best.resources.at("t_stall_s"), 0, 1e-12);
  EXPECT_DOUBLE_EQ(best.resources.at("cpi"), 0.5);
  EXPECT_DOUBLE_EQ(stalled.resources.at("cpi"), 0.5);
  EXPECT_DOUBLE_EQ(stalled.resources.at("t_comp_s"), 0.5);  // 3e9 x 0.5 / 3e9
  EXPECT_NEAR(stalled.resources.at("t_stall_s"), 0.3, 1e-12);
  EXPECT_NEAR(stalled.resources.at("bf_mem"), 0.3, 1e-12);  // T_mem = 1e9 x 1 ns
  EXPECT_TRUE(has_note(stalled, "stalls_derived"));
  EXPECT_FALSE(has_note(stalled, "single_configuration"));
  for (const core::Run& run : runs) expect_identity(run);
}

// 1 - (0.7 / 1e9 x 3.3e9) x 1e9 / (0.7 x 3.3e9) and the like are some 1e-16, of which models would make trends.
TEST(ResourceMetrics, DerivedStallsOfTheBestConfigurationAreZeroWithoutRounding) {
  for (int i = 1; i <= 50; ++i) {
    std::vector<core::Run> runs = {run_of(2, 0, {kernel("f", 0.1 * i, {{"instructions", 7e8 * i / 3.0}})}),
                                   run_of(4, 0, {kernel("f", 0.1 * i, {{"instructions", 7e8 * i / 3.0}})})};
    derive_resources(runs, nullptr);
    for (const core::Run& run : runs) EXPECT_EQ(run.kernels[0].resources.at("t_stall_s"), 0) << i;
  }
}

TEST(ResourceMetrics, AGuessedCacheIsToldWhereItWasSimulatedOnly) {
  for (const auto& [counters, measured_bytes, guessed] :
       {std::tuple("simulated", 0.0, true), std::tuple("simulated", 1e6, false), std::tuple("papi", 0.0, false)}) {
    std::vector<core::Run> runs = {run_of(2, 0, {kernel("f", 1, {{"instructions", 1e9}, {"memory_accesses", 10}})})};
    runs[0].counters = counters;
    runs[0].measured_llc_bytes = measured_bytes;
    derive_resources(runs, nullptr);
    EXPECT_EQ(has_note(runs[0].kernels[0], "cache_size_guessed"), guessed) << counters << " " << measured_bytes;
  }
}

// PAPI's errors are those of samples, of which only large ones are told.
TEST(ResourceMetrics, SimulatedCountsWithErrorsAreOfFewRounds) {
  for (const auto& [counters, note] : {std::pair("simulated", "counts_in_part"), std::pair("papi", "few_overflows")}) {
    std::vector<core::Run> runs = {run_of(2, 0, {kernel("f", 1, {{"instructions", 1e9}})})};
    runs[0].counters = counters;
    runs[0].kernels[0].count_errors = {{"instructions", 5e8}};
    derive_resources(runs, nullptr);
    for (const char* one : {"counts_in_part", "few_overflows"}) {
      EXPECT_EQ(has_note(runs[0].kernels[0], one), std::string(one) == note) << counters << " " << one;
    }
  }
}

TEST(ResourceMetrics, StallsOfEveryKindAreToldAsSuch) {
  std::vector<core::Run> runs = {
      run_of(2, 0, {kernel("f", 2, {{"instructions", 8e9}, {"cycles", 6e9}, {"stall_cycles", 3e9}})})};
  derive_resources(runs, nullptr);
  EXPECT_DOUBLE_EQ(runs[0].kernels[0].resources.at("t_stall_s"), 1);  // half of the cycles
  EXPECT_TRUE(has_note(runs[0].kernels[0], "stalls_total"));
  EXPECT_FALSE(has_note(runs[0].kernels[0], "stalls_derived"));
}

TEST(ResourceMetrics, StallsForMemoryOfAnotherRepeatGoBeforeOnesOwnOfEveryKind) {
  std::vector<core::Run> runs = {
      run_of(2, 0, {kernel("f", 1, {{"instructions", 2e9}, {"cycles", 3e9}, {"stall_cycles", 2e9}})}),
      run_of(2, 1, {kernel("f", 1, {{"instructions", 2e9}, {"cycles", 3e9}, {"memory_stall_cycles", 6e8}})})};
  derive_resources(runs, nullptr);
  for (const core::Run& run : runs) {
    EXPECT_DOUBLE_EQ(run.kernels[0].resources.at("t_stall_s"), 0.2);  // 6e8 of 3e9 cycles
    EXPECT_FALSE(has_note(run.kernels[0], "stalls_total"));
    expect_identity(run);
  }
}

// 3 s for 3e9 instructions on every scale, CPI 3, nearly all of it waiting: no scale is better than another.
TEST(ResourceMetrics, AKernelThatWaitsEverywhereHasBoundsAndNotOnlyZero) {
  const core::Machine machine = core::example_machine();
  const std::map<std::string, double> counts = {{"instructions", 3e9}, {"l1_hits", 1e9}, {"memory_accesses", 3e7}};
  std::vector<core::Run> runs = {run_of(4, 0, {kernel("f", 3, counts)}), run_of(8, 0, {kernel("f", 3, counts)})};
  derive_resources(runs, &machine);
  for (const core::Run& run : runs) {
    const Kernel& k = run.kernels[0];
    EXPECT_NEAR(k.resources.at("bf_mem"), 0, 1e-12);
    // At the machine's smallest CPI, 0.25, and 3 GHz the instructions take 0.25 s.
    EXPECT_DOUBLE_EQ(k.resources.at("t_stall_high_s"), 2.75);
    EXPECT_DOUBLE_EQ(k.resources.at("bf_mem_high"), 2.75 / 4);  // T_mem = 1e9 x 1 ns + 3e7 x 100 ns
    expect_identity(run);
  }
  // Without a machine nothing is known above.
  derive_resources(runs, nullptr);
  EXPECT_EQ(runs[0].kernels[0].resources.count("t_stall_high_s"), 0u);
}

TEST(ResourceMetrics, CountedLoadsAndSimulatedLoadsAndStoresAreNotPooled) {
  const core::Machine machine = core::example_machine();
  std::vector<core::Run> runs = {
      run_of(2, 0,
             {kernel("f", 1, {{"instructions", 1e9}, {"l1_hits", 1e8}, {"l2_hits", 1e7}, {"memory_accesses", 1e6}})}),
      run_of(2, 1, {kernel("f", 1, {{"instructions", 1e9}, {"l1_hits", 2e8}, {"memory_accesses", 2e6}})})};
  runs[0].counters = "papi";
  runs[1].counters = "simulated";
  derive_resources(runs, &machine);
  EXPECT_DOUBLE_EQ(runs[0].kernels[0].resources.at("t_mem_s"), 0.24);  // 1e8 x 1 ns + 1e7 x 4 ns + 1e6 x 100 ns
  EXPECT_DOUBLE_EQ(runs[1].kernels[0].resources.at("t_mem_s"), 0.4);   // 2e8 x 1 ns + 2e6 x 100 ns
  EXPECT_FALSE(has_note(runs[1].kernels[0], "counts_of_repeats"));
}

TEST(ResourceMetrics, ASmallestCpiOutOfFewSamplesCountsOnlyWithoutOthers) {
  // np 2 with 9 samples would make CPI_core a tenth of that of the others.
  std::vector<core::Run> runs = {run_of(2, 0, {kernel("f", 0.1, {{"instructions", 1e9}}, 9)}),
                                 run_of(4, 0, {kernel("f", 1, {{"instructions", 1e9}})}),
                                 run_of(8, 0, {kernel("f", 2, {{"instructions", 1e9}})})};
  derive_resources(runs, nullptr);
  EXPECT_DOUBLE_EQ(runs[2].kernels[0].resources.at("t_comp_s"), 1);
  // Its time is less than the instructions should take, so that nothing is stalled; the time stays.
  EXPECT_DOUBLE_EQ(runs[0].kernels[0].resources.at("t_comp_s"), 0.1);
  EXPECT_DOUBLE_EQ(runs[0].kernels[0].resources.at("t_stall_s"), 0);
  EXPECT_TRUE(has_note(runs[0].kernels[0], "few_samples"));
  EXPECT_FALSE(has_note(runs[2].kernels[0], "few_samples"));
}

// 9 % of the instructions; but 12 % of the accesses to memory.
TEST(ResourceMetrics, CountsThatRestOnFewOverflowsAreTold) {
  std::vector<core::Run> runs = {run_of(
      2, 0,
      {kernel("f", 1, {{"instructions", 1e9}, {"memory_accesses", 1e6}}), kernel("g", 1, {{"instructions", 1e9}})})};
  for (Kernel& k : runs[0].kernels) k.count_errors = {{"instructions", 0.09 * k.metrics.at("instructions").sum}};
  runs[0].kernels[0].count_errors["memory_accesses"] = 0.12 * runs[0].kernels[0].metrics.at("memory_accesses").sum;
  derive_resources(runs, nullptr);
  EXPECT_TRUE(has_note(runs[0].kernels[0], "few_overflows"));
  EXPECT_FALSE(has_note(runs[0].kernels[1], "few_overflows"));
}

TEST(ResourceMetrics, RepeatsAreAveragedBeforeTheSmallestCpiIsTaken) {
  // Repeats of 0.8 and 1.2 s are 1 s on average, as much as np 4 takes: neither configuration is stalled on average.
  std::vector<core::Run> runs = {run_of(2, 0, {kernel("f", 0.8, {{"instructions", 1e9}})}),
                                 run_of(2, 1, {kernel("f", 1.2, {{"instructions", 1e9}})}),
                                 run_of(4, 0, {kernel("f", 1, {{"instructions", 1e9}})})};
  derive_resources(runs, nullptr);
  EXPECT_NEAR(runs[2].kernels[0].resources.at("t_stall_s"), 0, 1e-12);
}

TEST(ResourceMetrics, OneConfigurationIsNotEnoughForDerivedStalls) {
  std::vector<core::Run> runs = {run_of(2, 0, {kernel("f", 1, {{"instructions", 1e9}})})};
  derive_resources(runs, nullptr);
  EXPECT_TRUE(has_note(runs[0].kernels[0], "single_configuration"));
}

TEST(ResourceMetrics, KernelsWithoutCountsHaveNone) {
  const core::Machine machine = core::example_machine();
  std::vector<core::Run> runs = {
      run_of(2, 0, {kernel("counted", 1, {{"instructions", 1e9}}), kernel("not counted", 1, {})})};
  derive_resources(runs, &machine);
  EXPECT_FALSE(runs[0].kernels[0].resources.empty());
  EXPECT_TRUE(runs[0].kernels[1].resources.empty());
  EXPECT_TRUE(runs[0].kernels[1].resource_notes.empty());
}

TEST(ResourceMetrics, KernelsWithoutTimeHaveNoPartsOfIt) {
  const core::Machine machine = core::example_machine();
  std::vector<core::Run> runs = {
      run_of(2, 0, {kernel("f", 0, {{"instructions", 1e6}, {"l1_hits", 1e5}, {"memory_accesses", 0}}, 0)})};
  derive_resources(runs, &machine);
  const Kernel& k = runs[0].kernels[0];
  EXPECT_EQ(k.resources.count("t_comp_s"), 0u);
  EXPECT_EQ(k.resources.count("cpi"), 0u);
  EXPECT_EQ(k.resources.count("bf_mem"), 0u);
  EXPECT_DOUBLE_EQ(k.resources.at("t_mem_s"), 1e-4);
  EXPECT_DOUBLE_EQ(k.resources.at("l1_hit_ratio"), 1);
  EXPECT_TRUE(has_note(k, "few_samples"));
}

TEST(ResourceMetrics, StallsWithoutAccessesAreComputation) {
  const core::Machine machine = core::example_machine();
  std::vector<core::Run> runs = {run_of(
      2, 0,
      {kernel(
          "f", 1,
          {{"instructions", 1e9}, {"cycles", 3e9}, {"stall_cycles", 1e9}, {"l1_hits", 0}, {"memory_accesses", 0}})})};
  derive_resources(runs, &machine);
  const Kernel& k = runs[0].kernels[0];
  EXPECT_DOUBLE_EQ(k.resources.at("t_comp_s"), 1);
  EXPECT_DOUBLE_EQ(k.resources.at("bf_mem"), 0);
  EXPECT_DOUBLE_EQ(k.resources.at("cpi"), 3);  // all 3e9 cycles
  EXPECT_TRUE(has_note(k, "stalls_not_memory"));
  EXPECT_EQ(k.resources.count("l1_hit_ratio"), 0u);  // 0 of 0
  expect_identity(runs[0]);
}

TEST(ResourceMetrics, EventsOfRotatedGroupsAreTakenFromOtherRepeats) {
  const core::Machine machine = core::example_machine();
  std::vector<core::Run> runs = {
      run_of(2, 0, {kernel("f", 1, {{"instructions", 2e9}, {"cycles", 3e9}, {"stall_cycles", 1e9}})}),
      run_of(2, 1,
             {kernel("f", 1, {{"instructions", 2e9}, {"cycles", 3e9}, {"l1_hits", 1e9}, {"memory_accesses", 1e6}})})};
  derive_resources(runs, &machine);
  for (const core::Run& run : runs) {
    const Kernel& k = run.kernels[0];
    EXPECT_DOUBLE_EQ(k.resources.at("t_stall_s"), 1.0 / 3);  // 1e9 of 3e9 cycles
    EXPECT_DOUBLE_EQ(k.resources.at("t_mem_s"), 1.1);        // 1e9 x 1 ns + 1e6 x 100 ns
    EXPECT_TRUE(has_note(k, "counts_of_repeats"));
    expect_identity(run);
  }
}

TEST(ResourceMetrics, ARepeatThatDidNotSeeAKernelCountsAsZero) {
  // f was counted in the first repeat only, in which it took 2 s and 2e9 instructions; on average it took 1 s and 1e9.
  std::vector<core::Run> runs = {
      run_of(2, 0, {kernel("f", 2, {{"instructions", 2e9}}), kernel("g", 1, {{"instructions", 1e9}})}),
      run_of(2, 1, {kernel("g", 1, {{"instructions", 1e9}})}), run_of(4, 0, {kernel("f", 3, {{"instructions", 1e9}})})};
  derive_resources(runs, nullptr);
  // CPI_core is that of 1 s for 1e9, so of 3 s two are stalled.
  EXPECT_NEAR(runs[2].kernels[0].resources.at("t_stall_s"), 2, 1e-12);
}

TEST(ResourceMetrics, LevelsThatNotAllConfigurationsCountedAreNoPartOfMemoryTime) {
  const core::Machine machine = core::example_machine();
  std::vector<core::Run> runs = {
      run_of(2, 0, {kernel("f", 1, {{"instructions", 1e9}, {"l1_hits", 1e8}, {"memory_accesses", 1e6}})}),
      run_of(4, 0, {kernel("f", 1, {{"instructions", 1e9}, {"memory_accesses", 1e6}})})};
  derive_resources(runs, &machine);
  for (const core::Run& run : runs) {
    EXPECT_DOUBLE_EQ(run.kernels[0].resources.at("t_mem_s"), 0.1);  // 1e6 x 100 ns
    EXPECT_EQ(run.kernels[0].resources.count("t_mem_l1_s"), 0u);
  }
}

TEST(ResourceMetrics, WithoutAMachineThereIsNoMemoryTime) {
  std::vector<core::Run> runs = {run_of(
      2, 0, {kernel("f", 1, {{"instructions", 1e9}, {"cycles", 2e9}, {"l1_hits", 1e8}, {"memory_accesses", 1e6}})})};
  derive_resources(runs, nullptr);
  const auto& r = runs[0].kernels[0].resources;
  EXPECT_EQ(r.count("t_mem_s"), 0u);
  EXPECT_EQ(r.count("bf_mem"), 0u);
  EXPECT_EQ(r.count("memory_bytes"), 0u);
  EXPECT_DOUBLE_EQ(r.at("cpi"), 2);
  EXPECT_DOUBLE_EQ(r.at("llc_miss_ratio"), 1e6 / 1.01e8);
}

TEST(ResourceMetrics, MissesAreRelatedToWhatCanMissWhereHitsAreNotCounted) {
  // Counted misses are those of loads, simulated ones those of stores as well.
  for (const auto& [counters, loads, stores] : {std::tuple("simulated", 6e8, 4e8), std::tuple("papi", 1e9, 4e8)}) {
    std::vector<core::Run> runs = {
        run_of(2, 0, {kernel("f", 1, {{"loads", loads}, {"stores", stores}, {"memory_accesses", 1e5}})})};
    runs[0].counters = counters;
    derive_resources(runs, nullptr);
    const auto& r = runs[0].kernels[0].resources;
    EXPECT_DOUBLE_EQ(r.at("llc_miss_ratio"), 1e-4) << counters;  // 1e5 of 1e9: at the threshold, not above it
    EXPECT_LE(r.at("llc_miss_ratio"), core::kMemoryContention);
  }
}

TEST(ResourceMetrics, CpiBelowTheMachinesIsFlagged) {
  const core::Machine machine = core::example_machine();
  // 1 s at 3 GHz for 3e10 instructions: CPI 0.1, the machine's smallest is 0.25.
  std::vector<core::Run> runs = {run_of(4, 0, {kernel("f", 1, {{"instructions", 3e10}})})};
  derive_resources(runs, &machine);
  EXPECT_TRUE(has_note(runs[0].kernels[0], "cpi_below_machine"));
}

TEST(ResourceMetrics, IncompleteRunsAreLeftAlone) {
  std::vector<core::Run> runs = {run_of(2, 0, {kernel("f", 1, {{"instructions", 1e9}})})};
  runs[0].complete = false;
  runs[0].kernels[0].resources["cpi"] = 7;  // of an earlier derivation
  derive_resources(runs, nullptr);
  EXPECT_TRUE(runs[0].kernels[0].resources.empty());
}

TEST(ResourceMetrics, FrequencyLiesBetweenThatOfOneAndThatOfAllCores) {
  const core::Machine machine = core::example_machine();  // 3.5 GHz on one, 3 GHz on all four
  EXPECT_DOUBLE_EQ(frequency_of(machine, 1), 3.5e9);
  EXPECT_DOUBLE_EQ(frequency_of(machine, 4), 3e9);
  EXPECT_DOUBLE_EQ(frequency_of(machine, 16), 3e9);
  EXPECT_DOUBLE_EQ(frequency_of(machine, 2.5), 3.25e9);  // halfway
}

TEST(ResourceMetrics, AMachineOfAnotherHostIsNoticedOnce) {
  core::Profile profile;
  profile.runs = {run_of(2, 0, {kernel("f", 1, {{"instructions", 1e9}, {"memory_accesses", 1e6}})})};
  core::Machine machine = core::example_machine();
  derive_resources(profile, &machine);
  EXPECT_TRUE(profile.runs[0].warnings.empty());
  ASSERT_TRUE(profile.machine.has_value());
  EXPECT_EQ(profile.machine->host, "node1");
  EXPECT_DOUBLE_EQ(profile.machine->latency_s.at("memory"), 100e-9);

  machine.host.name = "login";
  derive_resources(profile, &machine);
  derive_resources(profile, &machine);
  ASSERT_EQ(profile.runs[0].warnings.size(), 1u);
  EXPECT_NE(profile.runs[0].warnings[0].find("login"), std::string::npos);
  EXPECT_NE(profile.runs[0].warnings[0].find("node1"), std::string::npos);
}

TEST(ResourceMetrics, ALastLevelThatOthersShareIsToldWhereItWasSimulated) {
  // 32 MiB in size; latency rises at 4 MiB, at 30 MiB (within a factor of 1.5), or at no size that was measured.
  for (const auto& [step_bytes, is_told] :
       {std::pair(4194304.0, true), std::pair(31457280.0, false), std::pair(0.0, false)}) {
    core::Machine machine = core::example_machine();
    machine.caches[2].step_bytes = step_bytes;
    core::Profile profile;
    profile.runs = {run_of(2, 0, {kernel("f", 2, {{"instructions", 8e9}, {"llc_hits", 1e7}})})};
    profile.runs[0].counters = "simulated";
    derive_resources(profile, &machine);
    derive_resources(profile, &machine);  // as merge does after profile
    ASSERT_EQ(profile.runs[0].warnings.size(), is_told ? 1u : 0u) << step_bytes;
    if (is_told) {
      EXPECT_NE(profile.runs[0].warnings[0].find("last level's 32 MiB, of which this machine gave 4 MiB"),
                std::string::npos)
          << profile.runs[0].warnings[0];
    }
    // Counted hits are not affected.
    profile.runs[0].counters = "papi";
    profile.runs[0].warnings.clear();
    derive_resources(profile, &machine);
    EXPECT_TRUE(profile.runs[0].warnings.empty());
  }
}

TEST(ResourceMetrics, WithoutCountsNoMachineIsKept) {
  core::Profile profile;
  profile.runs = {run_of(2, 0, {kernel("f", 1, {})})};
  const core::Machine machine = core::example_machine();
  EXPECT_FALSE(has_counts(profile.runs));
  derive_resources(profile, &machine);
  EXPECT_FALSE(profile.machine.has_value());
}

}  // namespace
}  // namespace scalediag::counters
