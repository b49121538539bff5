// The life of the collector inside one rank: armed when the library is loaded, recording from the end of MPI_Init
// to the start of MPI_Finalize, closed when the process exits.
//
// Locks are taken in this order: flush, threads, a thread's own.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collector/inject/clock_points.h"
#include "collector/inject/counting/call_totals.h"
#include "collector/inject/cpus/allowed_cpus.h"
#include "collector/inject/patience.h"
#include "collector/inject/sampling/cpu_sampler.h"
#include "collector/inject/sampling/sample_table.h"
#include "collector/inject/settings.h"
#include "collector/inject/thread_record.h"
#include "collector/inject/writing/module_map.h"
#include "collector/inject/writing/raw_writer.h"
#include "collector/inject/writing/trace_file.h"

namespace scalediag::inject {

class Engine {
 public:
  // The only instance. It is never destroyed: threads of the application may outlive the destructors of static objects.
  static Engine& get();

  void arm(const Settings& settings);
  bool armed() const { return armed_; }

  void init_begin();
  void init_end(int rank, int size, const char* version);
  void finalize_begin();
  void finalize_end();
  void abort();
  void process_exit();

  // Called when the calling thread begins and ends. `thread_class` is a raw::ThreadClass, `start` the address of the
  // function that the thread runs, 0 where that is not known.
  ThreadRecord* begin_thread(uint32_t thread_class, uint64_t start = 0);
  void end_thread(ThreadRecord* record);
  // The class of a thread that the calling thread makes.
  uint32_t class_of_new_thread() const;

  // Called at the beginning and end of an operation: charges the samples of `record` until now.
  void drain(ThreadRecord& record);
  // The same for the thread's own sampler and counters only; samples of CPUs are charged for all threads together.
  void drain_own(ThreadRecord& record);
  // Called when the calling thread is about to give up its core.
  void yields();

  // Called around the application's dlclose.
  void before_unload();
  void after_unload();

  // Called in a child of fork, where nothing of the recording belongs to the process any more.
  void forget_after_fork();

 private:
  enum class State { kIdle, kInitialising, kRecording, kOver };

  bool open_file(int rank, int size);
  void start_samplers();
  // Whether CPUs are sampled instead of threads.
  bool start_cpu_sampler();
  // Requires the flush lock and that of the threads. May throw std::bad_alloc.
  void charge_cpu_samples();
  // Called by a thread whose operation ends.
  void note_operation(ThreadRecord& record);
  // Starts a trace if one was asked for. If it cannot be recorded, the rest is recorded all the same.
  void start_trace(int rank, int size, const char* version);
  // Called by the thread that is traced.
  void finish_trace(trace::End end);
  void write_identity(int rank, int size, const char* version);
  void write_stamp();
  void start_flusher();
  // False when it could not be stopped within two seconds: a signal handler that calls exit may have interrupted a
  // thread that the flusher waits for.
  bool stop_flusher();
  static void* flusher_main(void* engine);
  void flush_periodically();
  void drain_all();

  // Does `work` with the flush lock and ends recording when memory runs out. Skips it when the lock is not available in
  // time: its holder may have been interrupted by the signal handler that we are in.
  template <class Work>
  bool guarded(std::chrono::seconds patience, Work work);
  void flush(raw::Phase phase);
  // Drains every thread and writes what changed. May throw std::bad_alloc.
  void flush_locked(raw::Phase phase);
  void start_sampler(ThreadRecord& record);
  void collect_threads();
  void settle_threads();
  void end_counting_here();
  // Adds the process's first thread, which pthread_create did not make. Where another thread calls MPI_Init, the first
  // one is an application's thread like others.
  void add_first_thread();
  // The record of the first thread if the calling thread is that one and has none yet.
  ThreadRecord* first_thread_if_called_by_it();
  void note_modules();
  void write_samples();
  void write_calls();
  void write_clock(const ClockPoint& p);
  void write_losses();
  void write_counting();
  void write_allowed_cpus();
  void write_spawned();
  void write_waits(raw::Phase phase);
  void write_footer();
  void count_unsampled_threads();

  bool armed_ = false;
  Settings settings_;
  uint64_t period_ns_ = 0;
  pid_t pid_ = 0;
  std::optional<clockid_t> main_thread_;  // its CPU clock
  pid_t main_tid_ = 0;
  pthread_t first_thread_{};  // the one whose number is pid_, which loads the library
  std::atomic<State> state_{State::kIdle};

  std::timed_mutex flush_lock_;
  RawWriter writer_;
  SampleTable totals_;
  CallTotals calls_;
  AllowedCpus allowed_cpus_;
  ClockPoint load_clock_, init_begin_clock_;  // before there is a file
  uint64_t samples_ = 0;
  uint64_t lost_retired_ = 0;
  uint64_t late_retired_ = 0;
  std::vector<uint64_t> counted_retired_;  // by ended threads, an element an event
  uint64_t lost_ = 0;
  uint64_t spawned_written_ = 0;
  bool file_has_modules_ = false;
  ModuleChanges modules_written_;
  std::atomic<uint32_t> epoch_{0};

  std::timed_mutex threads_lock_;
  bool samplers_on_ = false;
  std::vector<ThreadRecord*> threads_;
  ThreadRecord* first_record_ = nullptr;  // of the first thread, made by add_first_thread()
  uint32_t threads_now_ = 0;
  std::atomic<uint32_t> threads_most_{0};
  std::atomic<uint32_t> unsampled_threads_{0};
  std::atomic<uint64_t> smallest_ring_{64 * 1024};
  std::atomic<bool> out_of_memory_{false};

  std::mutex flusher_lock_;
  std::condition_variable flusher_wake_;
  bool flusher_stop_ = false;
  bool flusher_runs_ = false;
  pthread_t flusher_{};
  std::atomic<pid_t> flusher_tid_{0};
  std::atomic<uint64_t> collector_cpu_ns_{0};  // of the flusher
  std::atomic<uint64_t> thread_cost_ns_{0};    // of beginning and ending other threads than the main one, CPU time
  SamplerOutcome sampler_outcome_;
  CpuSampler cpu_sampler_;
  bool share_cores_ = false;   // the ranks of this node
  int cpu_sampler_errno_ = 0;  // the reason why CPUs are not sampled
  std::unique_ptr<TraceFile> trace_;
};

}  // namespace scalediag::inject
