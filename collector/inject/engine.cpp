#include "collector/inject/engine.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include "collector/inject/counting/counting.h"
#include "collector/inject/counting/papi_instructions.h"
#include "collector/inject/cpus/core_share.h"
#include "collector/inject/files/file_totals.h"
#include "collector/inject/gpu/device_activity.h"
#include "collector/inject/last_words.h"
#include "collector/inject/lock_deadline.h"
#include "collector/inject/regions/region_table.h"
#include "collector/inject/writing/process_identity.h"
#include "pmpi-comm/mpi_library.h"
#include "pmpi-comm/own_work.h"

namespace scalediag::inject {
namespace {

constexpr std::chrono::seconds kPatienceAtRounds{30};

void collect_device_activity() {
  if (!gpu::records_activity()) return;
  std::optional<pmpi::OwnWork> own;
  if (pmpi::this_thread != nullptr) own.emplace(*pmpi::this_thread);
  gpu::collect_activity();
}

}  // namespace

Engine& Engine::get() {
  alignas(Engine) static char storage[sizeof(Engine)];
  static Engine* const engine = new (storage) Engine;
  return *engine;
}

template <class Work> bool Engine::guarded(std::chrono::seconds patience, Work work) {
  const std::unique_lock<std::timed_mutex> guard(flush_lock_, deadline_after(patience));
  if (!guard.owns_lock()) return false;
  const files::OwnCalls own;
  without_throwing(work);
  if (out_of_memory_) {
    pmpi::recording.store(false, std::memory_order_release);
    file_.stop(raw::StopReason::kOutOfMemory, ENOMEM);
  }
  return true;
}

template <class Work> void Engine::without_throwing(Work work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    out_of_memory_ = true;
  }
}

bool Engine::leave_recording() {
  State expected = State::kRecording;
  if (!state_.compare_exchange_strong(expected, State::kOver)) return false;
  pmpi::recording.store(false, std::memory_order_release);
  return true;
}

void Engine::arm(const Settings& settings) {
  settings_ = settings;
  armed_ = !settings.directory.empty();
  if (!armed_) return;
  pid_ = getpid();
  main_thread_ = cpu_clock_of(pthread_self());
  // The period is not a whole number of milliseconds: a program that repeats every tick would always be sampled at the
  // same place.
  period_ns_ = static_cast<uint64_t>(1e9 / settings.rate_hz) - 2999;
  threads_.arm(settings_, period_ns_);
  load_clock_ = read_clocks(raw::Phase::kLoad, main_thread_);
  RegionTable::get().open();
  gpu::set_mode(settings_.gpu);
}

void Engine::init_begin(const void* frame) {
  if (!armed_ || state_ != State::kIdle) return;
  main_thread_ = cpu_clock_of(pthread_self());
  if (!main_thread_) {
    say("this rank is not recorded: the thread that calls MPI_Init has no CPU clock");
    state_ = State::kOver;
    return;
  }
  init_frame_ = frame;
  state_ = State::kInitialising;
  main_tid_ = static_cast<pid_t>(syscall(SYS_gettid));
  init_begin_clock_ = read_clocks(raw::Phase::kInitBegin, main_thread_);
}

void Engine::init_end(int rank, int size, const char* version) {
  if (!armed_ || state_ != State::kInitialising) return;
  restore_environment();
  // On ranks that are not recorded, too: all make the communicator.
  without_throwing([this] { rounds_.prepare(settings_.rounds); });
  if (!start_recording(rank, size, version)) {
    flusher_.stop();
    state_ = State::kOver;
    if (!settings_.emulation.empty()) end_program();
    return;
  }
  if (settings_.emulation.empty()) find_repetitions();  // of no use to an emulation, which is to cost little
  start_trace(rank, size, version);
  if (settings_.parallel_regions && settings_.emulation.empty()) RegionTable::get().open_for_parallel();
  state_ = State::kRecording;
  pmpi::recording.store(true, std::memory_order_release);
}

void Engine::refuse(const pmpi::MpiLibrary& library) {
  if (!armed_ || state_ != State::kInitialising) return;
  restore_environment();
  state_ = State::kOver;
  const std::string version = library.version.substr(0, library.version.find('\n'));
  say("this rank is not recorded: the MPI library %s is not known. It says that it is '%s', and defines PMPI_Comm_size "
      "but not ompi_mpi_comm_world (Open MPI), nor is it MPICH or the standard's libmpi_abi",
      library.path.c_str(), version.c_str());
}

bool Engine::start_recording(int rank, int size, const char* version) {
  if (pmpi::this_thread != nullptr) {
    // A thread of the application that turns out to be the one that calls MPI_Init.
    pmpi::this_thread->thread_class = raw::kMainThread;
  } else if (begin_thread(raw::kMainThread) == nullptr) {
    return false;
  }
  if (!open_file(rank, size)) return false;
  threads_.add_first();
  guarded(std::chrono::seconds(1), [&] {
    auto* const main = static_cast<ThreadRecord*>(pmpi::this_thread);
    // Before the samplers, since setting PAPI up is no work of the application's.
    Counting::get().start();
    main->begin_counting();
    // This comes before sampling, since it is slow: the paths of all libraries are looked up.
    file_.write_modules(threads_);
    threads_.start_sampling(size);
    write_identity(rank, size, version, *main, flusher_.start());
    write_clock(load_clock_);
    write_clock(init_begin_clock_);
    file_.write_waits(raw::Phase::kInitEnd, main_tid_);
    write_clock(read_clocks(raw::Phase::kInitEnd, main_thread_));
  });
  return file_.usable();
}

bool Engine::open_file(int rank, int size) {
  place_ = {settings_.directory, !settings_.scratch.empty() || size > settings_.most_rank_files, settings_.scratch};
  int e = file_.create(place_, static_cast<uint32_t>(rank));
  // An emulation without a profile tells everything by its events, so that the folder may be missing on another host.
  if (e == ENOENT && !settings_.emulation.empty() && settings_.sampler == SamplerChoice::kNone) {
    e = file_.create_nowhere(static_cast<uint32_t>(rank));
  }
  if (e == 0) return true;
  const std::string path =
      place_.scratch.empty() ? rank_file_path(place_.directory, static_cast<uint32_t>(rank), ".raw") : place_.scratch;
  // Ranks that each found themselves alone in MPI_COMM_WORLD are all number 0.
  if (e == EEXIST && size == 1) {
    say("a process is not recorded: like another one it is alone in MPI_COMM_WORLD, so the launcher may belong to "
        "another MPI");
  } else if (!settings_.emulation.empty()) {
    say("rank %d on host %s%s%s: %s%swith -o the folder has to be there on every host: give one that all hosts share",
        rank, host_name().c_str(), stream::kNotEmulated, path.c_str(), std::strerror(e), stream::kHint);
  } else {
    say("rank %d is not recorded: %s: %s", rank, path.c_str(), std::strerror(e));
  }
  return false;
}

void Engine::write_identity(int rank, int size, const char* version, const ThreadRecord& main, int flusher_error) {
  raw::Identity identity;
  identity.rank = static_cast<uint32_t>(rank);
  identity.size = static_cast<uint32_t>(size);
  identity.pid = static_cast<uint64_t>(pid_);
  identity.host = host_name();
  identity.executable = executable_path();
  identity.mpi_library_version = version;
  threads_.describe_sampler(main, identity);
  if (flusher_error != 0) {
    identity.sampler_reason += (identity.sampler_reason.empty() ? "" : "; ") +
                               std::string("the collector has no thread of its own: ") + std::strerror(flusher_error);
  }
  identity.period_ns = period_ns_;
  identity.online_cpus = static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
  identity.counters = Counting::get().names();
  file_.write_identity(identity, settings_.stamp);
}

void Engine::write_clock(const ClockPoint& point) {
  file_.write_clock(point, flusher_.cpu_ns() + threads_.cost_of_threads_ns());
}

// MPI_Init takes long enough to compare the two clocks over it.
double Engine::ns_per_tick() const {
  const ClockPoint now = read_clocks(raw::Phase::kInitEnd, main_thread_);
  return static_cast<double>(now.monotonic_ns - load_clock_.monotonic_ns) /
         static_cast<double>(std::max<uint64_t>(1, now.ticks - load_clock_.ticks));
}

void Engine::find_repetitions() {
  without_throwing([this] {
    repeated_ = std::make_unique<pmpi::RepeatedCalls>(ns_per_tick(), reinterpret_cast<uintptr_t>(init_frame_));
    pmpi::this_thread->repeated = repeated_.get();
    rounds_.watch(*repeated_);
  });
}

void Engine::round_begins(uint64_t round) {
  const bool begins = round == raw::RoundsRequest::kFirst, ends = round == rounds_.request().last();
  if (state_ != State::kRecording || !(begins || ends)) return;
  // Writing and meeting are no part of the rounds.
  const pmpi::OwnWork own(*pmpi::this_thread);
  if (ends) end_after_rounds();
  begin_rounds();
}

void Engine::begin_rounds() {
  guarded(kPatienceAtRounds, [this] {
    if (!file_.usable()) return;
    file_.write_structure_so_far(*repeated_);
    flush_locked(read_clocks(raw::Phase::kFlush, main_thread_));
  });
  rounds_.meet();
  guarded(kPatienceAtRounds, [this] {
    if (!file_.usable()) return;
    file_.write_waits(raw::Phase::kFlush, main_tid_);
    write_clock(read_clocks(raw::Phase::kFlush, main_thread_));
    file_.write_rounds({0, rounds_.request().to_follow()});
  });
}

void Engine::end_after_rounds() {
  const ClockPoint end = read_clocks(raw::Phase::kFinalizeBegin, main_thread_);
  finalize_begin();
  guarded(kPatienceAtRounds, [&] {
    if (!is_whole_) return;
    write_clock(end);
    file_.write_rounds({rounds_.request().measured, rounds_.request().to_follow()});
    file_.write_memory();
    file_.write_footer();
    file_.publish(true);
  });
  std::fflush(nullptr);
  rounds_.meet();
  EndedRounds::leave();
}

void Engine::write_structure() {
  if (pmpi::this_thread == nullptr || pmpi::this_thread->thread_class != raw::kMainThread) return;
  guarded(std::chrono::seconds(1), [this] {
    if (!file_.usable()) return;
    if (repeated_ != nullptr) file_.write_repeated_calls(*repeated_);
    file_.write_regions();
  });
}

void Engine::start_trace(int rank, int size, const char* version) {
  if (!settings_.trace && settings_.emulation.empty()) return;
  const pmpi::TraceIdentity identity = {static_cast<uint32_t>(rank), static_cast<uint32_t>(size), host_name(),
                                        executable_path(), version};
  if (!settings_.emulation.empty()) {
    if (settings_.trace) trace_ = new_trace(identity.rank, [](TraceFile&) {});
    emulation_.join(settings_, identity, ns_per_tick(), main_tid_, main_thread_, trace_.get());
    threads_.trace_with(emulation_.recorder(), settings_.sampler != SamplerChoice::kNone);
    pmpi::this_thread->sleeps_in_long_waits = ranks_share_cores(size);
    return;
  }
  trace_instructions_ = PapiInstructions::of_this_thread();
  trace_ = new_trace(identity.rank, [&](TraceFile& file) { file.start(identity, ns_per_tick()); });
  if (trace_ != nullptr) threads_.trace_with(trace_->recorder());
}

template <class Start> std::unique_ptr<TraceFile> Engine::new_trace(uint32_t rank, Start start) {
  auto file =
      std::unique_ptr<TraceFile>(new (std::nothrow) TraceFile(settings_.trace_series, trace_instructions_.get()));
  int e = file != nullptr ? 0 : ENOMEM;
  try {
    if (e == 0) e = file->create(place_, rank);
    if (e == 0) start(*file);
  } catch (const std::bad_alloc&) {
    e = ENOMEM;
  }
  if (e == 0) return file;
  say("rank %u is not traced: %s", rank, std::strerror(e));
  return nullptr;
}

void Engine::finish_trace(trace::End end) {
  if (trace_ == nullptr && !emulation_.has_joined()) return;
  // Another thread may end the process while the traced one records; an incomplete trace says so itself.
  if (pmpi::this_thread == nullptr || pmpi::this_thread->thread_class != raw::kMainThread) return;
  const files::OwnCalls own;
  if (!emulation_.has_joined()) return trace_->finish(end);
  emulation_.finish(end);
  if (trace_ != nullptr) trace_->close(*emulation_.recorder());
}

void Engine::finalize_begin() {
  if (!leave_recording()) return;
  finish_trace(trace::End::kFinalize);
  write_structure();
  const bool stopped = flusher_.stop();
  end_counting_here();
  const ClockPoint end = read_clocks(raw::Phase::kFinalizeBegin, main_thread_);
  // That CUPTI hands over its records is no part of the run.
  collect_device_activity();
  if (stopped) flush(end);
  gpu::end_activity();
  threads_.cpus().stop_sharing();
  Counting::get().stop();
}

void Engine::finalize_end() {
  guarded(std::chrono::seconds(1), [this] {
    if (!is_whole_) return;
    file_.write_memory();
    write_clock(read_clocks(raw::Phase::kFinalizeEnd, main_thread_));
    // The footer is written here: some programs leave by _exit or are killed by their launcher after MPI_Finalize.
    file_.write_footer();
    file_.publish(false);
  });
}

void Engine::abort() {
  if (!leave_recording()) return;
  finish_trace(trace::End::kAbort);
  write_structure();
  guarded(std::chrono::seconds(1), [this] {
    flush_locked(read_clocks(raw::Phase::kExit, main_thread_));
    file_.stop(raw::StopReason::kAborted, 0);
    file_.publish(true);
  });
}

void Engine::process_exit() {
  if (!armed_ || getpid() != pid_) return;
  const bool was_recording = leave_recording();
  // This may be in a signal handler, where CUPTI may hold its locks: what it has not handed over is lost.
  gpu::end_activity();
  if (was_recording) {
    finish_trace(trace::End::kExit);
    write_structure();
    if (!flusher_.stop()) return;
    Counting::get().stop();
  }
  guarded(std::chrono::seconds(1), [&] {
    if (was_recording) flush_locked(read_clocks(raw::Phase::kExit, main_thread_));
    if (is_whole_) {
      file_.write_memory();
      if (!was_recording) write_clock(read_clocks(raw::Phase::kExit, main_thread_));
      file_.write_footer();
    }
    file_.publish(true);
  });
}

ThreadRecord* Engine::begin_thread(uint32_t thread_class, uint64_t start) {
  return threads_.begin_thread(thread_class, start, state_ != State::kOver);
}

void Engine::end_counting_here() {
  if (pmpi::this_thread == nullptr) return;
  without_throwing([this] { static_cast<ThreadRecord*>(pmpi::this_thread)->end_counting(threads_.epoch()); });
}

void Engine::end_thread(ThreadRecord* record) {
  if (!armed_ || getpid() != pid_) return;
  end_counting_here();
  pmpi::this_thread = nullptr;
  // Where the lock is not available in time, a small leak is better than an application that hangs.
  guarded(std::chrono::seconds(5), [&] { threads_.end_thread(record, state_ == State::kRecording, flusher_.tid()); });
}

uint32_t Engine::class_of_new_thread() const {
  const bool from_inside_mpi =
      state_ == State::kInitialising || (pmpi::this_thread != nullptr && pmpi::this_thread->depth > 0);
  return from_inside_mpi ? raw::kMpiInternalThread : raw::kOtherThread;
}

void Engine::drain(ThreadRecord& record) {
  if (record.watches_cpus() && !threads_.note_operation(record)) {
    // The flusher is late; there is room again when the samples so far have been looked up.
    drain();
    threads_.note_operation(record);
  }
  without_throwing([&] { threads_.drain(record); });
}

void Engine::drain() {
  const std::unique_lock<std::timed_mutex> guard(flush_lock_, deadline_after(std::chrono::seconds(1)));
  if (guard.owns_lock()) without_throwing([this] { threads_.drain_all(flusher_.tid()); });
}

void Engine::yields() {
  auto* record = static_cast<ThreadRecord*>(pmpi::this_thread);
  if (record == nullptr || record->depth == 0 || !pmpi::recording.load(std::memory_order_relaxed)) return;
  without_throwing([&] { record->yields_in_mpi(threads_.epoch()); });
}

void Engine::before_unload() {
  if (state_ != State::kRecording) return;
  guarded(std::chrono::seconds(1), [this] {
    threads_.collect(flusher_.tid());
    file_.write_modules(threads_);
  });
}

void Engine::after_unload() {
  if (state_ != State::kRecording) return;
  guarded(std::chrono::seconds(1), [this] { file_.write_modules(threads_); });
}

void Engine::forget_after_fork() {
  armed_ = false;
  state_ = State::kOver;
  raw::OwnDescriptor::disown_all();
  pmpi::recording.store(false, std::memory_order_release);
  Counting::get().forget_after_fork();
  emulation_.forget_after_fork();
  threads_.cpus().forget_after_fork();
  RegionTable::get().close();
  // The ring's memory is not inherited.
  if (pmpi::this_thread != nullptr) {
    pmpi::this_thread->ring_head = &pmpi::ThreadState::kNoRing;
    pmpi::this_thread->trace = nullptr;
    pmpi::this_thread->repeated = nullptr;
  }
}

void Engine::flush() {
  guarded(std::chrono::seconds(1), [this] {
    if (file_.usable()) threads_.cpus().extend();
    flush_locked(read_clocks(raw::Phase::kFlush, main_thread_));
  });
}

void Engine::flush(const ClockPoint& clock) {
  guarded(std::chrono::seconds(1), [&] { flush_locked(clock); });
}

void Engine::flush_locked(const ClockPoint& clock) {
  if (!file_.usable()) return;
  const raw::Phase phase = clock.phase;
  const bool is_last = phase == raw::Phase::kFinalizeBegin || phase == raw::Phase::kExit;
  if (is_last) threads_.settle();
  const bool collected = threads_.collect(flusher_.tid());
  // After samples were collected, so that no sample of this look-up is charged to the program.
  file_.write_modules(threads_);
  if (is_last) threads_.count_unsampled(flusher_.tid());
  file_.write_totals(threads_);
  file_.write_waits(phase, main_tid_);
  write_clock(clock);
  is_whole_ = is_last && collected;
}

}  // namespace scalediag::inject
