// A thread of the application for the engine: its sampler, its samples since the last flush, its calls.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "collector/inject/counting/counting.h"
#include "collector/inject/counting/operation_log.h"
#include "collector/inject/sampling/cpu_sampler.h"
#include "collector/inject/sampling/perf_ring.h"
#include "collector/inject/sampling/sample_table.h"
#include "collector/inject/sampling/timer_ring.h"
#include "collector/inject/settings.h"
#include "collector/inject/unwinding/call_stacks.h"
#include "pmpi-comm/call_table.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::inject {

struct SamplerOutcome {
  int perf_errno = 0;  // the reason why perf_event_open was not used; 0 when it was not tried or works
  int timer_errno = 0;
};

class ThreadRecord : public pmpi::ThreadState {
 public:
  // `thread` has to be alive; `thread_class` is a raw::ThreadClass. `start` is the address of the function that the
  // thread runs, 0 where that is not known.
  ThreadRecord(uint32_t thread_class, pthread_t thread, pid_t tid, uint64_t start = 0);

  // Called by the thread itself, before anything is to be sampled. With samples of CPUs, a thread that never called it
  // counts as outside MPI.
  void learn_cpu();
  // From now on the thread is sampled with the CPUs that it runs on. False for want of memory.
  bool watch_cpus();
  bool watches_cpus() const { return log_ != nullptr; }
  // Called by the thread itself: its operation ends, and samples of it may have been taken. False when the log is full.
  bool note_operation(CpuSampler& sampler);
  // Called around looking up samples, by one thread at a time. Entries that are noted later are kept for later samples.
  void begin_look_up() { looked_up_ = log_ != nullptr ? log_->position() : 0; }
  uint32_t operation_at(uint64_t time_ns) const {
    return log_ != nullptr ? log_->operation_at(time_ns, operation) : raw::kOutsideMpi;
  }
  void end_look_up() {
    if (log_ != nullptr) log_->forget(looked_up_);
  }
  bool has_notes() const { return log_ != nullptr && !log_->empty(); }

  // Any thread may call the following functions; the record's lock orders them. A thread that does not get the lock
  // within a second returns: a signal handler that ends the process may have interrupted its holder.

  // From now on each sample has its call stack, of which so many bytes are copied. Before start_sampler(), which then
  // has to choose the timer.
  void keep_stacks(CallStacks& stacks, size_t most_bytes);
  // Starts sampling with a period of the thread's own, within a tenth of `period_ns`. True when a sampler runs.
  bool start_sampler(SamplerChoice choice, uint64_t period_ns, SamplerOutcome& outcome);
  // Called when the thread began while others are sampled: its CPU time before this record was made is its work as
  // well.
  void count_from_birth();
  // Moves the samples of the sampler into the pending samples, charged to the operation that the thread is in. May
  // throw std::bad_alloc.
  void drain(uint32_t epoch);
  // drain(), then moves the pending samples into `totals`.
  void collect(uint32_t epoch, SampleTable& totals);
  // Called when the thread ends, or will not be looked at again. CPU time that no sample stands for, which is all of a
  // thread shorter than a period, is charged to the place of its last sample, or else to its start function. To be
  // called before the last collect(); sampling has to be on, or to have been refused.
  void settle(uint32_t epoch);
  void stop_sampler();

  // Called by the thread itself: begins and ends counting events, where they were asked for.
  void begin_counting();
  void end_counting(uint32_t epoch);

  // Called when the thread gives up its core inside an MPI operation. A thread that does so again is waiting, and its
  // sampler is paused: a sampled thread is expensive to switch (4.8 us a yield instead of 1.4 us, measured in a virtual
  // machine), and an idle rank may do nothing else. The operation is charged with the CPU time that the thread's clock
  // shows until the next drain(), which ends the pause. Only the thread itself may call it. May throw std::bad_alloc.
  void yields_in_mpi(uint32_t epoch);

  uint64_t lost_samples();
  // The number of overflows of counters whose counts were charged to the place of a later one.
  uint64_t late_overflows();
  // Adds what the thread has counted so far, where each event overflows by itself; `totals` has an element an event.
  void add_counted(std::vector<uint64_t>& totals);
  bool sees_kernel_mode() const { return perf_.sees_kernel_mode(); }
  bool uses_timer() const { return timer_ != nullptr; }
  bool sampled() const { return perf_.is_open() || timer_ != nullptr || log_ != nullptr; }
  size_t ring_bytes() const { return perf_.ring_bytes(); }
  pid_t tid() const { return tid_; }

 private:
  void drain_locked(uint32_t epoch);
  void drain_timer(uint32_t epoch);
  uint64_t longest_gap_ns() const;
  uint64_t used_ns() const;
  uint64_t accounted_ns() const;
  uint64_t switching_ns() const;
  void charge(const Sample& sample, uint32_t operation, uint32_t epoch);
  void weigh_moments();
  SampleKey key_of(uint64_t address, uint32_t operation, uint32_t epoch) const;
  void drain_counts(uint32_t epoch);
  void charge_pause();
  void end_waiting(uint32_t epoch);

  std::unique_lock<std::timed_mutex> locked();

  std::timed_mutex lock_;
  pthread_t thread_;
  std::optional<clockid_t> cpu_clock_;
  pid_t tid_;
  uint64_t start_;
  uint64_t cpu_at_birth_ns_;
  const volatile uint32_t* cpu_word_ = nullptr;
  std::unique_ptr<OperationLog> log_;
  uint64_t looked_up_ = 0;
  PerfRing perf_;
  std::unique_ptr<TimerRing> timer_;
  CallStacks* stacks_ = nullptr;
  size_t stack_bytes_ = 0;
  std::unique_ptr<ThreadCounting> counting_;
  uint64_t period_ns_ = 0;
  bool to_be_sampled_ = false;    // start_sampler() was called to sample
  uint64_t cpu_at_start_ns_ = 0;  // the thread's CPU clock when sampling began
  uint64_t last_cpu_ns_ = 0;      // perf: the event's clock at the last sample; timer: CPU time that was charged
  SampleTable moments_;           // of the timer since the last collect(): wall time that they stand for
  uint64_t switching_charged_ns_ = 0;
  enum class Waiting { kNot, kYielded, kPaused };
  Waiting waiting_ = Waiting::kNot;
  uint64_t pause_charged_until_ns_ = 0;  // of the thread's CPU clock
  uint64_t pauses_charged_ns_ = 0;
  uint64_t settled_ns_ = 0;
  std::optional<SampleKey> last_key_;  // of the last sample
  SampleTable pending_;
  pmpi::CallTable call_table_;
};

}  // namespace scalediag::inject
