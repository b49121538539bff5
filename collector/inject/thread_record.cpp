#include "collector/inject/thread_record.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "collector/inject/clock_points.h"
#include "collector/inject/cpus/current_cpu.h"
#include "collector/inject/lock_deadline.h"
#include "collector/inject/sampling/spread_period.h"

namespace scalediag::inject {
namespace {

// A period of its own for each thread. A sample has the weight of the CPU time since the one before, whatever the
// period.
uint64_t own_period_ns(uint64_t period_ns, pid_t tid) {
  return spread_period_ns(period_ns, static_cast<uint64_t>(tid) + clock_ns(CLOCK_REALTIME));
}

}  // namespace

ThreadRecord::ThreadRecord(uint32_t record_class, pthread_t thread, pid_t tid, uint64_t start)
    : thread_(thread),
      cpu_clock_(cpu_clock_of(thread)),
      tid_(tid),
      start_(start),
      cpu_at_birth_ns_(clock_ns(cpu_clock_)) {
  thread_class = record_class;
  calls = &call_table_;
}

std::unique_lock<std::timed_mutex> ThreadRecord::locked() {
  return std::unique_lock<std::timed_mutex>(lock_, deadline_after(std::chrono::seconds(1)));
}

void ThreadRecord::learn_cpu() { cpu_word_ = current_cpu_of_this_thread(); }

bool ThreadRecord::watch_cpus() {
  if (log_ == nullptr) log_.reset(new (std::nothrow) OperationLog);
  if (log_ == nullptr) return false;
  if (cpu_word_ == nullptr) return true;
  cpu_seen = ~*cpu_word_;  // the next wrapper finds the ring
  cpu = cpu_word_;
  return true;
}

bool ThreadRecord::note_operation(CpuSampler& sampler) {
  cpu_seen = *cpu;
  ring_head = sampler.head_of(cpu_seen);
  if (ring_head == &kNoRing) sampler.want(cpu_seen);
  ring_seen.store(*ring_head, std::memory_order_relaxed);
  return log_->add(clock_ns(CLOCK_MONOTONIC), operation.load(std::memory_order_relaxed));
}

void ThreadRecord::keep_stacks(CallStacks& stacks, size_t most_bytes) {
  const auto guard = locked();
  stacks_ = &stacks;
  stack_bytes_ = most_bytes;
}

bool ThreadRecord::start_sampler(SamplerChoice choice, uint64_t period_ns, SamplerOutcome& outcome) {
  const auto guard = locked();
  if (choice == SamplerChoice::kNone) return false;
  to_be_sampled_ = true;
  period_ns_ = own_period_ns(period_ns, tid_);
  if (choice != SamplerChoice::kTimer) {
    outcome.perf_errno = perf_.open(tid_, period_ns_);
    cpu_at_start_ns_ = clock_ns(cpu_clock_);  // opening costs time that is no work of the thread's
    if (outcome.perf_errno == 0) {
      ring_head = perf_.head();
      return true;
    }
    if (choice == SamplerChoice::kPerf) return false;
  }
  timer_.reset(new (std::nothrow) TimerRing);
  // Samples of a thread whose stack cannot be copied say so (raw::kUncopiedStack).
  if (timer_ != nullptr && stacks_ != nullptr) timer_->keep_stacks(thread_, tid_, stack_bytes_);
  outcome.timer_errno = timer_ == nullptr ? ENOMEM : timer_->open(tid_, period_ns_, &operation);
  if (outcome.timer_errno != 0) timer_.reset();
  cpu_at_start_ns_ = clock_ns(cpu_clock_);
  return timer_ != nullptr;
}

void ThreadRecord::count_from_birth() {
  const auto guard = locked();
  cpu_at_start_ns_ -= std::min(cpu_at_start_ns_, cpu_at_birth_ns_);
}

void ThreadRecord::drain(uint32_t epoch) {
  const auto guard = locked();
  if (!guard.owns_lock()) return;
  drain_locked(epoch);
  if (waiting_ != Waiting::kNot) end_waiting(epoch);
}

void ThreadRecord::yields_in_mpi(uint32_t epoch) {
  // A value that the wrapper takes for news when the operation ends, whatever ring_seen is: no ring is as long.
  static const volatile uint64_t operation_has_to_drain = UINT64_MAX;
  if (waiting_ == Waiting::kPaused || !perf_.is_open()) return;
  // The lock is not available while the flusher holds it, or a drain that a signal handler has interrupted: then the
  // next yield charges the time.
  const std::unique_lock<std::timed_mutex> guard(lock_, std::try_to_lock);
  if (!guard.owns_lock()) return;
  ring_head = &operation_has_to_drain;
  if (waiting_ == Waiting::kNot) {
    waiting_ = Waiting::kYielded;
    return;
  }
  drain_locked(epoch);
  if (!perf_.pause()) return;
  waiting_ = Waiting::kPaused;
  pause_charged_until_ns_ = clock_ns(cpu_clock_);
}

void ThreadRecord::charge_pause() {
  const uint64_t now_ns = clock_ns(cpu_clock_);
  if (now_ns < pause_charged_until_ns_) return;  // the thread is gone
  SampleKey key;
  key.thread_class = thread_class;
  key.operation = operation.load(std::memory_order_relaxed);
  SampleValue value;
  value.cpu_ns = now_ns - pause_charged_until_ns_;
  pending_.add(key, value);
  pauses_charged_ns_ += value.cpu_ns;
  pause_charged_until_ns_ = now_ns;
}

void ThreadRecord::end_waiting(uint32_t epoch) {
  if (waiting_ == Waiting::kPaused) {
    charge_pause();
    perf_.resume();
    // A period that ended while the event was paused is noticed inside the resuming call. Its time is the operation's;
    // without this the application would seem to compute in ioctl, the more, the more ranks wait for one another.
    drain_locked(epoch);
  }
  ring_head = perf_.head();
  waiting_ = Waiting::kNot;
}

void ThreadRecord::collect(uint32_t epoch, SampleTable& totals) {
  const auto guard = locked();
  if (!guard.owns_lock()) return;
  drain_locked(epoch);
  if (waiting_ == Waiting::kPaused) charge_pause();
  weigh_moments();
  uint64_t system_ns = 0;
  for (const SampleTable::Entry& e : pending_.entries()) system_ns += e.value.system_ns;
  const uint64_t extra_ns = std::min(switching_ns(), system_ns);
  for (size_t i = 0; i < pending_.entries().size(); ++i) {
    const SampleTable::Entry& e = pending_.entries()[i];
    SampleValue value = e.value;
    if (extra_ns > 0) {
      const double share = static_cast<double>(value.system_ns) / static_cast<double>(system_ns);
      const auto switching = static_cast<uint64_t>(share * static_cast<double>(extra_ns));
      value.cpu_ns += switching;
      value.system_ns += switching;
      switching_charged_ns_ += switching;
    }
    totals.add(e.key, value, pending_.counts(i));
  }
  pending_.clear();
}

// CPU time in ns that the event did not count and that is not charged yet: when the kernel switches threads it stops
// the event first and starts it last. An idle rank that yields its core a hundred thousand times a second spends a
// sixth of its CPU time there. It is charged to the places where the thread was in kernel mode, since it was switched
// from there.
uint64_t ThreadRecord::switching_ns() const {
  if (!perf_.is_open()) return 0;
  const uint64_t used = used_ns();
  // Half a period has passed since the last sample on average.
  const uint64_t accounted = accounted_ns() + (settled_ns_ == 0 ? period_ns_ / 2 : 0);
  return used > accounted ? used - accounted : 0;
}

// CPU time of the thread since sampling began; 0 when the thread is gone.
uint64_t ThreadRecord::used_ns() const {
  const uint64_t now_ns = clock_ns(cpu_clock_);
  return now_ns > cpu_at_start_ns_ ? now_ns - cpu_at_start_ns_ : 0;
}

// Turns the timer's moments, each of which stands for the wall time of its cell, into CPU time.
//
// Outside MPI the two are equal: a thread that computes keeps its core until the scheduler takes it away. Inside MPI, a
// thread that waits gives its core up again and again for less time than a signal needs to arrive, and may count as
// running although it was not. But MPI's CPU time is known: the thread's CPU time, less the time charged outside. (It
// may be a little below zero, by chance; it is then less the next time.) Where all moments together stand for less than
// the thread has used, signals were late, and all count for more. None counts more than twice: otherwise time without
// signals would be charged to whatever came before or after.
void ThreadRecord::weigh_moments() {
  if (moments_.entries().empty()) return;
  double outside_ns = 0;
  double inside_ns = 0;
  for (const SampleTable::Entry& e : moments_.entries()) {
    (e.key.operation == raw::kOutsideMpi ? outside_ns : inside_ns) += static_cast<double>(e.value.cpu_ns);
  }
  const double open_ns = static_cast<double>(used_ns()) - static_cast<double>(accounted_ns());
  const double all_ns = outside_ns + inside_ns;
  const double stretch = open_ns / all_ns;
  const double most = 2 + 4 * static_cast<double>(period_ns_) / all_ns;
  const bool inside_is_rest = inside_ns > 0 && stretch < 1;
  const double outside_weight = inside_is_rest ? 1 : std::clamp(stretch, 0.0, most);
  const double inside_weight =
      inside_is_rest ? std::max(0.0, open_ns - outside_ns) / inside_ns : std::clamp(stretch, 0.0, most);
  for (const SampleTable::Entry& e : moments_.entries()) {
    SampleValue value = e.value;
    value.cpu_ns = static_cast<uint64_t>((e.key.operation == raw::kOutsideMpi ? outside_weight : inside_weight) *
                                         static_cast<double>(value.cpu_ns));
    last_cpu_ns_ += value.cpu_ns;
    pending_.add(e.key, value);
  }
  moments_.clear();
}

// The CPU time in ns without samples beyond which the sampler must have been prevented from working.
uint64_t ThreadRecord::longest_gap_ns() const { return 25 * period_ns_; }

// The part of it that was charged.
uint64_t ThreadRecord::accounted_ns() const {
  return last_cpu_ns_ + switching_charged_ns_ + pauses_charged_ns_ + settled_ns_;
}

void ThreadRecord::settle(uint32_t epoch) {
  const auto guard = locked();
  if (!guard.owns_lock() || !to_be_sampled_) return;
  drain_locked(epoch);
  if (waiting_ == Waiting::kPaused) charge_pause();
  weigh_moments();
  const uint64_t used = used_ns();
  const uint64_t accounted = accounted_ns();
  if (used <= accounted || used - accounted > longest_gap_ns() || (!last_key_ && start_ == 0)) return;
  SampleValue value;
  value.cpu_ns = used - accounted;
  value.samples = last_key_ ? 0 : 1;  // all of the thread's time is known to belong there
  pending_.add(last_key_ ? *last_key_ : key_of(start_, raw::kOutsideMpi, epoch), value);
  settled_ns_ += value.cpu_ns;
}

void ThreadRecord::stop_sampler() {
  const auto guard = locked();
  ring_head = &kNoRing;
  ring_seen.store(0, std::memory_order_relaxed);
  cpu_seen = kNoCpu;
  cpu = &kNoCpu;
  waiting_ = Waiting::kNot;
  perf_.close();
  if (timer_ != nullptr) timer_->close();
}

uint64_t ThreadRecord::lost_samples() {
  const auto guard = locked();
  return perf_.lost() + (timer_ != nullptr ? timer_->lost() : 0);
}

void ThreadRecord::begin_counting() {
  std::unique_ptr<ThreadCounting> counting = Counting::get().begin_thread(&operation);
  if (counting == nullptr) return;
  const auto guard = locked();
  if (!guard.owns_lock()) return;
  pending_.set_counts(Counting::get().names().size());
  counting_ = std::move(counting);
}

void ThreadRecord::end_counting(uint32_t epoch) {
  if (counting_ == nullptr) return;
  counting_->stop();
  drain(epoch);
}

uint64_t ThreadRecord::late_overflows() {
  const auto guard = locked();
  return counting_ != nullptr ? counting_->late() : 0;
}

void ThreadRecord::add_counted(std::vector<uint64_t>& totals) {
  const auto guard = locked();
  if (counting_ == nullptr) return;
  for (size_t i = 0; i < totals.size(); ++i) totals[i] += counting_->counted(i);
}

void ThreadRecord::drain_counts(uint32_t epoch) {
  if (counting_ == nullptr) return;
  counting_->drain([&](uint64_t address, uint32_t where, const uint64_t* counts) {
    pending_.add(key_of(address, where, epoch), SampleValue{}, counts);
  });
}

void ThreadRecord::drain_locked(uint32_t epoch) {
  drain_counts(epoch);
  if (perf_.is_open()) {
    const uint32_t where = operation.load(std::memory_order_relaxed);
    ring_seen.store(perf_.drain([&](const Sample& s) { charge(s, where, epoch); }), std::memory_order_relaxed);
  } else if (timer_ != nullptr) {
    if (stacks_ == nullptr) {
      drain_timer(epoch);
    } else if (timer_->has_news()) {
      stacks_->with_modules([&] { drain_timer(epoch); });
    }
  }
}

void ThreadRecord::drain_timer(uint32_t epoch) {
  timer_->drain([&](const TimerSample& s) {
    SampleValue value;
    value.samples = 1;
    value.cpu_ns = s.wall_ns;
    last_key_ = key_of(s.address, s.operation, epoch);
    if (stacks_ != nullptr) last_key_->callers = stacks_->callers_of(s, epoch);
    moments_.add(*last_key_, value);
  });
}

SampleKey ThreadRecord::key_of(uint64_t address, uint32_t where, uint32_t epoch) const {
  SampleKey key;
  key.thread_class = thread_class;
  key.operation = where;
  // Inside MPI the operation is the kernel; the library's instruction does not matter.
  key.epoch = where == raw::kOutsideMpi ? epoch : 0;
  key.address = where == raw::kOutsideMpi ? address : 0;
  return key;
}

void ThreadRecord::charge(const Sample& s, uint32_t where, uint32_t epoch) {
  SampleValue value;
  value.samples = 1;
  value.cpu_ns = s.thread_cpu_ns > last_cpu_ns_ ? s.thread_cpu_ns - last_cpu_ns_ : 0;
  if (perf_.is_open() && !perf_.sees_kernel_mode()) {
    // Timers that expire in kernel mode leave no sample, so that a sample's time beyond a period was spent there.
    value.system_ns = value.cpu_ns > period_ns_ ? value.cpu_ns - period_ns_ : 0;
  } else {
    value.system_ns = s.in_kernel ? value.cpu_ns : 0;
  }
  last_cpu_ns_ = s.thread_cpu_ns;
  last_key_ = key_of(s.address, where, epoch);
  pending_.add(*last_key_, value);
}

}  // namespace scalediag::inject
