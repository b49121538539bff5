// The computation of a thread between MPI calls, in CPU time, without reading its CPU clock twice a call.
//
// Reading the clock of a thread is a system call (0.5 us here), the time-stamp counter is not (15 ns). As long as the
// thread keeps its core (switch_notice.h) its CPU time is the counter's, however long that is, and the clock is read
// only after it has lost it. Where that cannot be noticed, it is taken to have kept it in stretches that are short by
// the counter. The limit is lower inside MPI, where a call that waits yields its core again and again.
#pragma once

#include <cstdint>
#include <ctime>

#include "pmpi-comm/ticks.h"
#include "pmpi-comm/trace/switch_notice.h"

namespace scalediag::pmpi {

class TraceClock {
 public:
  static constexpr double kShortOutside_ns = 10'000;
  static constexpr double kShortInside_ns = 2'000;

  // Called by the thread that is traced.
  void start(double ns_per_tick) {
    ns_per_tick_ = ns_per_tick;
    notice_.start();
    notice_.watch();
    cpu_ns_ = static_cast<double>(read_cpu_ns());
    last_ticks_ = ticks();
  }
  double ns_of(uint64_t ticks) const { return static_cast<double>(ticks) * ns_per_tick_; }
  // CPU time in ns since leave_mpi().
  double enter_mpi() {
    const double ns = advance(kShortOutside_ns);
    off_core_outside_ns_ += off_core_ns_;
    return ns;
  }
  // ns in which the thread was on no core, of all stretches that enter_mpi() ended.
  double off_core_outside_ns() const { return off_core_outside_ns_; }
  // Called when MPI is left: the time since enter_mpi() is not the application's computation.
  void leave_mpi() { advance(kShortInside_ns); }

 private:
  static uint64_t read_cpu_ns() { return cpu_clock_ns(CLOCK_THREAD_CPUTIME_ID); }
  double advance(double short_ns) {
    const uint64_t now = ticks();
    const double passed_ns = static_cast<double>(now - last_ticks_) * ns_per_tick_;
    last_ticks_ = now;
    off_core_ns_ = 0;
    if (notice_.has_kept_core()) {
      cpu_ns_ += passed_ns;
      return passed_ns;
    }
    // Losing the core from here on is noticed by the next call, whose stretch therefore begins later.
    notice_.watch();
    if (passed_ns < short_ns) {
      last_ticks_ = ticks();
      cpu_ns_ += passed_ns;
      return passed_ns;
    }
    const auto cpu_ns = static_cast<double>(read_cpu_ns());
    // Short stretches may have been overestimated.
    const double ns = cpu_ns > cpu_ns_ ? cpu_ns - cpu_ns_ : 0;
    cpu_ns_ = cpu_ns;
    off_core_ns_ = passed_ns > ns ? passed_ns - ns : 0;
    last_ticks_ = ticks();
    return ns;
  }

  SwitchNotice notice_;
  double ns_per_tick_ = 1;
  uint64_t last_ticks_ = 0;
  double cpu_ns_ = 0;       // as far as it is known
  double off_core_ns_ = 0;  // of the last stretch
  double off_core_outside_ns_ = 0;
};

}  // namespace scalediag::pmpi
