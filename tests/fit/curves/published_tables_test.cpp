// Published measurements: Panadero et al., "P3S: a methodology to analyze and predict application scalability", IEEE
// Transactions on Parallel and Distributed Systems 29(3), 2018. Its method executes signatures of the application and
// synthetic programs at the target's scale; ours gets the total times of the three small runs only.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "fit/curves/fit.h"
#include "fit/curves/model.h"

namespace scalediag::fit {
namespace {

struct Row {
  double processes;
  double measured_s;       // application execution time
  double paper_predicted;  // predicted execution time; 0 for the small runs, which are our input
};

struct Program {
  const char* name;
  std::vector<Row> rows;
};

// Table 9.
const std::vector<Program>& table_9() {
  static const std::vector<Program> kPrograms = {
      {"SP",
       {{256, 6035.67, 0},
        {324, 3965.57, 0},
        {484, 2896.99, 0},
        {1024, 1176.86, 1126.15},
        {2025, 525.08, 523.29},
        {4096, 359.37, 350.84},
        {4900, 265.27, 278.72}}},
      {"CG",
       {{128, 9131.76, 0},
        {256, 4853.63, 0},
        {512, 1860.61, 0},
        {1024, 1263.85, 1275.32},
        {2048, 677.93, 671.96},
        {4096, 621.07, 623.39}}},
      {"N-body",
       {{128, 26131.87, 0},
        {256, 11427.99, 0},
        {512, 6535.28, 0},
        {1024, 3269.23, 3259.98},
        {2048, 1642.87, 1632.14},
        {4096, 830.50, 818.06}}},
      {"Sweep3D",
       {{64, 4514.79, 0},
        {121, 2398.64, 0},
        {256, 1147.35, 0},
        {529, 569.71, 606.16},
        {1024, 317.94, 343.97},
        {2025, 165.91, 161.46},
        {4096, 93.49, 106.70}}},
      {"BT",
       {{256, 8379.85, 0},
        {324, 6544.89, 0},
        {484, 4408.87, 0},
        {1024, 2223.33, 2146.77},
        {2025, 987.14, 980.94},
        {4096, 549.33, 547.00},
        {4900, 480.16, 470.00}}},
  };
  return kPrograms;
}

Series small_runs(const Program& program) {
  Series s{{"p"}, "time_s", program.name, {}};
  for (const Row& row : program.rows)
    if (row.paper_predicted == 0) s.observations.push_back({{row.processes}, {row.measured_s}});
  return s;
}

// These are different programs, which learn nothing from each other: each is fitted alone.
TEST(P3sTable9, LargerScalesFromThreeSmallRuns) {
  std::vector<double> errors;
  int held = 0;
  std::printf("%-8s %6s %9s %9s %7s   %9s  %s\n", "program", "p", "measured", "ours", "error", "P3S error", "interval");
  for (const Program& program : table_9()) {
    const auto model = fit(small_runs(program));
    ASSERT_TRUE(model.ok()) << program.name;
    for (const Row& row : program.rows) {
      if (row.paper_predicted == 0) continue;
      const Estimate e = model.value().evaluate(std::array{row.processes});
      const double error = std::abs(e.value / row.measured_s - 1);
      const bool holds = e.low <= row.measured_s && row.measured_s <= e.high;
      std::printf("%-8s %6.0f %9.2f %9.2f %6.1f%%   %8.1f%%  %.0f to %.0f%s\n", program.name, row.processes,
                  row.measured_s, e.value, 100 * error, 100 * std::abs(row.paper_predicted / row.measured_s - 1), e.low,
                  e.high, holds ? "" : " (outside)");
      errors.push_back(error);
      held += holds ? 1 : 0;
    }
  }
  std::sort(errors.begin(), errors.end());
  const double median = (errors[errors.size() / 2 - 1] + errors[errors.size() / 2]) / 2;
  double mean = 0;
  for (const double e : errors) mean += e / static_cast<double>(errors.size());
  std::printf("%zu predictions: median error %.1f%%, mean %.1f%%, %d within the interval\n", errors.size(),
              100 * median, 100 * mean, held);
  ASSERT_EQ(errors.size(), 18u);
  // Of 18 points at least 85 % within 90 % intervals is 16 or more.
  EXPECT_GE(held, 16);
  // P3S itself, which runs at the target's scale, is within 14 %. Three runs of total time, of which two programs' are
  // disturbed (SP gains 20 % more than its processes between 256 and 324, CG 30 % between 256 and 512), cannot give
  // that; a typical error of a fifth is good enough for choosing the size of a machine.
  EXPECT_LE(median, 0.2);
}

// Table 6: BT's phase 6 comes to fit into the second-level cache between 1024 and 2025 processes, and its cycles per
// instruction fall from 0.92 to 0.53 (0.0638 s are 45 % of 0.2852 s x 1024/2025, which is 0.1442 s).
struct Phase {
  double processes, seconds, cycles_per_instruction;
};
constexpr std::array<Phase, 7> kTable6 = {{{256, 1.3381, 1.0142},
                                           {324, 1.0300, 0.9937},
                                           {484, 0.6770, 0.9904},
                                           {1024, 0.2852, 0.9194},
                                           {2025, 0.0638, 0.5272},
                                           {4096, 0.0397, 0.4823},
                                           {4900, 0.0239, 0.4763}}};

Model phase_6(size_t scales) {
  Series s{{"p"}, "time_s", "phase 6", {}};
  for (size_t i = 0; i < scales; i++) s.observations.push_back({{kTable6[i].processes}, {kTable6[i].seconds}});
  return fit(s).value();
}

TEST(P3sTable6, AKernelOnItsWayIntoCacheHasAnIntervalThatHoldsTheFall) {
  for (const size_t known : {size_t{3}, size_t{4}}) {
    const Model m = phase_6(known);
    for (size_t i = known; i < kTable6.size(); i++) {
      const Estimate e = m.evaluate(std::array{kTable6[i].processes});
      std::printf("phase 6 from %zu scales, p = %4.0f: measured %.4f, predicted %.4f in [%.4f, %.4f]\n", known,
                  kTable6[i].processes, kTable6[i].seconds, e.value, e.low, e.high);
      EXPECT_LE(e.low, kTable6[i].seconds) << kTable6[i].processes;
      EXPECT_GE(e.high, kTable6[i].seconds) << kTable6[i].processes;
    }
  }
}

// The warning must come from the data: the same kernel scaling exactly as its work is divided gives no reason for it.
TEST(P3sTable6, AKernelThatOnlyDividesItsWorkHasNoSuchInterval) {
  Series s{{"p"}, "time_s", "divided", {}};
  for (size_t i = 0; i < 4; i++)
    s.observations.push_back({{kTable6[i].processes}, {1.3381 * 256 / kTable6[i].processes}});
  const Estimate divided = fit(s).value().evaluate(std::array{2025.0});
  const Estimate falling = phase_6(4).evaluate(std::array{2025.0});
  EXPECT_LT(divided.value / divided.low, 1.5);
  EXPECT_GT(falling.value / falling.low, 2);
}

// Once it has happened it is reported, instead of being averaged away.
TEST(P3sTable6, TheChangeIsReportedWhereItWasMeasured) {
  const Model m = phase_6(6);
  const auto change = m.regime_change();
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->after, 1024);
  EXPECT_EQ(change->before, 2025);
  EXPECT_LT(change->factor, 0.6);
  const Estimate e = m.evaluate(std::array{4900.0});
  EXPECT_LE(e.low, 0.0239);
  EXPECT_GE(e.high, 0.0239);
}

}  // namespace
}  // namespace scalediag::fit
