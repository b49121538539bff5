#include "collector/launch/plan/run_schedule.h"

#include <gtest/gtest.h>

#include <string>

namespace scalediag::launch {
namespace {

std::string text(const std::optional<RunChoice>& choice) {
  return choice ? std::to_string(choice->configuration) + "." + std::to_string(choice->repeat) : "end";
}

// Completes everything; `stable_after` says from how many complete repeats on a configuration is stable.
std::string run_all(RunSchedule& schedule, size_t n, int stable_after) {
  std::string order;
  std::vector<int> complete(n, 0);
  while (const auto choice = schedule.next()) {
    order += text(choice) + " ";
    schedule.note_complete(*choice);
    schedule.note_stable(choice->configuration, ++complete[choice->configuration] >= stable_after);
    if (order.size() > 1000) return "endless";
  }
  return order;
}

TEST(RunSchedule, GivesEveryConfigurationItsFirstRepeatBeforeAnySecond) {
  RunSchedule schedule(3, {2, 2, 5});
  EXPECT_EQ(run_all(schedule, 3, 1), "0.0 1.0 2.0 0.1 1.1 2.1 ");
}

TEST(RunSchedule, ExactlyMeansWhetherStableOrNot) {
  RunSchedule three(1, {3, 2, 5});
  EXPECT_EQ(run_all(three, 1, 1), "0.0 0.1 0.2 ");
  RunSchedule one(1, {1, 2, 5});
  EXPECT_EQ(run_all(one, 1, 9), "0.0 ");
}

TEST(RunSchedule, RepeatsAtLeastTwiceEvenIfStable) {
  RunSchedule schedule(1, {});
  EXPECT_EQ(run_all(schedule, 1, 0), "0.0 0.1 ");
}

TEST(RunSchedule, RepeatsUntilStable) {
  RunSchedule schedule(1, {});
  EXPECT_EQ(run_all(schedule, 1, 4), "0.0 0.1 0.2 0.3 ");
}

TEST(RunSchedule, StopsAtTheMaximum) {
  RunSchedule schedule(1, {});
  EXPECT_EQ(run_all(schedule, 1, 99), "0.0 0.1 0.2 0.3 0.4 ");
}

TEST(RunSchedule, RepeatsForSamplesBeyondTheMaximum) {
  RunSchedule schedule(2, {{}, 2, 2, 6});
  schedule.note_repeats_for_samples(1, 2);  // whatever comes, two more are needed: 4 complete ones and 2 are 6
  EXPECT_EQ(run_all(schedule, 2, 1), "0.0 1.0 0.1 1.1 1.2 1.3 1.4 ");
}

TEST(RunSchedule, NoRepeatIsMadeForSamplesThatWouldStillBeTooFew) {
  RunSchedule schedule(1, {{}, 2, 5, 6});
  schedule.note_repeats_for_samples(0, 5);
  EXPECT_EQ(run_all(schedule, 1, 1), "0.0 0.1 ");
}

TEST(RunSchedule, RepeatsKeepToTheTimeLeftButEveryConfigurationRunsOnce) {
  RunSchedule schedule(2, {});
  schedule.note_duration(0, 1);
  schedule.note_duration(1, 10);
  schedule.note_time_left(5);
  EXPECT_EQ(run_all(schedule, 2, 3), "0.0 1.0 0.1 0.2 ");  // 1 is too long for what is left
  EXPECT_EQ(schedule.left(), 0);
}

TEST(RunSchedule, RepeatsForSamplesThatTheTimeDoesNotAllowForAreNotBegun) {
  RunSchedule schedule(1, {});
  schedule.note_duration(0, 2);
  schedule.note_time_left(5);
  schedule.note_repeats_for_samples(0, 3);  // 6 s
  EXPECT_EQ(run_all(schedule, 1, 1), "0.0 0.1 ");
}

TEST(RunSchedule, FillsGapsThatEarlierSessionsLeft) {
  RunSchedule schedule(2, {3, 2, 5});
  schedule.note_complete({0, 0});
  schedule.note_complete({0, 2});
  schedule.note_complete({1, 1});
  EXPECT_EQ(run_all(schedule, 2, 1), "1.0 0.1 1.2 ");
}

TEST(RunSchedule, AFailureIsNotTriedAgainButMadeUpFor) {
  RunSchedule schedule(1, {});
  schedule.note_failed({0, 0});
  EXPECT_EQ(run_all(schedule, 1, 1), "0.1 0.2 ");
}

TEST(RunSchedule, TwoFailuresInARowGiveAConfigurationUp) {
  RunSchedule schedule(2, {4, 2, 5});
  schedule.note_failed({0, 0});
  schedule.note_complete({0, 1});
  schedule.note_failed({0, 2});
  EXPECT_EQ(text(schedule.next()), "1.0");
  schedule.note_failed({1, 0});
  schedule.note_failed({1, 1});
  EXPECT_EQ(text(schedule.next()), "0.3");  // 0 has a success between its failures
  EXPECT_EQ(schedule.left(1), 0);
}

TEST(RunSchedule, CountsWhatIsLeft) {
  RunSchedule exact(2, {3, 2, 5});
  EXPECT_EQ(exact.left(), 6);
  exact.note_complete({0, 0});
  EXPECT_EQ(exact.left(), 5);

  RunSchedule adaptive(2, {});
  EXPECT_EQ(adaptive.left(), 4);
  adaptive.note_complete({0, 0});
  adaptive.note_complete({0, 1});
  EXPECT_EQ(adaptive.left(0), 1);  // not stable: one more at a time
  adaptive.note_stable(0, true);
  EXPECT_EQ(adaptive.left(0), 0);
  EXPECT_EQ(adaptive.left(), 2);
  adaptive.note_failed({1, 0});
  EXPECT_EQ(adaptive.left(1), 1);
}

}  // namespace
}  // namespace scalediag::launch
