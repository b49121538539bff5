#include "collector/inject/sampling/timer_ring.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "collector/inject/clock_points.h"
#include "collector/inject/interposing/signal_shield.h"
#include "collector/inject/sampling/python_frames.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace scalediag::inject {
namespace {

// The next instruction of the processor when the signal came. A system call that was interrupted in its sleep either
// begins again, so that its instruction comes next, or has just returned EINTR.
struct Interrupted {
  uint64_t instruction = 0;
  bool from_sleep = false;
};

Interrupted interrupted(const void* context) {
  const auto* c = static_cast<const ucontext_t*>(context);
  Interrupted i;
#if defined(__x86_64__)
  constexpr unsigned char kSystemCall[2] = {0x0f, 0x05};
  i.instruction = static_cast<uint64_t>(c->uc_mcontext.gregs[REG_RIP]);
  // The instruction leaves the following address in rcx, so that memory is read only where there was one.
  if (static_cast<uint64_t>(c->uc_mcontext.gregs[REG_RCX]) == i.instruction) {
    i.from_sleep = c->uc_mcontext.gregs[REG_RAX] == -EINTR;
  } else if (static_cast<uint64_t>(c->uc_mcontext.gregs[REG_RCX]) == i.instruction + sizeof kSystemCall) {
    i.from_sleep = std::memcmp(reinterpret_cast<const void*>(i.instruction), kSystemCall, sizeof kSystemCall) == 0;
  }
#elif defined(__aarch64__)
  constexpr uint32_t kSystemCall = 0xd4000001;  // svc #0
  i.instruction = c->uc_mcontext.pc;
  uint32_t code[2];
  std::memcpy(code, reinterpret_cast<const void*>(i.instruction - sizeof kSystemCall), sizeof code);
  i.from_sleep =
      code[1] == kSystemCall || (code[0] == kSystemCall && static_cast<int64_t>(c->uc_mcontext.regs[0]) == -EINTR);
#endif
  return i;
}

// The timer hands its ring over in the signal's value: no look-up by thread is needed.
void on_timer(int, siginfo_t* info, void* context) {
  const int saved = errno;
  if (info->si_code == SI_TIMER && info->si_value.sival_ptr != nullptr) {
    const Interrupted i = interrupted(context);
    static_cast<TimerRing*>(info->si_value.sival_ptr)->on_signal(i.instruction, i.from_sleep, context);
  } else {
    shield::forward(info, context);
  }
  errno = saved;
}

}  // namespace

int timer_signal() { return SIGRTMAX - 3; }

RandomMoments::RandomMoments(uint64_t period_ns, uint64_t seed, uint64_t now_ns)
    : period_ns_(period_ns), random_(seed | 1), length_ns_(period_ns), cells_end_ns_(now_ns) {}

// xorshift64*
uint64_t RandomMoments::random_within(uint64_t length_ns) {
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  const uint64_t bits = random_ * 0x2545F4914F6CDD1DULL;
  return static_cast<uint64_t>(static_cast<double>(bits >> 11) / 9007199254740992.0 * static_cast<double>(length_ns));
}

// Cells whose moments passed while the signal was delayed are those of a thread that did not run.
uint64_t RandomMoments::next_ns(uint64_t now_ns) {
  if (now_ns > cells_end_ns_) cells_end_ns_ += (now_ns - cells_end_ns_) / length_ns_ * length_ns_;
  for (;;) {
    const uint64_t moment_ns = cells_end_ns_ + random_within(length_ns_);
    cells_end_ns_ += length_ns_;
    if (moment_ns <= now_ns) continue;
    cell_ns_ = length_ns_;
    return moment_ns;
  }
}

void RandomMoments::lengthen() { length_ns_ = std::min(2 * length_ns_, 64 * period_ns_); }

bool ran_at_expiry(const Arrival& a) {
  constexpr uint64_t kClockNoise_ns = 20000;     // interrupts are in no thread's time
  constexpr uint64_t kLatest_ns = 200000;        // 20 to 100 us in a virtual machine, a few on a bare one
  if (a.off_cpu <= kClockNoise_ns) return true;  // however late, since system calls end before signals are looked at
  if (a.from_sleep) return false;
  return a.late <= kLatest_ns || a.off_cpu < a.late;
}

int TimerRing::open(pid_t tid, uint64_t period_ns, const std::atomic<uint32_t>* operation) {
  static const int handler_error = shield::take(timer_signal(), on_timer);
  if (handler_error != 0) return handler_error;
  const bool is_this_thread = tid == static_cast<pid_t>(syscall(SYS_gettid));
  if (is_this_thread) shield::unblock_here();
  operation_ = operation;
  sigevent event;
  std::memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = timer_signal();
  event.sigev_value.sival_ptr = this;
  event.sigev_notify_thread_id = tid;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) return errno;
  const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  moments_ = RandomMoments(period_ns, now_ns * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(tid), now_ns);
  set_at_ns_ = now_ns;
  cpu_at_set_ns_ = is_this_thread ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : kUnknown;
  open_ = true;
  if (!set_timer()) {
    const int e = errno;
    close();
    return e;
  }
  return 0;
}

bool TimerRing::set_timer() {
  expires_ns_ = moments_.next_ns(set_at_ns_);
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(expires_ns_ / 1000000000u);
  when.it_value.tv_nsec = static_cast<long>(expires_ns_ % 1000000000u);
  return timer_settime(timer_, TIMER_ABSTIME, &when, nullptr) == 0;
}

void TimerRing::close() {
  if (!open_.exchange(false)) return;
  timer_delete(timer_);
}

void TimerRing::on_signal(uint64_t address, bool from_sleep, const void* context) {
  if (!open_) return;
  const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  const uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  Arrival a;
  a.late = now_ns > expires_ns_ ? now_ns - expires_ns_ : 0;
  a.from_sleep = from_sleep;
  if (cpu_at_set_ns_ != kUnknown) {
    const uint64_t elapsed = now_ns - set_at_ns_;
    const uint64_t run = cpu_ns - cpu_at_set_ns_;
    a.off_cpu = elapsed > run ? elapsed - run : 0;
    if (ran_at_expiry(a)) {
      record(address, context);
      moments_.shorten();
    } else if (from_sleep) {
      moments_.lengthen();
    }
  }
  set_at_ns_ = now_ns;
  cpu_at_set_ns_ = cpu_ns;
  set_timer();
}

void TimerRing::record(uint64_t address, const void* context) {
  const uint64_t head = head_.load(std::memory_order_relaxed);
  if (head - tail_.load(std::memory_order_acquire) >= kSamples) {
    lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  Slot& slot = ring_[head % kSamples];
  slot.operation = operation_->load(std::memory_order_relaxed);
  slot.address = slot.operation == raw::kOutsideMpi ? python::address_of_function(address) : address;
  slot.wall_ns = moments_.cell_ns();
  slot.stack = stacks_.keep(context);
  head_.store(head + 1, std::memory_order_release);
}

}  // namespace scalediag::inject
