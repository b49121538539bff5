// The computation of a thread between MPI calls, in CPU time, without reading its CPU clock twice a call.
//
// Reading the clock of a thread is a system call (0.5 us here), the time-stamp counter is not (15 ns). In a stretch
// that is short by the counter, the thread had a core for nearly all the time, so that its CPU time is taken to be the
// counter's; only longer stretches, in MPI or outside, end with a reading of the clock. The limit is lower inside MPI,
// where a call that waits yields its core again and again.
#pragma once

#include <cstdint>
#include <ctime>

#include "pmpi-comm/ticks.h"

namespace scalediag::pmpi {

class TraceClock {
 public:
  static constexpr double kShortOutside_ns = 10'000;
  static constexpr double kShortInside_ns = 2'000;

  // Called by the thread that is traced.
  void start(double ns_per_tick) {
    ns_per_tick_ = ns_per_tick;
    cpu_ns_ = static_cast<double>(read_cpu_ns());
    last_ticks_ = ticks();
  }
  // CPU time in ns since leave_mpi().
  double enter_mpi() { return advance(kShortOutside_ns); }
  // Called when MPI is left: the time since enter_mpi() is not the application's computation.
  void leave_mpi() { advance(kShortInside_ns); }

 private:
  static uint64_t read_cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(t.tv_nsec);
  }
  double advance(double short_ns) {
    const uint64_t now = ticks();
    const double passed_ns = static_cast<double>(now - last_ticks_) * ns_per_tick_;
    last_ticks_ = now;
    if (passed_ns < short_ns) {
      cpu_ns_ += passed_ns;
      return passed_ns;
    }
    const auto cpu_ns = static_cast<double>(read_cpu_ns());
    // Short stretches may have been overestimated.
    const double ns = cpu_ns > cpu_ns_ ? cpu_ns - cpu_ns_ : 0;
    cpu_ns_ = cpu_ns;
    last_ticks_ = ticks();
    return ns;
  }

  double ns_per_tick_ = 1;
  uint64_t last_ticks_ = 0;
  double cpu_ns_ = 0;  // as far as it is known
};

}  // namespace scalediag::pmpi
