#include "collector/inject/engine.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace scalediag::inject {
namespace {

pid_t this_tid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

}  // namespace

Engine& Engine::get() {
  alignas(Engine) static char storage[sizeof(Engine)];
  static Engine* const engine = new (storage) Engine;
  return *engine;
}

void Engine::arm(const Settings& settings) {
  settings_ = settings;
  armed_ = !settings.directory.empty();
  if (!armed_) return;
  pid_ = getpid();
  main_thread_ = pthread_self();
  // Not a whole number of milliseconds: a program that repeats every tick would always be met at the same place.
  period_ns_ = static_cast<uint64_t>(1e9 / settings.rate_hz) - 2999;
  early_clocks_.push_back(read_clocks(raw::Phase::kLoad, main_thread_));
}

void Engine::init_begin() {
  if (!armed_ || state_ != State::kIdle) return;
  main_thread_ = pthread_self();
  state_ = State::kInitialising;
  early_clocks_.push_back(read_clocks(raw::Phase::kInitBegin, main_thread_));
}

void Engine::init_end(int rank, int size, const char* version) {
  if (!armed_ || state_ != State::kInitialising) return;
  restore_environment();
  if (!open_file(rank)) {
    state_ = State::kOver;
    return;
  }
  try {
    if (pmpi::this_thread == nullptr) begin_thread(raw::kMainThread);
    start_samplers();
    write_identity(rank, size, version);
    const std::lock_guard<std::timed_mutex> guard(flush_lock_);
    for (const ClockPoint& p : early_clocks_) write_clock(p);
    note_modules();
    write_clock(read_clocks(raw::Phase::kInitEnd, main_thread_));
  } catch (const std::bad_alloc&) {
    writer_.stop(raw::StopReason::kOutOfMemory, ENOMEM);
  }
  if (!writer_.usable()) {
    state_ = State::kOver;
    return;
  }
  start_flusher();
  state_ = State::kRecording;
  pmpi::recording.store(true, std::memory_order_release);
}

bool Engine::open_file(int rank) {
  char name[32];
  std::snprintf(name, sizeof name, "/rank%06d.raw", rank);
  const std::string path = settings_.directory + name;
  const int e = writer_.create(path, static_cast<uint32_t>(rank));
  if (e == 0) return true;
  char text[512];
  const int n = std::snprintf(text, sizeof text, "scalediag: rank %d is not recorded: %s: %s\n", rank, path.c_str(),
                              std::strerror(e));
  if (n > 0 && write(STDERR_FILENO, text, std::min<size_t>(static_cast<size_t>(n), sizeof text - 1)) < 0) return false;
  return false;
}

void Engine::start_samplers() {
  const std::lock_guard<std::mutex> guard(threads_lock_);
  samplers_on_ = true;
  for (ThreadRecord* t : threads_) {
    SamplerOutcome outcome;
    const bool started = t->start_sampler(settings_.sampler, period_ns_, outcome);
    if (t->thread_class == raw::kMainThread) sampler_outcome_ = outcome;
    if (!started) ++unsampled_threads_;
    if (t->ring_bytes() != 0) smallest_ring_ = std::min<uint64_t>(smallest_ring_, t->ring_bytes());
  }
}

void Engine::write_identity(int rank, int size, const char* version) {
  raw::Encoder e;
  e.u32(static_cast<uint32_t>(rank));
  e.u32(static_cast<uint32_t>(size));
  e.u64(static_cast<uint64_t>(pid_));
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  e.string(host);
  char executable[4096] = "";
  const ssize_t n = readlink("/proc/self/exe", executable, sizeof executable - 1);
  e.string(std::string_view(executable, n > 0 ? static_cast<size_t>(n) : 0));
  e.string(version);
  const auto* main_record = static_cast<const ThreadRecord*>(pmpi::this_thread);
  const char* sampler = "none";
  std::string reason;
  if (main_record->sampled()) {
    sampler = main_record->uses_timer() ? "timer" : (main_record->sees_kernel_mode() ? "perf" : "perf-user");
  }
  if (sampler_outcome_.perf_errno != 0) {
    reason = std::string("perf_event_open: ") + std::strerror(sampler_outcome_.perf_errno);
  }
  if (sampler_outcome_.timer_errno != 0) {
    reason += std::string(reason.empty() ? "" : "; ") + "timer: " + std::strerror(sampler_outcome_.timer_errno);
  }
  e.string(sampler);
  e.string(reason);
  e.u64(period_ns_);
  e.u32(static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
  e.u32(0);
  writer_.append(raw::ChunkKind::kIdentity, e);
}

void Engine::finalize_begin() {
  State expected = State::kRecording;
  if (!state_.compare_exchange_strong(expected, State::kOver)) return;
  pmpi::recording.store(false, std::memory_order_release);
  stop_flusher();
  flush(raw::Phase::kFinalizeBegin);
}

void Engine::finalize_end() {
  if (state_ != State::kOver || !writer_.usable()) return;
  const std::lock_guard<std::timed_mutex> guard(flush_lock_);
  write_clock(read_clocks(raw::Phase::kFinalizeEnd, main_thread_));
  // The footer comes now: some programs leave by _exit or are killed by their launcher after MPI_Finalize.
  write_footer();
}

void Engine::abort() {
  State expected = State::kRecording;
  if (!state_.compare_exchange_strong(expected, State::kOver)) return;
  pmpi::recording.store(false, std::memory_order_release);
  flush(raw::Phase::kExit);
  writer_.stop(raw::StopReason::kAborted, 0);
}

void Engine::process_exit() {
  if (!armed_ || getpid() != pid_) return;
  State expected = State::kRecording;
  const bool was_recording = state_.compare_exchange_strong(expected, State::kOver);
  if (was_recording) {
    pmpi::recording.store(false, std::memory_order_release);
    stop_flusher();
    flush(raw::Phase::kExit);
    write_footer();
  } else if (state_ == State::kOver && writer_.usable()) {
    write_clock(read_clocks(raw::Phase::kExit, main_thread_));
    write_footer();
  }
}

ThreadRecord* Engine::begin_thread(uint32_t thread_class) {
  auto* record = new (std::nothrow) ThreadRecord(thread_class, pthread_self(), this_tid());
  if (record == nullptr) return nullptr;
  const std::lock_guard<std::mutex> guard(threads_lock_);
  if (samplers_on_ && state_ != State::kOver) {
    SamplerOutcome outcome;
    if (!record->start_sampler(settings_.sampler, period_ns_, outcome)) ++unsampled_threads_;
  }
  try {
    threads_.push_back(record);
  } catch (const std::bad_alloc&) {
    delete record;
    return nullptr;
  }
  if (thread_class != raw::kMpiInternalThread) threads_most_ = std::max(threads_most_, ++threads_now_);
  pmpi::this_thread = record;
  return record;
}

void Engine::end_thread(ThreadRecord* record) {
  if (!armed_ || getpid() != pid_) return;
  pmpi::this_thread = nullptr;
  const std::unique_lock<std::timed_mutex> flush_guard(flush_lock_, std::chrono::seconds(5));
  if (!flush_guard.owns_lock()) return;  // better a small leak than a hanging application
  const std::lock_guard<std::mutex> guard(threads_lock_);
  try {
    if (state_ == State::kRecording) {
      record->collect(epoch_, totals_);
      calls_.retire(record->thread_class, *record->calls);
      lost_retired_ += record->lost_samples();
    }
  } catch (const std::bad_alloc&) {
    writer_.stop(raw::StopReason::kOutOfMemory, ENOMEM);
  }
  record->stop_sampler();
  threads_.erase(std::remove(threads_.begin(), threads_.end(), record), threads_.end());
  if (record->thread_class != raw::kMpiInternalThread) --threads_now_;
  delete record;
}

uint32_t Engine::class_of_new_thread() const {
  const bool from_inside_mpi =
      state_ == State::kInitialising || (pmpi::this_thread != nullptr && pmpi::this_thread->depth > 0);
  return from_inside_mpi ? raw::kMpiInternalThread : raw::kOtherThread;
}

void Engine::drain(ThreadRecord& record) {
  try {
    record.drain(epoch_);
  } catch (const std::bad_alloc&) {
    pmpi::recording.store(false, std::memory_order_release);
    writer_.stop(raw::StopReason::kOutOfMemory, ENOMEM);
  }
}

void Engine::before_unload() {
  if (state_ != State::kRecording) return;
  const std::unique_lock<std::timed_mutex> guard(flush_lock_, std::chrono::seconds(1));
  if (!guard.owns_lock()) return;
  try {
    note_modules();
    collect_threads();
  } catch (const std::bad_alloc&) {
    writer_.stop(raw::StopReason::kOutOfMemory, ENOMEM);
  }
}

void Engine::after_unload() {
  if (state_ != State::kRecording) return;
  if (module_changes().unloaded != modules_written_.unloaded) {
    const std::unique_lock<std::timed_mutex> guard(flush_lock_, std::chrono::seconds(1));
    if (guard.owns_lock()) note_modules();
  }
}

void Engine::forget_after_fork() {
  armed_ = false;
  state_ = State::kOver;
  pmpi::recording.store(false, std::memory_order_release);
  // The ring's memory is not inherited.
  if (pmpi::this_thread != nullptr) pmpi::this_thread->ring_head = &pmpi::ThreadState::kNoRing;
}

void Engine::flush(raw::Phase phase) {
  const std::unique_lock<std::timed_mutex> guard(flush_lock_, std::chrono::seconds(1));
  if (!guard.owns_lock()) return;
  try {
    flush_locked(phase);
  } catch (const std::bad_alloc&) {
    pmpi::recording.store(false, std::memory_order_release);
    writer_.stop(raw::StopReason::kOutOfMemory, ENOMEM);
  }
}

void Engine::flush_locked(raw::Phase phase) {
  if (!writer_.usable()) return;
  const ClockPoint clock = read_clocks(phase, main_thread_);
  note_modules();
  collect_threads();
  write_samples();
  write_calls();
  if (phase == raw::Phase::kFinalizeBegin || phase == raw::Phase::kExit) count_unsampled_threads();
  write_losses();
  write_clock(clock);
}

void Engine::collect_threads() {
  const std::lock_guard<std::mutex> guard(threads_lock_);
  calls_.begin();
  lost_ = lost_retired_;
  for (ThreadRecord* t : threads_) {
    t->collect(epoch_, totals_);
    calls_.add(t->thread_class, *t->calls);
    lost_ += t->lost_samples();
  }
}

void Engine::note_modules() {
  const ModuleChanges now = module_changes();
  if (file_has_modules_ && now.loaded == modules_written_.loaded && now.unloaded == modules_written_.unloaded) return;
  if (file_has_modules_ && now.unloaded != modules_written_.unloaded) ++epoch_;
  const ModuleSnapshot s = take_module_snapshot();
  raw::Encoder e;
  e.u32(epoch_);
  e.u32(static_cast<uint32_t>(s.modules.size()));
  for (const Module& m : s.modules) {
    e.u64(m.load_bias);
    e.u64(m.begin);
    e.u64(m.end);
    e.string(m.path);
    e.string(m.build_id);
  }
  writer_.append(raw::ChunkKind::kModules, e);
  modules_written_ = {s.loaded, s.unloaded};
  file_has_modules_ = true;
}

void Engine::write_samples() {
  raw::Encoder e;
  e.u32(0);
  uint32_t n = 0;
  samples_ = 0;
  for (const SampleTable::Entry& s : totals_.entries()) {
    samples_ += s.value.samples;
    if (!s.changed) continue;
    e.u32(s.key.thread_class);
    e.u32(s.key.operation);
    e.u32(s.key.epoch);
    e.u64(s.key.address);
    e.u64(s.value.samples);
    e.u64(s.value.cpu_ns);
    e.u64(s.value.system_ns);
    ++n;
  }
  e.set_u32(0, n);
  totals_.clear_changes();
  if (n > 0) writer_.append(raw::ChunkKind::kSamples, e);
}

void Engine::write_calls() {
  raw::Encoder names, operations, peers;
  if (calls_.write_new_names(names) > 0) writer_.append(raw::ChunkKind::kOperationNames, names);
  if (calls_.write_changed_operations(operations) > 0) writer_.append(raw::ChunkKind::kOperations, operations);
  if (calls_.write_changed_peers(peers) > 0) writer_.append(raw::ChunkKind::kPeers, peers);
}

void Engine::write_clock(const ClockPoint& p) {
  raw::Encoder e;
  e.u32(static_cast<uint32_t>(p.phase));
  e.u64(p.ticks);
  e.u64(p.monotonic_ns);
  e.u64(p.realtime_ns);
  e.u64(p.process_cpu_ns);
  e.u64(p.main_thread_cpu_ns);
  e.u64(collector_cpu_ns_.load(std::memory_order_relaxed));
  writer_.append(raw::ChunkKind::kClock, e);
}

void Engine::write_losses() {
  raw::Encoder e;
  e.u64(lost_);
  e.u64(unsampled_threads_);
  e.u64(0);
  e.u64(calls_.uncounted());
  e.u32(threads_most_);
  writer_.append(raw::ChunkKind::kLosses, e);
}

void Engine::write_footer() { writer_.append_footer(samples_, lost_); }

// Threads that were made behind pthread_create's back have no sampler.
void Engine::count_unsampled_threads() {
  DIR* d = opendir("/proc/self/task");
  if (d == nullptr) return;
  uint32_t alive = 0;
  while (const dirent* entry = readdir(d)) alive += entry->d_name[0] != '.' ? 1 : 0;
  closedir(d);
  const std::lock_guard<std::mutex> guard(threads_lock_);
  const uint32_t known = static_cast<uint32_t>(threads_.size()) + (flusher_runs_ ? 1 : 0);
  if (alive > known) unsampled_threads_ += alive - known;
}

}  // namespace scalediag::inject
