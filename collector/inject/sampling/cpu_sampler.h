// Samples of this process's threads, from events of the CPUs that they run on.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/inject/sampling/cpu_ring.h"
#include "collector/inject/sampling/event_exchange.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::inject {

class CpuSampler {
 public:
  // Starts sampling the CPUs that the calling thread may run on. `run` is the same for all ranks that share events.
  // Returns 0 or an errno.
  int start(const std::string& run, uint64_t period_ns);
  bool running() const { return running_.load(std::memory_order_acquire); }
  // Whether this process opened the events that others use.
  bool shares() const { return exchange_.serves(); }
  // Stops handing out events; reading goes on.
  void stop_sharing() { exchange_.stop(); }
  void forget_after_fork();

  // The kernel's write position in the CPU's ring; it never changes for a CPU that is not sampled. Any thread may call
  // it, and threads read it after the sampler has stopped: rings stay until the process ends.
  const volatile uint64_t* head_of(uint32_t cpu) const {
    const CpuRing* ring = cpu < n_cpus_ ? rings_[cpu].load(std::memory_order_acquire) : nullptr;
    return ring != nullptr ? ring->head() : &pmpi::ThreadState::kNoRing;
  }
  // Ask extend() to sample further CPUs: one that a thread was seen on, or all that the calling thread may run on. Any
  // thread may call either.
  void want(uint32_t cpu);
  void want_cpus_of_this_thread();

  // The following functions are for one thread at a time.
  void extend();
  // Passes each sample of this process to `take(const CpuSample&)`.
  template <class Take> void drain(Take take) {
    for (CpuRing* ring : opened_) {
      ring->drain([&](const CpuSample& s) {
        ++read_;
        if (s.pid != pid_) return;
        ++taken_;
        take(s);
      });
    }
  }
  // This process's share of all lost samples, assumed to be its share of the samples that were read.
  uint64_t lost() const;

 private:
  int add(const std::vector<uint32_t>& cpus);

  std::atomic<bool> running_{false};
  pid_t pid_ = 0;
  std::string run_;
  uint64_t period_ns_ = 0;
  uint32_t n_cpus_ = 0;
  std::unique_ptr<std::atomic<CpuRing*>[]> rings_;  // by CPU; never freed
  std::unique_ptr<std::atomic<bool>[]> wanted_;     // by CPU
  std::atomic<bool> any_wanted_{false};
  std::vector<CpuRing*> opened_;
  uint64_t read_ = 0;   // samples of all processes
  uint64_t taken_ = 0;  // of this one
  EventExchange exchange_;
};

}  // namespace scalediag::inject
