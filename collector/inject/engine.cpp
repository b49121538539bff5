#include "collector/inject/engine.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>

#include "collector/inject/cpus/core_share.h"
#include "collector/inject/cpus/current_cpu.h"
#include "collector/inject/writing/process_identity.h"

namespace scalediag::inject {
namespace {

pid_t this_tid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

// Prints the reason why this rank is not recorded. A failure to print it is ignored.
__attribute__((format(printf, 1, 2))) void say(const char* format, ...) {
  char text[512] = "scalediag: ";
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

// Adds up the cost of beginning and ending a thread, which the application would not have had. For the main thread this
// is done in MPI_Init.
class CostOfThread {
 public:
  CostOfThread(uint32_t thread_class, std::atomic<uint64_t>& sum_ns)
      : sum_ns_(thread_class == raw::kMainThread ? nullptr : &sum_ns), begin_ns_(clock_ns(CLOCK_THREAD_CPUTIME_ID)) {}
  CostOfThread(const CostOfThread&) = delete;
  CostOfThread& operator=(const CostOfThread&) = delete;
  ~CostOfThread() {
    if (sum_ns_ != nullptr) sum_ns_->fetch_add(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns_);
  }

 private:
  std::atomic<uint64_t>* const sum_ns_;
  const uint64_t begin_ns_;
};

// Whether the kernel has begun to remove the thread. True as well when it is gone.
bool is_exiting(pid_t tid) {
  constexpr unsigned long kExitingFlag = 0x4;  // PF_EXITING
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(tid));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  char text[512];
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return true;
  text[n] = '\0';
  // After the name in parentheses: state, parent, group, session, terminal, its group, flags.
  const char* after_name = std::strrchr(text, ')');
  unsigned long flags = 0;
  if (after_name == nullptr || std::sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags) != 1) return true;
  return (flags & kExitingFlag) != 0;
}

}  // namespace

Engine& Engine::get() {
  alignas(Engine) static char storage[sizeof(Engine)];
  static Engine* const engine = new (storage) Engine;
  return *engine;
}

template <class Work>
bool Engine::guarded(std::chrono::seconds patience, Work work) {
  const std::unique_lock<std::timed_mutex> guard(flush_lock_, within(patience));
  if (!guard.owns_lock()) return false;
  try {
    work();
  } catch (const std::bad_alloc&) {
    out_of_memory_ = true;
  }
  if (out_of_memory_) {
    pmpi::recording.store(false, std::memory_order_release);
    writer_.stop(raw::StopReason::kOutOfMemory, ENOMEM);
  }
  return true;
}

void Engine::arm(const Settings& settings) {
  settings_ = settings;
  armed_ = !settings.directory.empty();
  if (!armed_) return;
  pid_ = getpid();
  first_thread_ = pthread_self();
  main_thread_ = cpu_clock_of(first_thread_);
  // The period is not a whole number of milliseconds: a program that repeats every tick would always be sampled at the
  // same place.
  period_ns_ = static_cast<uint64_t>(1e9 / settings.rate_hz) - 2999;
  load_clock_ = read_clocks(raw::Phase::kLoad, main_thread_);
}

void Engine::init_begin() {
  if (!armed_ || state_ != State::kIdle) return;
  main_thread_ = cpu_clock_of(pthread_self());
  if (!main_thread_) {
    say("this rank is not recorded: the thread that calls MPI_Init has no CPU clock");
    state_ = State::kOver;
    return;
  }
  state_ = State::kInitialising;
  main_tid_ = this_tid();
  init_begin_clock_ = read_clocks(raw::Phase::kInitBegin, main_thread_);
}

void Engine::init_end(int rank, int size, const char* version) {
  if (!armed_ || state_ != State::kInitialising) return;
  restore_environment();
  if (pmpi::this_thread != nullptr) {
    // A thread of the application that turns out to be the one that calls MPI_Init.
    pmpi::this_thread->thread_class = raw::kMainThread;
  } else if (begin_thread(raw::kMainThread) == nullptr) {
    state_ = State::kOver;
    return;
  }
  if (!open_file(rank, size)) {
    state_ = State::kOver;
    return;
  }
  add_first_thread();
  share_cores_ = ranks_share_cores(size);
  guarded(std::chrono::seconds(1), [&] {
    // Before the samplers, since setting PAPI up is no work of the application's.
    Counting::get().start();
    totals_.set_counts(Counting::get().names().size());
    static_cast<ThreadRecord*>(pmpi::this_thread)->begin_counting();
    // This comes before sampling, since it is slow: the paths of all libraries are looked up.
    note_modules();
    start_samplers();
    write_identity(rank, size, version);
    write_stamp();
    write_clock(load_clock_);
    write_clock(init_begin_clock_);
    write_waits(raw::Phase::kInitEnd);
    write_clock(read_clocks(raw::Phase::kInitEnd, main_thread_));
  });
  if (!writer_.usable()) {
    state_ = State::kOver;
    return;
  }
  start_flusher();
  start_trace(rank, size, version);
  state_ = State::kRecording;
  pmpi::recording.store(true, std::memory_order_release);
}

bool Engine::open_file(int rank, int size) {
  char name[32];
  std::snprintf(name, sizeof name, "/rank%06d.raw", rank);
  const std::string path = settings_.directory + name;
  const int e = writer_.create(path, static_cast<uint32_t>(rank));
  if (e == 0) return true;
  // Ranks that each found themselves alone in MPI_COMM_WORLD are all number 0.
  if (e == EEXIST && size == 1) {
    say("a process is not recorded: like another one it is alone in MPI_COMM_WORLD, so the launcher may belong to "
        "another MPI");
  } else {
    say("rank %d is not recorded: %s: %s", rank, path.c_str(), std::strerror(e));
  }
  return false;
}

bool Engine::start_cpu_sampler() {
  if (settings_.sampler != SamplerChoice::kAuto && settings_.sampler != SamplerChoice::kCpus) return false;
  const bool cpu_is_known = current_cpu_of_this_thread() != nullptr;
  cpu_sampler_errno_ = cpu_is_known ? cpu_sampler_.start(settings_.directory, period_ns_) : ENOSYS;
  return cpu_sampler_errno_ == 0;
}

void Engine::start_samplers() {
  start_cpu_sampler();
  const std::lock_guard<std::timed_mutex> guard(threads_lock_);
  samplers_on_ = true;
  for (ThreadRecord* t : threads_) start_sampler(*t);
}

void Engine::start_sampler(ThreadRecord& record) {
  if (cpu_sampler_.running()) {
    if (!record.watch_cpus()) ++unsampled_threads_;
    return;
  }
  SamplerOutcome outcome;
  // Events of threads make switching threads three times as expensive, which matters where ranks wait for a core.
  const bool avoids_events = settings_.sampler == SamplerChoice::kAuto && share_cores_;
  bool is_sampled =
      record.start_sampler(avoids_events ? SamplerChoice::kTimer : settings_.sampler, period_ns_, outcome);
  if (!is_sampled && avoids_events) is_sampled = record.start_sampler(SamplerChoice::kPerf, period_ns_, outcome);
  // Missing samples are no loss where none were asked for.
  if (!is_sampled && settings_.sampler != SamplerChoice::kNone) ++unsampled_threads_;
  if (record.thread_class == raw::kMainThread) sampler_outcome_ = outcome;
  if (record.ring_bytes() != 0) smallest_ring_ = std::min<uint64_t>(smallest_ring_, record.ring_bytes());
}

void Engine::start_trace(int rank, int size, const char* version) {
  if (!settings_.trace) return;
  auto file = std::unique_ptr<TraceFile>(new (std::nothrow) TraceFile);
  const int e = file != nullptr ? file->create(settings_.directory, static_cast<uint32_t>(rank)) : ENOMEM;
  if (e != 0) return say("rank %d is not traced: %s", rank, std::strerror(e));
  // MPI_Init takes long enough to compare the two clocks over it.
  const ClockPoint now = read_clocks(raw::Phase::kInitEnd, main_thread_);
  const double ns_per_tick = static_cast<double>(now.monotonic_ns - load_clock_.monotonic_ns) /
                             static_cast<double>(std::max<uint64_t>(1, now.ticks - load_clock_.ticks));
  const std::lock_guard<std::timed_mutex> guard(threads_lock_);
  try {
    file->start({static_cast<uint32_t>(rank), static_cast<uint32_t>(size), host_name(), executable_path(), version},
                ns_per_tick);
  } catch (const std::bad_alloc&) {
    return say("rank %d is not traced: %s", rank, std::strerror(ENOMEM));
  }
  trace_ = std::move(file);
  for (ThreadRecord* t : threads_) t->trace = trace_->recorder();
}

void Engine::finish_trace(trace::End end) {
  if (trace_ == nullptr) return;
  // Another thread may end the process while the traced one records; an incomplete trace says so itself.
  if (pmpi::this_thread == nullptr || pmpi::this_thread->thread_class != raw::kMainThread) return;
  trace_->finish(end);
}

void Engine::write_identity(int rank, int size, const char* version) {
  raw::Encoder e;
  e.u32(static_cast<uint32_t>(rank));
  e.u32(static_cast<uint32_t>(size));
  e.u64(static_cast<uint64_t>(pid_));
  e.string(host_name());
  e.string(executable_path());
  e.string(version);
  const auto* main_record = static_cast<const ThreadRecord*>(pmpi::this_thread);
  const char* sampler = "none";
  std::string reason;
  if (cpu_sampler_errno_ != 0) reason = std::string("events of CPUs: ") + std::strerror(cpu_sampler_errno_);
  if (main_record->watches_cpus()) {
    sampler = "cpus";
  } else if (main_record->sampled()) {
    sampler = main_record->uses_timer() ? "timer" : (main_record->sees_kernel_mode() ? "perf" : "perf-user");
  }
  if (sampler_outcome_.perf_errno != 0) {
    reason +=
        std::string(reason.empty() ? "" : "; ") + "events of threads: " + std::strerror(sampler_outcome_.perf_errno);
  }
  if (sampler_outcome_.timer_errno != 0) {
    reason += std::string(reason.empty() ? "" : "; ") + "timer: " + std::strerror(sampler_outcome_.timer_errno);
  }
  if (main_record->uses_timer() && settings_.sampler == SamplerChoice::kAuto && share_cores_) {
    reason += std::string(reason.empty() ? "" : "; ") + "ranks share cores, where events of threads cost much";
  }
  if (main_record->uses_timer()) {
    reason += std::string(reason.empty() ? "" : "; ") + "the timer sends signal " + std::to_string(timer_signal());
  }
  e.string(sampler);
  e.string(reason);
  e.u64(period_ns_);
  e.u32(static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
  const std::vector<std::string>& counters = Counting::get().names();
  e.u32(static_cast<uint32_t>(counters.size()));
  for (const std::string& counter : counters) e.string(counter);
  writer_.append(raw::ChunkKind::kIdentity, e);
}

void Engine::write_stamp() {
  raw::Encoder e;
  e.string(settings_.stamp);
  writer_.append(raw::ChunkKind::kRun, e);
}

void Engine::finalize_begin() {
  State expected = State::kRecording;
  if (!state_.compare_exchange_strong(expected, State::kOver)) return;
  pmpi::recording.store(false, std::memory_order_release);
  finish_trace(trace::End::kFinalize);
  stop_flusher();
  end_counting_here();
  flush(raw::Phase::kFinalizeBegin);
  cpu_sampler_.stop_sharing();
  Counting::get().stop();
}

void Engine::finalize_end() {
  if (state_ != State::kOver || !writer_.usable()) return;
  guarded(std::chrono::seconds(1), [this] {
    write_clock(read_clocks(raw::Phase::kFinalizeEnd, main_thread_));
    // The footer is written here: some programs leave by _exit or are killed by their launcher after MPI_Finalize.
    write_footer();
  });
}

void Engine::abort() {
  State expected = State::kRecording;
  if (!state_.compare_exchange_strong(expected, State::kOver)) return;
  pmpi::recording.store(false, std::memory_order_release);
  finish_trace(trace::End::kAbort);
  guarded(std::chrono::seconds(1), [this] {
    flush_locked(raw::Phase::kExit);
    writer_.stop(raw::StopReason::kAborted, 0);
  });
}

void Engine::process_exit() {
  if (!armed_ || getpid() != pid_) return;
  State expected = State::kRecording;
  const bool was_recording = state_.compare_exchange_strong(expected, State::kOver);
  if (was_recording) {
    pmpi::recording.store(false, std::memory_order_release);
    finish_trace(trace::End::kExit);
    if (!stop_flusher()) return;
    Counting::get().stop();
  }
  guarded(std::chrono::seconds(1), [&] {
    if (!writer_.usable()) return;
    if (was_recording) {
      flush_locked(raw::Phase::kExit);
    } else {
      write_clock(read_clocks(raw::Phase::kExit, main_thread_));
    }
    write_footer();
  });
}

void Engine::add_first_thread() {
  if (this_tid() == pid_ || is_exiting(pid_)) return;
  auto* record = new (std::nothrow) ThreadRecord(raw::kOtherThread, first_thread_, pid_);
  if (record == nullptr) return;
  const std::lock_guard<std::timed_mutex> guard(threads_lock_);
  try {
    threads_.push_back(record);
  } catch (const std::bad_alloc&) {
    delete record;
    return;
  }
  first_record_ = record;
  threads_most_ = std::max(threads_most_.load(), ++threads_now_);
}

ThreadRecord* Engine::first_thread_if_called_by_it() {
  if (this_tid() != pid_) return nullptr;
  const std::lock_guard<std::timed_mutex> guard(threads_lock_);
  return first_record_;
}

ThreadRecord* Engine::begin_thread(uint32_t thread_class, uint64_t start) {
  if (ThreadRecord* first = first_thread_if_called_by_it()) {
    first->learn_cpu();
    if (cpu_sampler_.running()) first->watch_cpus();
    pmpi::this_thread = first;
    first->begin_counting();
    return first;
  }
  const CostOfThread cost(thread_class, thread_cost_ns_);
  auto* record = new (std::nothrow) ThreadRecord(thread_class, pthread_self(), this_tid(), start);
  if (record == nullptr) return nullptr;
  record->learn_cpu();
  if (cpu_sampler_.running()) cpu_sampler_.want_cpus_of_this_thread();
  const std::lock_guard<std::timed_mutex> guard(threads_lock_);
  try {
    threads_.push_back(record);
  } catch (const std::bad_alloc&) {
    delete record;
    return nullptr;
  }
  if (samplers_on_ && state_ != State::kOver) {
    start_sampler(*record);
    if (start != 0) record->count_from_birth();
  }
  if (trace_ != nullptr) record->trace = trace_->recorder();
  if (thread_class != raw::kMpiInternalThread) threads_most_ = std::max(threads_most_.load(), ++threads_now_);
  pmpi::this_thread = record;
  // Threads of MPI are not counted, since their work is not the application's.
  if (thread_class != raw::kMpiInternalThread) record->begin_counting();
  return record;
}

void Engine::end_counting_here() {
  if (pmpi::this_thread == nullptr) return;
  try {
    static_cast<ThreadRecord*>(pmpi::this_thread)->end_counting(epoch_);
  } catch (const std::bad_alloc&) {
    out_of_memory_ = true;
  }
}

void Engine::end_thread(ThreadRecord* record) {
  if (!armed_ || getpid() != pid_) return;
  end_counting_here();
  pmpi::this_thread = nullptr;
  const CostOfThread cost(record->thread_class, thread_cost_ns_);
  // Where the lock is not available in time, a small leak is better than an application that hangs.
  guarded(std::chrono::seconds(5), [&] {
    const std::lock_guard<std::timed_mutex> guard(threads_lock_);
    if (state_ == State::kRecording) {
      record->settle(epoch_);
      if (record->has_notes()) charge_cpu_samples();
      record->collect(epoch_, totals_);
      calls_.retire(record->thread_class, *record->calls);
      lost_retired_ += record->lost_samples();
      late_retired_ += record->late_overflows();
      counted_retired_.resize(Counting::get().names().size());
      record->add_counted(counted_retired_);
    }
    record->stop_sampler();
    threads_.erase(std::remove(threads_.begin(), threads_.end(), record), threads_.end());
    if (record == first_record_) first_record_ = nullptr;
    if (record->thread_class != raw::kMpiInternalThread) --threads_now_;
    delete record;
  });
}

uint32_t Engine::class_of_new_thread() const {
  const bool from_inside_mpi =
      state_ == State::kInitialising || (pmpi::this_thread != nullptr && pmpi::this_thread->depth > 0);
  return from_inside_mpi ? raw::kMpiInternalThread : raw::kOtherThread;
}

void Engine::drain(ThreadRecord& record) {
  if (record.watches_cpus()) note_operation(record);
  drain_own(record);
}

void Engine::drain_own(ThreadRecord& record) {
  // Samples of CPUs are not kept by thread; counts of events are.
  if (record.watches_cpus() && settings_.events.empty()) return;
  try {
    record.drain(epoch_);
  } catch (const std::bad_alloc&) {
    out_of_memory_ = true;  // the next flush ends recording
  }
}

void Engine::note_operation(ThreadRecord& record) {
  if (record.note_operation(cpu_sampler_)) return;
  // The flusher is late; there is room again when the samples so far have been looked up.
  drain_all();
  record.note_operation(cpu_sampler_);
}

void Engine::charge_cpu_samples() {
  std::unordered_map<pid_t, ThreadRecord*> by_tid;
  for (ThreadRecord* t : threads_) {
    t->begin_look_up();
    by_tid[t->tid()] = t;
  }
  cpu_sampler_.drain([&](const CpuSample& s) {
    if (s.tid == flusher_tid_) return;
    const auto found = by_tid.find(s.tid);
    // A thread without a record has ended, or was not made by pthread_create.
    const ThreadRecord* thread = found != by_tid.end() ? found->second : nullptr;
    SampleKey key;
    key.thread_class = thread != nullptr ? thread->thread_class : static_cast<uint32_t>(raw::kOtherThread);
    key.operation = thread != nullptr ? thread->operation_at(s.time_ns) : raw::kOutsideMpi;
    if (key.operation == raw::kOutsideMpi) {
      key.epoch = epoch_;
      key.address = s.address;
    }
    totals_.add(key, {1, s.period_ns, s.in_kernel ? s.period_ns : 0});
  });
  for (ThreadRecord* t : threads_) t->end_look_up();
}

void Engine::yields() {
  auto* record = static_cast<ThreadRecord*>(pmpi::this_thread);
  if (record == nullptr || record->depth == 0 || !pmpi::recording.load(std::memory_order_relaxed)) return;
  try {
    record->yields_in_mpi(epoch_);
  } catch (const std::bad_alloc&) {
    out_of_memory_ = true;  // the next flush ends recording
  }
}

void Engine::before_unload() {
  if (state_ != State::kRecording) return;
  guarded(std::chrono::seconds(1), [this] {
    collect_threads();
    note_modules();
  });
}

void Engine::after_unload() {
  if (state_ != State::kRecording) return;
  guarded(std::chrono::seconds(1), [this] { note_modules(); });
}

void Engine::forget_after_fork() {
  armed_ = false;
  state_ = State::kOver;
  pmpi::recording.store(false, std::memory_order_release);
  Counting::get().forget_after_fork();
  cpu_sampler_.forget_after_fork();
  // The ring's memory is not inherited.
  if (pmpi::this_thread != nullptr) {
    pmpi::this_thread->ring_head = &pmpi::ThreadState::kNoRing;
    pmpi::this_thread->trace = nullptr;
  }
}

void Engine::flush(raw::Phase phase) {
  guarded(std::chrono::seconds(1), [&] { flush_locked(phase); });
}

void Engine::flush_locked(raw::Phase phase) {
  if (!writer_.usable()) return;
  if (phase == raw::Phase::kFlush) cpu_sampler_.extend();
  const ClockPoint clock = read_clocks(phase, main_thread_);
  const bool is_last = phase == raw::Phase::kFinalizeBegin || phase == raw::Phase::kExit;
  if (is_last) settle_threads();
  collect_threads();
  // After samples were collected: looking up the paths of libraries takes as long as a sample, which is not the
  // program's.
  note_modules();
  write_samples();
  write_calls();
  if (is_last) count_unsampled_threads();
  write_losses();
  write_counting();
  write_allowed_cpus();
  write_spawned();
  write_waits(phase);
  write_clock(clock);
}

void Engine::collect_threads() {
  const std::unique_lock<std::timed_mutex> guard(threads_lock_, within(std::chrono::seconds(1)));
  if (!guard.owns_lock()) return;
  calls_.begin();
  if (cpu_sampler_.running()) charge_cpu_samples();
  lost_ = lost_retired_ + cpu_sampler_.lost();
  for (ThreadRecord* t : threads_) {
    t->collect(epoch_, totals_);
    calls_.add(t->thread_class, *t->calls);
    lost_ += t->lost_samples();
    if (t->thread_class != raw::kMpiInternalThread) allowed_cpus_.add(t->tid());
  }
}

// Settles all threads but the main one, which is sampled from MPI_Init on; others may be younger than a period.
void Engine::settle_threads() {
  const std::unique_lock<std::timed_mutex> guard(threads_lock_, within(std::chrono::seconds(1)));
  if (!guard.owns_lock()) return;
  for (ThreadRecord* t : threads_) {
    if (t->thread_class != raw::kMainThread) t->settle(epoch_);
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
  for (size_t i = 0; i < totals_.entries().size(); ++i) {
    const SampleTable::Entry& s = totals_.entries()[i];
    samples_ += s.value.samples;
    if (!s.changed) continue;
    e.u32(s.key.thread_class);
    e.u32(s.key.operation);
    e.u32(s.key.epoch);
    e.u64(s.key.address);
    e.u64(s.value.samples);
    e.u64(s.value.cpu_ns);
    e.u64(s.value.system_ns);
    for (size_t c = 0; c < totals_.n_counts(); ++c) e.u64(totals_.counts(i)[c]);
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
  e.u64(collector_cpu_ns_.load(std::memory_order_relaxed) + thread_cost_ns_.load(std::memory_order_relaxed));
  writer_.append(raw::ChunkKind::kClock, e);
}

void Engine::write_losses() {
  raw::Encoder e;
  e.u64(lost_);
  e.u64(unsampled_threads_);
  e.u64(0);  // dropped_keys: every key has a place in the table
  e.u64(calls_.uncounted());
  e.u32(threads_most_);
  writer_.append(raw::ChunkKind::kLosses, e);
}

void Engine::write_counting() {
  const Counting& counting = Counting::get();
  if (!counting.asked_for()) return;
  uint64_t late = late_retired_;
  std::vector<uint64_t> counted = counted_retired_;
  counted.resize(counting.names().size());
  {
    const std::unique_lock<std::timed_mutex> guard(threads_lock_, within(std::chrono::seconds(1)));
    if (!guard.owns_lock()) return;
    for (ThreadRecord* t : threads_) {
      late += t->late_overflows();
      t->add_counted(counted);
    }
  }
  raw::Encoder e;
  e.u64(late);
  e.u32(counting.uncounted_threads());
  e.string(counting.problem());
  writer_.append(raw::ChunkKind::kCounting, e);
  if (!counting.each_overflows()) return;
  raw::Encoder overflows;
  overflows.u32(static_cast<uint32_t>(counted.size()));
  for (size_t i = 0; i < counted.size(); ++i) {
    overflows.u64(counting.charged_period(i));
    overflows.u64(counted[i]);
  }
  writer_.append(raw::ChunkKind::kOverflows, overflows);
}

void Engine::write_allowed_cpus() {
  raw::Encoder e;
  if (allowed_cpus_.write_changed(e)) writer_.append(raw::ChunkKind::kAllowedCpus, e);
}

void Engine::write_spawned() {
  if (calls_.spawned() == spawned_written_) return;
  raw::Encoder e;
  e.u64(calls_.spawned());
  if (writer_.append(raw::ChunkKind::kSpawned, e)) spawned_written_ = calls_.spawned();
}

void Engine::write_waits(raw::Phase phase) {
  const std::optional<Waits> waits = read_waits(main_tid_);
  if (!waits) return;
  raw::Encoder e;
  e.u32(static_cast<uint32_t>(phase));
  e.u64(waits->for_core_ns);
  e.u64(waits->children_cpu_ns);
  writer_.append(raw::ChunkKind::kWaits, e);
}

void Engine::write_footer() { writer_.append_footer(samples_, lost_); }

// Counts threads without a sampler, which were not made by pthread_create.
void Engine::count_unsampled_threads() {
  if (cpu_sampler_.running()) return;  // it samples all threads
  DIR* d = opendir("/proc/self/task");
  if (d == nullptr) return;
  const std::unique_lock<std::timed_mutex> guard(threads_lock_, within(std::chrono::seconds(1)));
  while (const dirent* entry = guard.owns_lock() ? readdir(d) : nullptr) {
    const auto tid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    const bool known =
        std::any_of(threads_.begin(), threads_.end(), [&](const ThreadRecord* t) { return t->tid() == tid; });
    // A thread that ended is listed for a moment longer, and the flusher is listed as well.
    if (tid > 0 && tid != flusher_tid_ && !known && !is_exiting(tid)) ++unsampled_threads_;
  }
  closedir(d);
}

}  // namespace scalediag::inject
