// Samples of one thread where perf_event_open is refused: a POSIX timer on the thread's CPU clock sends it a
// signal, whose handler puts the interrupted instruction into a ring.
//
// The timer advances with the thread's CPU time only, so a thread that waits in the kernel is not
// interrupted. It can not run faster than the scheduler's tick.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "collector/inject/sample.h"

namespace scalediag::inject {

// The signal used; the raw file's sampler reason tells it to a user whose program needs it.
int timer_signal();

class TimerRing {
 public:
  TimerRing() = default;
  TimerRing(const TimerRing&) = delete;
  TimerRing& operator=(const TimerRing&) = delete;
  ~TimerRing() { close(); }

  // Starts sampling a thread of this process. `operation` is read in the handler and kept with each sample.
  // Returns 0 or an errno.
  int open(pthread_t thread, pid_t tid, uint64_t period_ns, const std::atomic<uint32_t>* operation);
  void close();

  // Passes each new sample to `take(const Sample&, uint32_t operation)`. One reader at a time.
  template <class Take>
  void drain(Take take) {
    uint64_t tail = tail_.load(std::memory_order_relaxed);
    const uint64_t head = head_.load(std::memory_order_acquire);
    for (; tail != head; ++tail) take(ring_[tail % kSamples].sample, ring_[tail % kSamples].operation);
    tail_.store(tail, std::memory_order_release);
  }

  uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

  // Called by the signal handler on the sampled thread.
  void record(uint64_t address);

 private:
  static constexpr size_t kSamples = 2048;
  struct Slot {
    Sample sample;
    uint32_t operation = 0;
  };
  bool open_ = false;
  timer_t timer_{};
  const std::atomic<uint32_t>* operation_ = nullptr;
  uint64_t cpu_at_start_ns_ = 0;
  std::atomic<uint64_t> head_{0};
  std::atomic<uint64_t> tail_{0};
  std::atomic<uint64_t> lost_{0};
  Slot ring_[kSamples];
};

}  // namespace scalediag::inject
