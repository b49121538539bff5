// The life of the collector inside one rank: armed when the library is loaded, recording from the end of MPI_Init
// to the start of MPI_Finalize, closed when the process exits.
//
// Locks are taken in this order: flush, threads, a thread's own.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "collector/inject/clock_points.h"
#include "collector/inject/emulating/rank_emulation.h"
#include "collector/inject/ended_rounds.h"
#include "collector/inject/flusher.h"
#include "collector/inject/settings.h"
#include "collector/inject/threads.h"
#include "collector/inject/writing/rank_file.h"
#include "collector/inject/writing/trace_file.h"
#include "pmpi-comm/repeated_calls.h"

namespace scalediag::inject {

class Engine : private Flusher::Client {
 public:
  // The only instance. It is never destroyed: threads of the application may outlive the destructors of static objects.
  static Engine& get();

  void arm(const Settings& settings);
  bool armed() const { return armed_; }

  void init_begin(const void* frame);
  void init_end(int rank, int size, const char* version);
  // The rank is not recorded, since the handles and constants of its MPI are not known.
  void refuse(const pmpi::MpiLibrary& library);
  void finalize_begin();
  void finalize_end();
  void abort();
  // Where rounds of the main loop are counted: one is about to begin, from 1 on. Does not return from the last.
  void round_begins(uint64_t round);
  void process_exit();

  // Called when the calling thread begins and ends. `thread_class` is a raw::ThreadClass, `start` the address of the
  // function that the thread runs, 0 where that is not known.
  ThreadRecord* begin_thread(uint32_t thread_class, uint64_t start = 0);
  void end_thread(ThreadRecord* record);
  // The class of a thread that the calling thread makes.
  uint32_t class_of_new_thread() const;

  // Called at the beginning and end of an operation: charges the samples of `record` until now.
  void drain(ThreadRecord& record);
  // Called when the calling thread is about to give up its core.
  void yields();

  // Called around the application's dlclose.
  void before_unload();
  void after_unload();

  // Called in a child of fork, where nothing of the recording belongs to the process any more.
  void forget_after_fork();

 private:
  enum class State { kIdle, kInitialising, kRecording, kOver };

  Engine() : flusher_(*this) {}

  // Called by the flusher.
  double fill_s() override { return threads_.fill_s(); }
  void drain() override;
  void flush() override;

  bool start_recording(int rank, int size, const char* version);
  bool open_file(int rank, int size);
  // `flusher_error`: the errno with which the flusher did not start, or 0.
  void write_identity(int rank, int size, const char* version, const ThreadRecord& main, int flusher_error);
  void write_clock(const ClockPoint& point);
  void find_repetitions();
  void begin_rounds();
  [[noreturn]] void end_after_rounds();
  double ns_per_tick() const;
  // Writes repeated calls and regions. Only on the main thread, whose they are.
  void write_structure();
  // Starts a trace if one was asked for. If it cannot be recorded, the rest is recorded all the same.
  void start_trace(int rank, int size, const char* version);
  // The trace's file, where `start` may begin to record; nullptr, said: it cannot be made.
  template <class Start> std::unique_ptr<TraceFile> new_trace(uint32_t rank, Start start);
  // Does nothing on a thread that is not traced: any thread may end the process.
  void finish_trace(trace::End end);
  // False when the rank was not recording: another thread may have ended it at the same time.
  bool leave_recording();
  void end_counting_here();

  // Does `work`. Where memory runs out, the next guarded() ends recording.
  template <class Work> void without_throwing(Work work);
  // Does `work` with the flush lock and ends recording when memory runs out. Skips it when the lock is not available in
  // time: its holder may have been interrupted by the signal handler that we are in.
  template <class Work> bool guarded(std::chrono::seconds patience, Work work);
  void flush(const ClockPoint& clock);
  // Drains every thread and writes what changed. May throw std::bad_alloc.
  void flush_locked(const ClockPoint& clock);

  bool armed_ = false;
  Settings settings_;
  uint64_t period_ns_ = 0;
  pid_t pid_ = 0;
  std::optional<clockid_t> main_thread_;  // its CPU clock
  pid_t main_tid_ = 0;
  std::atomic<State> state_{State::kIdle};
  std::atomic<bool> out_of_memory_{false};
  ClockPoint load_clock_, init_begin_clock_;  // before there is a file

  std::timed_mutex flush_lock_;
  WritingPlace place_;
  RankFile file_;
  bool is_whole_ = false;  // the file has all that was recorded; else it gets no footer
  Threads threads_;
  Flusher flusher_;
  std::unique_ptr<pmpi::InstructionCounter> trace_instructions_;  // null: they are not counted
  std::unique_ptr<TraceFile> trace_;
  const void* init_frame_ = nullptr;  // on the stack of the thread that calls MPI_Init
  std::unique_ptr<pmpi::RepeatedCalls> repeated_;
  EndedRounds rounds_;
  RankEmulation emulation_;
};

}  // namespace scalediag::inject
