#include "report/render/text/emulate_text.h"

#include <gtest/gtest.h>

namespace scalediag::report {
namespace {

// Two ranks that computed 2 s each on a target that takes twice as long as this machine.
EmulationOutcome two_ranks() {
  EmulationOutcome outcome;
  outcome.simulation.cpu_factor = 2;
  outcome.simulation.simulation.total_s = 3;
  outcome.simulation.simulation.ranks.resize(2);
  for (loggp::RankTimes& rank : outcome.simulation.simulation.ranks) rank.computation_s = 2;
  outcome.sleep.resize(2);
  outcome.totals_s = {3};
  return outcome;
}

std::string text_after_time(const EmulationOutcome& outcome) {
  const std::string text = emulation_text(outcome, 0, {});
  const std::string last_of_all = "which is not predicted\n";
  return text.substr(text.find(last_of_all) + last_of_all.size());
}

TEST(EmulateText, WhatDidNotHappenIsNotTold) {
  EXPECT_EQ(text_after_time(two_ranks()), "");
  EXPECT_EQ(not_emulated_text(two_ranks()), "");
}

TEST(EmulateText, SleepIsToldWithTheRankThatSleptLongest) {
  EmulationOutcome outcome = two_ranks();
  outcome.sleep[0].told_s = 0.25;
  outcome.sleep[1] = {0.5, 0.125, 0};
  const std::string text = text_after_time(outcome);
  EXPECT_EQ(text.rfind("ranks slept up to 500.00 ms (rank 1): that is in their computation", 0), 0U) << text;
  EXPECT_NE(text.find("ranks slept up to 125.00 ms (rank 1) between tests that found nothing"), text.npos) << text;
}

TEST(EmulateText, TimeThatIsInNoEmulatedTimeIsAShareOfWhatPassedHere) {
  EmulationOutcome outcome = two_ranks();
  // Rank 0 slept 0.5 s of its 2 s, so that its CPU time here was (2 - 0.5) / 2 = 0.75 s; rank 1's was 1 s. With the
  // 0.75 s that rank 1 waited for files 0.5 + 0.75 + 1 + 0.75 = 3 s passed, of which 0.75 s are a quarter.
  outcome.sleep[0].told_s = 0.5;
  outcome.sleep[1].blocked_s = 0.75;
  EXPECT_EQ(emulation_json(outcome)["not_emulated_share"], 0.25);
  EXPECT_EQ(not_emulated_text(outcome).rfind("25 % of the ranks' time outside of MPI was no CPU time", 0), 0U);
}

TEST(EmulateText, ARegionIsToldOrWhyThereIsNone) {
  EmulationOutcome outcome = two_ranks();
  outcome.region = "solve";
  EXPECT_NE(text_after_time(outcome).find("the program marked no region"), std::string::npos);
  outcome.marked = {"setup", "output"};
  EXPECT_EQ(text_after_time(outcome), "no rank has left the region solve: the program marked setup, output\n");
  outcome.marked = {"setup", "solve"};
  EXPECT_EQ(text_after_time(outcome), "no rank has left the region solve, which was entered\n");
  outcome.part = {5, 2, 1, 2.5};
  EXPECT_EQ(text_after_time(outcome),
            "region solve: 1.5000 s of the predicted time, from 1.0000 to 2.5000 s (2 ranks, up to 5 times each)\n");
}

TEST(EmulateText, RepeatsAreToldWithTheirSpread) {
  EmulationOutcome outcome = two_ranks();
  outcome.totals_s = {2, 3, 4};
  // The deviation of 2, 3 and 4 from their mean of 3 is sqrt((1 + 0 + 1) / 2) = 1, a third of it.
  EXPECT_EQ(text_after_time(outcome),
            "3 emulations: predicted time 3.0000 s on average, from 2.0000 to 4.0000 s, standard deviation 33.3 %; all "
            "else is of the last one\n");
}

}  // namespace
}  // namespace scalediag::report
