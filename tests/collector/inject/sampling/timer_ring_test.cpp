// The moments at which the timer expires, and the decision whether the thread ran then.
#include "collector/inject/sampling/timer_ring.h"

#include <gtest/gtest.h>

namespace scalediag::inject {
namespace {

constexpr uint64_t kPeriod_ns = 4000000;
constexpr uint64_t kMicrosecond = 1000;

TEST(RandomMoments, AreOneInEveryCell) {
  RandomMoments moments(kPeriod_ns, 7, 0);
  uint64_t now = 0;
  double within = 0;
  for (uint64_t cell = 0; cell < 1000; ++cell) {
    now = moments.next_ns(now);
    ASSERT_EQ(now / kPeriod_ns, cell);
    EXPECT_EQ(moments.cell_ns(), kPeriod_ns);
    within += static_cast<double>(now % kPeriod_ns);
  }
  // Uniform in a cell: the mean is half a period, with a standard deviation of 0.29 / sqrt(1000) = 0.9 % of one.
  EXPECT_NEAR(within / 1000 / kPeriod_ns, 0.5, 0.05);
}

// After a late signal, the moment of the cell that time has reached may still be to come: over many cells as often as
// the share of the cell that is left. If it were left out, work after a wait would be sampled too rarely.
TEST(RandomMoments, OfACellThatHasBegunAreUsedIfTheyAreStillToCome) {
  int in_the_begun_cell = 0;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomMoments moments(kPeriod_ns, seed * 0x9E3779B97F4A7C15u, 0);
    const uint64_t now = 10 * kPeriod_ns + kPeriod_ns / 4;
    const uint64_t next = moments.next_ns(now);
    ASSERT_GT(next, now);
    ASSERT_LE(next, 12 * kPeriod_ns);
    in_the_begun_cell += next < 11 * kPeriod_ns;
  }
  EXPECT_NEAR(in_the_begun_cell, 750, 60);  // standard deviation: sqrt(1000 x 0.75 x 0.25) = 14
}

TEST(RandomMoments, OfASleepingThreadAreFewer) {
  RandomMoments moments(kPeriod_ns, 7, 0);
  uint64_t now = 0;
  for (int i = 0; i < 10; ++i) moments.lengthen();
  now = moments.next_ns(now);
  EXPECT_EQ(moments.cell_ns(), 64 * kPeriod_ns);
  moments.shorten();
  moments.next_ns(now);
  EXPECT_EQ(moments.cell_ns(), kPeriod_ns);
}

TEST(Arrival, TellsWhetherTheThreadRan) {
  struct Case {
    uint64_t late_us, off_cpu_us;
    bool from_sleep, ran;
  };
  for (const Case& c : {
           Case{30, 0, false, true},        // it had its core all the time
           Case{900, 10, false, true},      // and was in a long system call
           Case{30, 3000, false, true},     // it had waited before, not when the timer expired
           Case{3000, 3000, false, false},  // it waited for a core
           Case{9000, 40000, false, false},
           Case{5000, 800, false, true},  // waited less than the signal was late: in a system call for the rest
           Case{60, 3000, true, false},   // woken by the signal
       }) {
    EXPECT_EQ(ran_at_expiry({c.late_us * kMicrosecond, c.off_cpu_us * kMicrosecond, c.from_sleep}), c.ran)
        << c.late_us << " us late, " << c.off_cpu_us << " us off the CPU";
  }
}

}  // namespace
}  // namespace scalediag::inject
