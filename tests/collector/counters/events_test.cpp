#include "collector/counters/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace scalediag::counters {
namespace {

const CountedMetric* find(const std::vector<CountedMetric>& metrics, const std::string& name) {
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const auto& m) { return m.description.metric == name; });
  return found == metrics.end() ? nullptr : &*found;
}

TEST(EventTable, EveryLineIsWhole) {
  std::set<std::string> metrics;
  for (const MetricFormula& line : metric_formulas()) {
    metrics.insert(line.metric);
    EXPECT_NE(std::find(std::begin(core::kCounterMetrics), std::end(core::kCounterMetrics), line.metric),
              std::end(core::kCounterMetrics))
        << line.metric;
    EXPECT_FALSE(line.processors.empty()) << line.formula;
    EXPECT_FALSE(line.source.empty()) << line.formula;
    ASSERT_FALSE(line.terms.empty()) << line.metric;
    EXPECT_EQ(line.terms.front().factor, 1) << line.formula;
    // As many names as there are operators between them, and one more.
    size_t names = 1;
    for (const char* joint : {" + ", " - "}) {
      for (size_t at = line.formula.find(joint); at != std::string::npos; at = line.formula.find(joint, at + 1))
        ++names;
    }
    EXPECT_EQ(line.terms.size(), names) << line.formula;
  }
  EXPECT_EQ(metrics.size(), std::size(core::kCounterMetrics)) << "a metric has no line";
}

TEST(EventTable, PresetsBecomeMetrics) {
  const auto metrics = metrics_of({"PAPI_TOT_CYC", "PAPI_TOT_INS"});
  ASSERT_EQ(metrics.size(), 2u);
  ASSERT_NE(find(metrics, "cycles"), nullptr);
  ASSERT_NE(find(metrics, "instructions"), nullptr);
  EXPECT_EQ(find(metrics, "cycles")->value({300, 700}), 300);
  EXPECT_EQ(find(metrics, "instructions")->value({300, 700}), 700);
  EXPECT_EQ(find(metrics, "cycles")->description.event, "PAPI_TOT_CYC");
  EXPECT_FALSE(find(metrics, "cycles")->description.derived);
}

TEST(EventTable, ADerivedMetricSaysHowAndItsEventsKeepTheirNames) {
  const auto metrics = metrics_of({"STALL_BACKEND", "STALL_FRONTEND"});
  const CountedMetric* stalls = find(metrics, "stall_cycles");
  ASSERT_NE(stalls, nullptr);
  EXPECT_TRUE(stalls->description.derived);
  EXPECT_NE(stalls->description.formula_or_source.find("STALL_FRONTEND + STALL_BACKEND"), std::string::npos);
  EXPECT_EQ(stalls->value({30, 12}), 42);
  ASSERT_NE(find(metrics, "STALL_BACKEND"), nullptr);
  EXPECT_EQ(find(metrics, "STALL_BACKEND")->value({30, 12}), 30);
  EXPECT_EQ(find(metrics, "STALL_FRONTEND")->value({30, 12}), 12);
}

TEST(EventTable, WhatIsSubtractedNeverMakesACountNegative) {
  const auto metrics = metrics_of({"L1D_CACHE_RD", "L1D_CACHE_REFILL_RD"});
  const CountedMetric* hits = find(metrics, "l1_hits");
  ASSERT_NE(hits, nullptr);
  EXPECT_EQ(hits->value({100, 30}), 70);
  EXPECT_EQ(hits->value({100, 130}), 0);
}

TEST(EventTable, HalfAFormulaIsNoMetric) {
  const auto metrics = metrics_of({"L1D_CACHE_RD"});
  EXPECT_EQ(find(metrics, "l1_hits"), nullptr);
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_EQ(metrics.front().description.metric, "L1D_CACHE_RD");
}

TEST(EventTable, EventsOutsideTheVocabularyKeepTheirNames) {
  const auto metrics = metrics_of({"sde:::heat::CELLS", "PAPI_TOT_INS", "sde:::heat::CELLS"});
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(find(metrics, "sde:::heat::CELLS")->value({5, 7, 9}), 5);
}

TEST(EventTable, AnEventThatTwoMetricsUseServesBoth) {
  // Zen 4: every load that was dispatched and not filled from further away was a hit.
  const std::string fills = "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:";
  const auto metrics = metrics_of({"LS_DISPATCH:LD_DISPATCH", fills + "LCL_L2", fills + "LOCAL_CCX",
                                   fills + "DRAM_IO_NEAR", fills + "DRAM_IO_FAR"});
  const std::vector<double> counts = {1000, 100, 50, 6, 4};
  ASSERT_NE(find(metrics, "l1_hits"), nullptr);
  EXPECT_EQ(find(metrics, "loads")->value(counts), 1000);
  EXPECT_EQ(find(metrics, "l1_hits")->value(counts), 1000 - 100 - 50 - 6 - 4);
  EXPECT_EQ(find(metrics, "l2_hits")->value(counts), 100);
  EXPECT_EQ(find(metrics, "llc_hits")->value(counts), 50);
  EXPECT_EQ(find(metrics, "memory_accesses")->value(counts), 10);
}

TEST(EventTable, AVectorsOperationsCountByItsLanes) {
  const std::string flops = "FP_ARITH_INST_RETIRED:";
  const auto metrics = metrics_of({flops + "SCALAR", flops + "128B_PACKED_DOUBLE", flops + "4_FLOPS", flops + "8_FLOPS",
                                   flops + "512B_PACKED_SINGLE"});
  ASSERT_NE(find(metrics, "flops"), nullptr);
  EXPECT_EQ(find(metrics, "flops")->value({10, 3, 2, 1, 1}), 10 + 2 * 3 + 4 * 2 + 8 * 1 + 16 * 1);
}

TEST(EventTable, StallsForMemoryAreThoseOfLoadsAndOfStoresAndNotAllStalls) {
  const auto metrics =
      metrics_of({"CYCLE_ACTIVITY:STALLS_MEM_ANY", "EXE_ACTIVITY:BOUND_ON_STORES", "CYCLE_ACTIVITY:STALLS_TOTAL"});
  const std::vector<double> counts = {30, 12, 70};
  ASSERT_NE(find(metrics, "memory_stall_cycles"), nullptr);
  EXPECT_EQ(find(metrics, "memory_stall_cycles")->value(counts), 30 + 12);
  ASSERT_NE(find(metrics, "stall_cycles"), nullptr);
  EXPECT_EQ(find(metrics, "stall_cycles")->value(counts), 70);
  // Without the stores' event only loads are left; without both events only stalls of all kinds.
  const auto loads = metrics_of({"EXE_ACTIVITY:BOUND_ON_LOADS"});
  ASSERT_NE(find(loads, "memory_stall_cycles"), nullptr);
  EXPECT_NE(find(loads, "memory_stall_cycles")->description.formula_or_source.find("loads only"), std::string::npos);
  EXPECT_EQ(find(metrics_of({"CYCLE_ACTIVITY:STALLS_TOTAL"}), "memory_stall_cycles"), nullptr);
}

using Events = std::vector<std::string>;

// Four counters.
bool four_fit(const Events& events) { return events.size() <= 4; }

TEST(EventGroups, EventsOfOneMetricAreCountedInOneRun) {
  // One after the other, D would have the last place of the second group, and E the third one.
  const EventGroups divided =
      divide_into_groups({"CYC", "INS"}, {{"CYC"}, {"INS"}, {"A", "B"}, {"C"}, {"D", "E"}}, four_fit);
  EXPECT_EQ(divided.groups,
            (std::vector<Events>{{"CYC", "INS", "A", "B"}, {"CYC", "INS", "C"}, {"CYC", "INS", "D", "E"}}));
  EXPECT_TRUE(divided.left_out.empty());
}

TEST(EventGroups, AnEventOfTwoMetricsIsCountedOnceInAGroup) {
  const EventGroups divided = divide_into_groups({"CYC", "INS"}, {{"A"}, {"A", "B"}}, four_fit);
  EXPECT_EQ(divided.groups, (std::vector<Events>{{"CYC", "INS", "A", "B"}}));
}

TEST(EventGroups, WhatNeedsMoreCountersThanThereAreIsLeftOut) {
  const EventGroups divided = divide_into_groups({"CYC", "INS"}, {{"A", "B", "C", "D"}, {"E", "F", "G"}}, four_fit);
  EXPECT_EQ(divided.left_out, (std::vector<Events>{{"A", "B", "C", "D"}}));
  // Three have room without the instructions.
  EXPECT_EQ(divided.groups, (std::vector<Events>{{"CYC", "INS"}, {"CYC", "E", "F", "G"}}));
}

TEST(SameEvent, TheUnitAndTheCaseDoNotMatter) {
  EXPECT_TRUE(same_event("skx::MEM_LOAD_RETIRED:L1_HIT", "mem_load_retired:l1_hit"));
  EXPECT_FALSE(same_event("MEM_LOAD_RETIRED:L1_HIT", "MEM_LOAD_RETIRED:L2_HIT"));
  EXPECT_FALSE(same_event("sde:::a::X", "sde:::b::X"));
  EXPECT_TRUE(same_event("MEM_LOAD_RETIRED:L1_HIT:precise=1", "skx::MEM_LOAD_RETIRED:L1_HIT"));
  EXPECT_FALSE(same_event("MEM_LOAD_RETIRED:L1_HIT:precise=1", "MEM_LOAD_RETIRED:L2_HIT"));
}

}  // namespace
}  // namespace scalediag::counters
