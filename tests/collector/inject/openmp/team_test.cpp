#include "collector/inject/openmp/team.h"

#include <gtest/gtest.h>

#include <thread>

#include "pmpi-comm/ticks.h"

namespace scalediag::inject::openmp {
namespace {

// Lets that many ticks pass, and returns how many did.
uint64_t pass(uint64_t least) {
  const uint64_t begin = pmpi::ticks();
  while (pmpi::ticks() - begin < least) {
  }
  return pmpi::ticks() - begin;
}

// A member belongs to its thread, so that each test has one.
template <class Test>
void on_a_thread(Test test) {
  std::thread([&test] { test(Member::here()); }).join();
}

TEST(Team, AThreadIsBusyButForItsWaits) {
  on_a_thread([](Member& me) {
    Team team;
    const uint64_t begin = pmpi::ticks();
    me.join(team);
    uint64_t busy = pass(10000);
    me.pause();
    const uint64_t waited = pass(500000);
    me.resume();
    busy += pass(20000);
    me.leave();
    const uint64_t all = pmpi::ticks() - begin;
    EXPECT_EQ(team.threads, 1u);
    EXPECT_GE(team.busy_ticks, busy);
    EXPECT_LE(team.busy_ticks, all - waited);
    EXPECT_EQ(team.slowest_ticks, team.busy_ticks);
  });
}

TEST(Team, TheSlowestThreadIsTheOneThatIsBusyLongest) {
  Team team;
  for (const uint64_t ticks : {200000, 5000000, 200000}) {
    on_a_thread([&](Member& me) {
      me.join(team);
      pass(ticks);
      me.leave();
    });
  }
  EXPECT_EQ(team.threads, 3u);
  EXPECT_GE(team.slowest_ticks, 5000000u);
  // The others were busy as well.
  EXPECT_GE(team.busy_ticks, team.slowest_ticks + 2 * 200000);
}

TEST(Team, ATaskIsWorkOfAThreadThatWaits) {
  on_a_thread([](Member& me) {
    Team team;
    me.join(team);
    EXPECT_FALSE(me.begin_task(&team));  // it is busy in any case
    me.leave();
    const uint64_t before = team.busy_ticks;
    EXPECT_TRUE(me.begin_task(&team));
    const uint64_t task = pass(10000);
    EXPECT_FALSE(me.begin_task(&team));  // a task within it
    me.end_task();
    EXPECT_GE(team.busy_ticks, before + task);
    Team other;
    EXPECT_FALSE(me.begin_task(&other));
    EXPECT_FALSE(me.begin_task(nullptr));
  });
}

TEST(Team, OnlyTheOutermostRegionIsLookedAt) {
  on_a_thread([](Member& me) {
    Team team;
    EXPECT_EQ(me.team_at_work(), nullptr);
    me.join(team);
    EXPECT_EQ(me.team_at_work(), &team);
    me.enter_inner();
    EXPECT_TRUE(me.is_busy_in_region());
    EXPECT_EQ(me.team_at_work(), nullptr);
    me.leave_inner();
    EXPECT_EQ(me.team_at_work(), &team);
    me.leave();
    EXPECT_EQ(me.team_at_work(), nullptr);
    me.forget();
    EXPECT_FALSE(me.waits_in_region());
  });
}

// The first busy time of a thread is long, so that its CPU time is read at the second one's ends; a sleeping thread has
// none. Ticks are at most a few nanoseconds.
TEST(Team, CpuTimeIsReadWhereBusyTimesAreLong) {
  on_a_thread([](Member& me) {
    Team team;
    me.join(team);
    pass(1000000);
    me.pause();
    team.reset();
    me.resume();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    me.leave();
    EXPECT_EQ(team.unread_ticks, 0u);
    EXPECT_LT(team.busy_cpu_ns, 25000000u);
    EXPECT_GT(team.busy_ticks, 0u);
  });
}

TEST(Team, AThreadThatSleepsAfterAShortBusyTimeUsesNoCpu) {
  on_a_thread([](Member& me) {
    Team team;
    me.join(team);
    me.pause();
    me.resume();  // without reading its CPU time
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    me.leave();
    EXPECT_EQ(team.unread_ticks, 0u);
    EXPECT_LT(team.busy_cpu_ns, 25000000u);
  });
}

}  // namespace
}  // namespace scalediag::inject::openmp
