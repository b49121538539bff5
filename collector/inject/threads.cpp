#include "collector/inject/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>

#include "collector/inject/clock_points.h"
#include "collector/inject/cpus/core_share.h"
#include "collector/inject/cpus/current_cpu.h"
#include "collector/inject/lock_deadline.h"
#include "collector/inject/sampling/python_frames.h"

namespace scalediag::inject {
namespace {

constexpr double kThreadRecordBytes = 40;  // a sample in the kernel's ring

pid_t this_tid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

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

std::unique_lock<std::timed_mutex> patient(std::timed_mutex& lock) {
  return std::unique_lock<std::timed_mutex>(lock, deadline_after(std::chrono::seconds(1)));
}

}  // namespace

void Threads::arm(const Settings& settings, uint64_t period_ns) {
  settings_ = &settings;
  period_ns_ = period_ns;
  first_tid_ = getpid();
  first_thread_ = pthread_self();
}

bool Threads::add(ThreadRecord* record) {
  try {
    records_.push_back(record);
  } catch (const std::bad_alloc&) {
    delete record;
    return false;
  }
  return true;
}

void Threads::add_first() {
  if (this_tid() == first_tid_ || is_exiting(first_tid_)) return;
  auto* record = new (std::nothrow) ThreadRecord(raw::kOtherThread, first_thread_, first_tid_);
  if (record == nullptr) return;
  const std::lock_guard<std::timed_mutex> guard(lock_);
  if (!add(record)) return;
  first_ = record;
  most_threads_ = std::max(most_threads_.load(), ++live_threads_);
}

ThreadRecord* Threads::first_if_called_by_it() {
  if (this_tid() != first_tid_) return nullptr;
  const std::lock_guard<std::timed_mutex> guard(lock_);
  return first_;
}

void Threads::start_sampling(int ranks) {
  share_cores_ = ranks_share_cores(ranks);
  totals_.samples.set_counts(Counting::get().names().size());
  totals_.counted.resize(Counting::get().names().size());
  ended_counted_ = totals_.counted;
  const bool is_python = python::find_interpreter();
  const bool with_stacks = settings_->stack_bytes > 0;
  if ((settings_->sampler == SamplerChoice::kAuto && !is_python && !with_stacks) ||
      settings_->sampler == SamplerChoice::kCpus) {
    const bool cpu_is_known = current_cpu_of_this_thread() != nullptr;
    cpus_errno_ = cpu_is_known ? cpus_.start(settings_->directory, period_ns_) : ENOSYS;
  }
  const std::lock_guard<std::timed_mutex> guard(lock_);
  sampling_ = true;
  for (ThreadRecord* t : records_) start_sampler(*t);
}

void Threads::start_sampler(ThreadRecord& record) {
  if (cpus_.running()) {
    if (!record.watch_cpus()) ++unsampled_threads_;
    return;
  }
  SamplerOutcome outcome;
  const bool with_stacks = settings_->stack_bytes > 0;
  // Only the handler of a signal sees a stack as long as it is. Events of threads make switching threads three times as
  // expensive, which matters where ranks wait for a core.
  const bool avoids_events =
      settings_->sampler == SamplerChoice::kAuto && (with_stacks || share_cores_ || python::is_found());
  if (with_stacks) record.keep_stacks(stacks_, settings_->stack_bytes);
  bool is_sampled =
      record.start_sampler(avoids_events ? SamplerChoice::kTimer : settings_->sampler, period_ns_, outcome);
  if (!is_sampled && avoids_events) is_sampled = record.start_sampler(SamplerChoice::kPerf, period_ns_, outcome);
  // Missing samples are no loss where none were asked for.
  if (!is_sampled && settings_->sampler != SamplerChoice::kNone) ++unsampled_threads_;
  if (record.thread_class == raw::kMainThread) main_outcome_ = outcome;
  if (record.ring_bytes() != 0) smallest_ring_ = std::min<uint64_t>(smallest_ring_, record.ring_bytes());
}

void Threads::describe_sampler(const ThreadRecord& main, raw::Identity& identity) const {
  identity.sampler = "none";
  if (main.watches_cpus()) {
    identity.sampler = "cpus";
  } else if (main.sampled()) {
    identity.sampler = main.uses_timer() ? "timer" : (main.sees_kernel_mode() ? "perf" : "perf-user");
  }
  std::string& reason = identity.sampler_reason;
  const auto add = [&](const std::string& text) { reason += (reason.empty() ? "" : "; ") + text; };
  if (cpus_errno_ != 0) add(std::string("events of CPUs: ") + std::strerror(cpus_errno_));
  if (main_outcome_.perf_errno != 0) add(std::string("events of threads: ") + std::strerror(main_outcome_.perf_errno));
  if (main_outcome_.timer_errno != 0) add(std::string("timer: ") + std::strerror(main_outcome_.timer_errno));
  if (!main.uses_timer()) return;
  if (settings_->sampler == SamplerChoice::kAuto) {
    // No other sampler sees call stacks or functions of Python: it is what was asked for, and no reservation.
    if (settings_->stack_bytes > 0 || python::is_found()) return;
    if (share_cores_) add("ranks share cores, where events of threads cost much");
  }
  add("the timer sends signal " + std::to_string(timer_signal()));
}

ThreadRecord* Threads::begin_thread(uint32_t thread_class, uint64_t start, bool may_sample) {
  if (ThreadRecord* first = first_if_called_by_it()) {
    first->learn_cpu();
    if (cpus_.running()) first->watch_cpus();
    pmpi::this_thread = first;
    first->begin_counting();
    return first;
  }
  const CostOfThread cost(thread_class, cost_of_threads_ns_);
  auto* record = new (std::nothrow) ThreadRecord(thread_class, pthread_self(), this_tid(), start);
  if (record == nullptr) return nullptr;
  record->learn_cpu();
  if (cpus_.running()) cpus_.want_cpus_of_this_thread();
  const std::lock_guard<std::timed_mutex> guard(lock_);
  if (!add(record)) return nullptr;
  if (sampling_ && may_sample) {
    start_sampler(*record);
    if (start != 0) record->count_from_birth();
  }
  record->trace = recorder_;
  pmpi::this_thread = record;
  // Threads of MPI are not counted, since their work is not the application's.
  if (thread_class == raw::kMpiInternalThread) return record;
  most_threads_ = std::max(most_threads_.load(), ++live_threads_);
  record->begin_counting();
  return record;
}

void Threads::end_thread(ThreadRecord* record, bool keep, pid_t own_thread) {
  const CostOfThread cost(record->thread_class, cost_of_threads_ns_);
  const std::lock_guard<std::timed_mutex> guard(lock_);
  if (keep) {
    record->settle(epoch_);
    if (record->has_notes()) charge_cpu_samples(own_thread);
    record->collect(epoch_, totals_.samples);
    totals_.calls.retire(record->thread_class, *record->calls);
    ended_lost_samples_ += record->lost_samples();
    ended_late_overflows_ += record->late_overflows();
    record->add_counted(ended_counted_);
  }
  record->stop_sampler();
  records_.erase(std::remove(records_.begin(), records_.end(), record), records_.end());
  if (record == first_) first_ = nullptr;
  if (record->thread_class != raw::kMpiInternalThread) --live_threads_;
  delete record;
}

void Threads::trace_with(pmpi::TraceRecorder* recorder, bool counts_calls) {
  const std::lock_guard<std::timed_mutex> guard(lock_);
  recorder_ = recorder;
  for (ThreadRecord* t : records_) {
    t->trace = recorder;
    t->counts_calls = counts_calls;
  }
}

void Threads::drain(ThreadRecord& record) {
  // Samples of CPUs are not kept by thread; counts of events are.
  if (record.watches_cpus() && settings_->events.empty()) return;
  record.drain(epoch_);
}

void Threads::drain_all(pid_t own_thread) {
  const auto guard = patient(lock_);
  if (!guard.owns_lock()) return;
  if (cpus_.running()) charge_cpu_samples(own_thread);
  for (ThreadRecord* t : records_) drain(*t);
}

void Threads::charge_cpu_samples(pid_t own_thread) {
  std::unordered_map<pid_t, ThreadRecord*> by_tid;
  for (ThreadRecord* t : records_) {
    t->begin_look_up();
    by_tid[t->tid()] = t;
  }
  cpus_.drain([&](const CpuSample& s) {
    if (s.tid == own_thread) return;
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
    totals_.samples.add(key, {1, s.period_ns, s.in_kernel ? s.period_ns : 0});
  });
  for (ThreadRecord* t : records_) t->end_look_up();
}

bool Threads::collect(pid_t own_thread) {
  const auto guard = patient(lock_);
  if (!guard.owns_lock()) return false;
  totals_.calls.begin();
  if (cpus_.running()) charge_cpu_samples(own_thread);
  totals_.lost_samples = ended_lost_samples_ + cpus_.lost();
  totals_.late_overflows = ended_late_overflows_;
  totals_.counted = ended_counted_;
  for (ThreadRecord* t : records_) {
    t->collect(epoch_, totals_.samples);
    totals_.calls.add(t->thread_class, *t->calls);
    totals_.lost_samples += t->lost_samples();
    totals_.late_overflows += t->late_overflows();
    t->add_counted(totals_.counted);
    if (t->thread_class != raw::kMpiInternalThread) totals_.allowed_cpus.add(t->tid());
  }
  return true;
}

void Threads::settle() {
  const auto guard = patient(lock_);
  if (!guard.owns_lock()) return;
  for (ThreadRecord* t : records_) {
    if (t->thread_class != raw::kMainThread) t->settle(epoch_);
  }
}

void Threads::count_unsampled(pid_t own_thread) {
  if (cpus_.running()) return;  // they sample all threads
  DIR* d = opendir("/proc/self/task");
  if (d == nullptr) return;
  const auto guard = patient(lock_);
  while (const dirent* entry = guard.owns_lock() ? readdir(d) : nullptr) {
    const auto tid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    const bool known =
        std::any_of(records_.begin(), records_.end(), [&](const ThreadRecord* t) { return t->tid() == tid; });
    // A thread that ended is listed for a moment longer, and the collector's is listed as well.
    if (tid > 0 && tid != own_thread && !known && !is_exiting(tid)) ++unsampled_threads_;
  }
  closedir(d);
}

double Threads::fill_s() const {
  if (settings_->stack_bytes > 0) return static_cast<double>(StackRing::kStacks) / settings_->rate_hz;
  return static_cast<double>(smallest_ring_.load()) / kThreadRecordBytes / settings_->rate_hz;
}

}  // namespace scalediag::inject
