#include "collector/inject/engine.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <optional>
#include <string>

#include "collector/inject/counting/counting.h"
#include "collector/inject/counting/papi_instructions.h"
#include "collector/inject/cpus/core_share.h"
#include "collector/inject/files/file_totals.h"
#include "collector/inject/gpu/device_activity.h"
#include "collector/inject/lock_deadline.h"
#include "collector/inject/regions/region_table.h"
#include "collector/inject/writing/process_identity.h"
#include "pmpi-comm/mpi_library.h"
#include "pmpi-comm/own_work.h"

namespace scalediag::inject {
namespace {

// Prints the reason why this rank is not recorded. A failure to print it is ignored.
__attribute__((format(printf, 1, 2))) void say(const char* format, ...) {
  char text[2048] = "scalediag: ";
  const size_t begin = std::strlen(text);
  va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(text + begin, sizeof text - begin - 1, format, arguments);
  va_end(arguments);
  if (n < 0) return;
  const size_t end = std::strlen(text);
  text[end] = '\n';
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, end + 1);
}

// Of an emulation that a rank cannot join: without it the others would wait, and nothing be predicted. `scalediag
// emulate` ends the run when it reads what was said; MPI_Abort is for launchers that keep it to themselves, and comes
// later, since launchers that abort may lose what ranks have just printed (seen with MPICH's).
[[noreturn]] void end_program() {
  constexpr int kStatus = 2;
  const timespec until_read = {2, 0};
  syscall(SYS_nanosleep, &until_read, nullptr);
  using Abort = int (*)(uintptr_t, int);
  const auto abort_all = reinterpret_cast<Abort>(pmpi::find_symbol("PMPI_Abort"));
  if (abort_all != nullptr) abort_all(pmpi::mpi_library().constants.comm_world, kStatus);
  _exit(kStatus);
}

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
  prepare_rounds();
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
    watch_rounds();
  });
}

void Engine::prepare_rounds() {
  without_throwing([this] {
    const std::string why = rounds_.prepare(settings_.rounds);
    if (!why.empty()) say("the run goes on to its end: %s", why.c_str());
  });
}

void Engine::watch_rounds() {
  if (!rounds_.is_wanted()) return;
  if (const auto site = rounds_.site()) {
    repeated_->watch(*site);
  } else {
    say("the run goes on to its end: %s is not loaded", rounds_.request().module.c_str());
  }
}

void Engine::round_begins(uint64_t round) {
  if (round == raw::RoundsRequest::kFirst) begin_rounds();
  if (round == rounds_.request().last() && rounds_have_begun_ && state_ == State::kRecording) end_after_rounds();
}

void Engine::begin_rounds() {
  const pmpi::OwnWork own(*pmpi::this_thread);
  guarded(kPatienceAtRounds, [this] {
    if (!file_.usable()) return;
    if (repeated_ != nullptr) file_.write_structure_so_far(*repeated_);
    flush_locked(read_clocks(raw::Phase::kFlush, main_thread_));
  });
  // Ranks that have written would wait for the others in their first calls, which is no part of the rounds.
  if (!rounds_.meet(patience_at_rounds_s())) return;
  guarded(kPatienceAtRounds, [this] {
    if (!file_.usable()) return;
    // Again, so that the time for writing is none of the rounds'.
    file_.write_waits(raw::Phase::kFlush, main_tid_);
    write_clock(read_clocks(raw::Phase::kFlush, main_thread_));
    file_.write_rounds({0, rounds_.request().rounds - raw::RoundsRequest::kFirst + 1});
    rounds_have_begun_ = true;
  });
}

// A rank is behind another one by about what that has taken so far, at most.
double Engine::patience_at_rounds_s() const {
  constexpr double kLeast_s = 20, kTimes = 2;
  return kLeast_s + kTimes * static_cast<double>(clock_ns(CLOCK_MONOTONIC) - init_begin_clock_.monotonic_ns) * 1e-9;
}

void Engine::end_after_rounds() {
  const double patience_s = patience_at_rounds_s();
  // The time for writing is none of the rounds'.
  const pmpi::OwnWork own(*pmpi::this_thread);
  const ClockPoint end = read_clocks(raw::Phase::kFinalizeBegin, main_thread_);
  finalize_begin();
  guarded(kPatienceAtRounds, [&] {
    if (!is_whole_) return;
    write_clock(end);
    file_.write_memory();
    file_.write_rounds({rounds_.request().measured, rounds_.request().rounds - raw::RoundsRequest::kFirst + 1});
    file_.write_footer();
    file_.publish(true);
  });
  std::fflush(nullptr);
  if (!rounds_.meet(patience_s)) {
    say("this rank has made the rounds of --iterations, and others did not come to their end within %.0f s: leave it "
        "out",
        patience_s);
    end_program();
  }
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
  if (!settings_.emulation.empty()) return start_emulation(identity);
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

void Engine::start_emulation(const pmpi::TraceIdentity& identity) {
  std::string wrong = "memory ran out";
  if (settings_.trace) trace_ = new_trace(identity.rank, [](TraceFile&) {});
  try {
    emulated_ = std::make_unique<pmpi::EmulatedRank>(pmpi::mpi_library(), trace_.get());
    emulated_from_ = read_clocks(raw::Phase::kInitEnd, main_thread_);
    waits_before_emulation_ = read_waits(main_tid_);
    wrong = join_emulation(identity);
  } catch (const std::bad_alloc&) {
  }
  if (!wrong.empty()) {
    emulated_.reset();
    say("rank %u on host %s%s%s", identity.rank, identity.host.c_str(), stream::kNotEmulated, wrong.c_str());
    return end_program();
  }
  threads_.trace_with(emulated_->recorder(), settings_.sampler != SamplerChoice::kNone);
  pmpi::this_thread->sleeps_in_long_waits = ranks_share_cores(static_cast<int>(identity.size));
}

std::string Engine::join_emulation(const pmpi::TraceIdentity& identity) {
  bool is_out_of_reach = false;
  const std::string here = emulated_->start(settings_.emulation, identity, ns_per_tick(), is_out_of_reach);
  if (!is_out_of_reach) return here;
  const std::string there =
      relay_.start(settings_.emulation, settings_.emulation_key, identity.rank, identity.size, identity.host,
                   [rank = identity.rank, host = identity.host](const std::string& text) {
                     say("rank %u on host %s%s", rank, host.c_str(), text.c_str());
                   });
  if (there.empty()) {
    emulated_->start_through(relay_.memory(), relay_, identity, ns_per_tick());
    return "";
  }
  return "it reaches `scalediag emulate` neither by its memory (" + here + ") nor over the network (" + there + ")" +
         stream::kHint +
         "a rank on another host, or of another user or container on this one, has to be able to connect "
         "to the host of `scalediag emulate`: look for a firewall between them";
}

void Engine::finish_emulation(trace::End end) {
  const ClockPoint now = read_clocks(raw::Phase::kFinalizeBegin, main_thread_);
  const auto waits = read_waits(main_tid_);
  const uint64_t elapsed_ns = now.monotonic_ns - emulated_from_.monotonic_ns;
  double idle_ns = 0;  // where the system does not tell, nothing is said
  if (waits && waits_before_emulation_) {
    idle_ns = static_cast<double>(elapsed_ns) -
              static_cast<double>(now.main_thread_cpu_ns - emulated_from_.main_thread_cpu_ns) -
              static_cast<double>(waits->for_core_ns - waits_before_emulation_->for_core_ns);
  }
  emulated_->finish(end, elapsed_ns, idle_ns, pmpi::this_thread->slept_in_waits_ns);
}

void Engine::finish_trace(trace::End end) {
  if (trace_ == nullptr && emulated_ == nullptr) return;
  // Another thread may end the process while the traced one records; an incomplete trace says so itself.
  if (pmpi::this_thread == nullptr || pmpi::this_thread->thread_class != raw::kMainThread) return;
  const files::OwnCalls own;
  if (emulated_ == nullptr) return trace_->finish(end);
  finish_emulation(end);
  if (trace_ != nullptr) trace_->close(*emulated_->recorder());
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
  relay_.forget_after_fork();
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
