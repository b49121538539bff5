// The threads of the application, their samplers, and what all of them have measured.
//
// Functions that go through the list take its lock; it comes after the engine's flush lock and before a thread's own.
// Functions that are called while a process ends give up after a second: a signal handler may have interrupted the
// lock's holder.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "collector/inject/counting/call_totals.h"
#include "collector/inject/cpus/allowed_cpus.h"
#include "collector/inject/sampling/cpu_sampler.h"
#include "collector/inject/sampling/sample_table.h"
#include "collector/inject/settings.h"
#include "collector/inject/thread_record.h"
#include "core/raw/raw_records.h"

namespace scalediag::inject {

// Sums over all threads, those that ended included. Only the holder of the flush lock uses them.
struct ThreadTotals {
  SampleTable samples;
  CallTotals calls;
  AllowedCpus allowed_cpus;
  uint64_t lost_samples = 0;
  uint64_t late_overflows = 0;
  std::vector<uint64_t> counted;  // an element an event
};

class Threads {
 public:
  // Called once, by the thread that loads the library, which is the process's first one.
  void arm(const Settings& settings, uint64_t period_ns);
  // Adds the first thread, which pthread_create did not make, where another one calls MPI_Init.
  void add_first();
  // Starts the samplers of all threads; from now on new ones get theirs when they begin. `ranks` is the number in
  // MPI_COMM_WORLD.
  void start_sampling(int ranks);

  // Called when the calling thread begins: makes its record, nullptr for want of memory. `may_sample`: the rank has not
  // ended recording.
  ThreadRecord* begin_thread(uint32_t thread_class, uint64_t start, bool may_sample);
  // Called by a thread that ends, with the flush lock: removes its record. `keep`: what it measured counts. May throw
  // std::bad_alloc.
  void end_thread(ThreadRecord* record, bool keep, pid_t own_thread);
  // All threads' events go to the recorder from now on. `counts_calls`: so do their calls to the rank's file.
  void trace_with(pmpi::TraceRecorder* recorder, bool counts_calls = true);

  // Called by a thread whose operation ends. False when its notes are full, and the samples of CPUs have to be charged.
  bool note_operation(ThreadRecord& record) { return record.note_operation(cpus_); }
  // Charges the samples of the thread's own sampler and its counts; those of CPUs are charged for all threads together.
  void drain(ThreadRecord& record);
  // The following functions need the flush lock, and may throw std::bad_alloc.
  // `own_thread` is the collector's, which is not the application's.
  void drain_all(pid_t own_thread);
  // False where the list could not be had in time; totals() are then those of the last time.
  bool collect(pid_t own_thread);
  // Settles all threads but the main one, which is sampled from MPI_Init on; others may be younger than a period.
  void settle();
  // Counts threads without a sampler that pthread_create did not make.
  void count_unsampled(pid_t own_thread);
  ThreadTotals& totals() { return totals_; }

  // The sampler of the main thread, as raw::Identity has it, and why no better one is used.
  void describe_sampler(const ThreadRecord& main, raw::Identity& identity) const;
  // The largest number of threads at a time, without those of MPI.
  uint32_t most_threads() const { return most_threads_; }
  uint64_t unsampled_threads() const { return unsampled_threads_; }
  // The time in which the smallest ring fills up.
  double fill_s() const;
  // CPU time of beginning and ending other threads than the main one.
  uint64_t cost_of_threads_ns() const { return cost_of_threads_ns_.load(std::memory_order_relaxed); }
  CpuSampler& cpus() { return cpus_; }
  CallStacks& stacks() { return stacks_; }

  // The epoch of the modules that addresses belong to.
  uint32_t epoch() const { return epoch_; }
  void begin_epoch() { ++epoch_; }

 private:
  bool add(ThreadRecord* record);
  ThreadRecord* first_if_called_by_it();
  void start_sampler(ThreadRecord& record);
  void charge_cpu_samples(pid_t own_thread);

  const Settings* settings_ = nullptr;
  uint64_t period_ns_ = 0;
  pid_t first_tid_ = 0;
  pthread_t first_thread_{};

  std::timed_mutex lock_;
  bool sampling_ = false;
  std::vector<ThreadRecord*> records_;
  ThreadRecord* first_ = nullptr;  // of the first thread, made by add_first()
  pmpi::TraceRecorder* recorder_ = nullptr;
  uint32_t live_threads_ = 0;  // without those of MPI
  std::atomic<uint32_t> most_threads_{0};
  std::atomic<uint32_t> unsampled_threads_{0};
  std::atomic<uint64_t> smallest_ring_{64 * 1024};
  std::atomic<uint32_t> epoch_{0};
  std::atomic<uint64_t> cost_of_threads_ns_{0};
  SamplerOutcome main_outcome_;  // of starting the main thread's sampler
  CpuSampler cpus_;
  CallStacks stacks_;
  int cpus_errno_ = 0;        // the reason why CPUs are not sampled
  bool share_cores_ = false;  // the ranks of this node
  ThreadTotals totals_;
  uint64_t ended_lost_samples_ = 0, ended_late_overflows_ = 0;  // of threads that ended
  std::vector<uint64_t> ended_counted_;
};

}  // namespace scalediag::inject
