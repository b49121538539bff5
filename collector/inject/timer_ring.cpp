#include "collector/inject/timer_ring.h"

#include <signal.h>
#include <ucontext.h>

#include <cerrno>
#include <cstring>

#include "collector/inject/clock_points.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace scalediag::inject {
namespace {

uint64_t interrupted_instruction(const void* context) {
  const auto* c = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<uint64_t>(c->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return c->uc_mcontext.pc;
#endif
}

// The timer hands its ring over in the signal's value: no look-up by thread is needed.
void on_timer(int, siginfo_t* info, void* context) {
  const int saved = errno;
  if (info->si_code == SI_TIMER && info->si_value.sival_ptr != nullptr) {
    static_cast<TimerRing*>(info->si_value.sival_ptr)->record(interrupted_instruction(context));
  }
  errno = saved;
}

int install_handler() {
  struct sigaction a;
  std::memset(&a, 0, sizeof a);
  a.sa_sigaction = on_timer;
  a.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&a.sa_mask);
  return sigaction(timer_signal(), &a, nullptr) == 0 ? 0 : errno;
}

}  // namespace

int timer_signal() { return SIGRTMAX - 3; }

int TimerRing::open(pthread_t thread, pid_t tid, uint64_t period_ns, const std::atomic<uint32_t>* operation) {
  static const int handler_error = install_handler();
  if (handler_error != 0) return handler_error;
  clockid_t clock;
  if (const int e = pthread_getcpuclockid(thread, &clock)) return e;
  operation_ = operation;
  cpu_at_start_ns_ = clock_ns(clock);
  sigevent event;
  std::memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = timer_signal();
  event.sigev_value.sival_ptr = this;
  event.sigev_notify_thread_id = tid;
  if (timer_create(clock, &event, &timer_) != 0) return errno;
  itimerspec period{};
  period.it_interval.tv_sec = static_cast<time_t>(period_ns / 1000000000u);
  period.it_interval.tv_nsec = static_cast<long>(period_ns % 1000000000u);
  period.it_value = period.it_interval;
  if (timer_settime(timer_, 0, &period, nullptr) != 0) {
    const int e = errno;
    timer_delete(timer_);
    return e;
  }
  open_ = true;
  return 0;
}

void TimerRing::close() {
  if (!open_) return;
  open_ = false;
  timer_delete(timer_);
}

void TimerRing::record(uint64_t address) {
  const uint64_t head = head_.load(std::memory_order_relaxed);
  if (head - tail_.load(std::memory_order_acquire) >= kSamples) {
    lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  Slot& slot = ring_[head % kSamples];
  slot.sample.address = address;
  slot.sample.thread_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_at_start_ns_;
  slot.operation = operation_->load(std::memory_order_relaxed);
  head_.store(head + 1, std::memory_order_release);
}

}  // namespace scalediag::inject
