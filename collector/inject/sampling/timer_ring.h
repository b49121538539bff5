// Samples of one thread where perf_event_open is refused: a POSIX timer sends the thread a signal, whose handler puts
// the interrupted instruction into a ring.
//
// The timer is one of wall time, not of the thread's CPU time. The kernel looks at timers of CPU time only at the
// scheduler's ticks, and where ranks share cores these give a biased sample: ticks are also where the scheduler
// switches threads, so that work shorter than a tick between two waits is missed. A timer of wall time interrupts the
// processor at the moment that was asked for. Its disadvantage is that the signal may reach a thread which is not
// running, so that the handler has to recognise this.
//
// Wall time is divided into cells of one period, and in each the timer expires once, at a random moment. A sample
// stands for the length of its cell. A moment at which the thread did not run is no sample: the thread gets the signal
// when it runs again, which is later than a signal usually takes. So the samples' lengths add up to the thread's CPU
// time, and those of any part of the program to that part's.
//
// A thread that sleeps is woken by a signal, so its cells grow longer and longer until it runs again. Most system calls
// go on afterwards (SA_RESTART); around those that would return EINTR the signal is blocked (interpose_sleeps.cpp).
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "collector/inject/sampling/sample.h"
#include "collector/inject/sampling/stack_ring.h"

namespace scalediag::inject {

// The number of the signal; the raw file's sampler reason gives it to a user whose program needs it.
int timer_signal();

// The moments at which the timer expires: one in every cell, at random.
class RandomMoments {
 public:
  RandomMoments(uint64_t period_ns, uint64_t seed, uint64_t now_ns);
  // The next moment after `now_ns`, at which the last one has passed.
  uint64_t next_ns(uint64_t now_ns);
  // The length of the cell that the last moment is in.
  uint64_t cell_ns() const { return cell_ns_; }
  // Makes the cells that follow twice as long, up to 64 periods, or one period long again.
  void lengthen();
  void shorten() { length_ns_ = period_ns_; }

 private:
  uint64_t random_within(uint64_t length_ns);
  uint64_t period_ns_;
  uint64_t random_;
  uint64_t length_ns_;
  uint64_t cell_ns_ = 0;
  uint64_t cells_end_ns_;
};

// One signal of the timer, for its handler. Times in nanoseconds.
struct Arrival {
  uint64_t late = 0;        // since the timer expired
  uint64_t off_cpu = 0;     // the part of the time since the timer was set during which the thread did not run
  bool from_sleep = false;  // a system call was interrupted that has to be made again
};

// Whether the thread ran when the timer expired. A thread that waits for a core gets the signal when it has one again,
// which takes milliseconds if others compute. If the others only wait as well, it may be sooner than a signal usually
// takes; such a thread is inside MPI, whose time is not derived from moments alone (ThreadRecord::weigh_moments).
bool ran_at_expiry(const Arrival& arrival);

struct TimerSample {
  uint64_t address = 0;
  uint64_t wall_ns = 0;  // that the sample stands for
  uint32_t operation = 0;
  const StackRing* stacks = nullptr;  // null: none are copied
  KeptStack stack;
};

class TimerRing {
 public:
  TimerRing() = default;
  TimerRing(const TimerRing&) = delete;
  TimerRing& operator=(const TimerRing&) = delete;
  ~TimerRing() { close(); }

  // Copies the stack with each sample from now on, at most that many bytes, if there is memory for it. Before open().
  void keep_stacks(pthread_t thread, pid_t tid, size_t most_bytes) { stacks_.open(thread, tid, most_bytes); }
  // Starts sampling a thread of this process. `operation` is read in the handler and kept with each sample.
  // Returns 0 or an errno.
  int open(pid_t tid, uint64_t period_ns, const std::atomic<uint32_t>* operation);
  void close();

  bool has_news() const { return head_.load(std::memory_order_acquire) != tail_.load(std::memory_order_relaxed); }
  // Passes each new sample to `take(const TimerSample&)`. One reader at a time.
  template <class Take> void drain(Take take) {
    uint64_t tail = tail_.load(std::memory_order_relaxed);
    const uint64_t head = head_.load(std::memory_order_acquire);
    for (; tail != head; ++tail) {
      const Slot& s = ring_[tail % kSamples];
      take(TimerSample{s.address, s.wall_ns, s.operation, stacks_.is_open() ? &stacks_ : nullptr, s.stack});
      stacks_.release(s.stack);
    }
    tail_.store(tail, std::memory_order_release);
  }

  uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

  // Called by the signal handler on the sampled thread, with the handler's context.
  void on_signal(uint64_t address, bool from_sleep, const void* context);

 private:
  static constexpr size_t kSamples = 2048;
  struct Slot {
    uint64_t address = 0;
    uint64_t wall_ns = 0;
    uint32_t operation = 0;
    KeptStack stack;
  };
  static constexpr uint64_t kUnknown = UINT64_MAX;
  bool set_timer();
  void record(uint64_t address, const void* context);

  std::atomic<bool> open_{false};
  timer_t timer_{};
  const std::atomic<uint32_t>* operation_ = nullptr;
  RandomMoments moments_{1, 1, 0};
  uint64_t expires_ns_ = 0;
  uint64_t set_at_ns_ = 0;      // monotonic time
  uint64_t cpu_at_set_ns_ = 0;  // of the thread; kUnknown before the first signal of another thread's timer
  std::atomic<uint64_t> head_{0};
  std::atomic<uint64_t> tail_{0};
  std::atomic<uint64_t> lost_{0};
  StackRing stacks_;
  Slot ring_[kSamples];
};

}  // namespace scalediag::inject
