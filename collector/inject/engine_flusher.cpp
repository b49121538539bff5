// The engine's own thread: drains the rings before they are full and writes to the file at least every two seconds, so
// that the file of a rank that is killed lacks only its last moments.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "collector/inject/engine.h"
#include "collector/inject/real_pthread_create.h"

namespace scalediag::inject {
namespace {

constexpr double kFlushInterval_s = 1.5;
constexpr double kRecordBytes = 40;  // a sample in the kernel's ring

}  // namespace

void Engine::start_flusher() {
  // The application's signals are handled by the application's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  flusher_stop_ = false;
  flusher_runs_ = real_pthread_create(&flusher_, &attributes, &Engine::flusher_main, this) == 0;
  // A program with much thread-local data needs a larger stack than the one that was tried.
  if (!flusher_runs_) flusher_runs_ = real_pthread_create(&flusher_, nullptr, &Engine::flusher_main, this) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool Engine::stop_flusher() {
  if (!flusher_runs_) return true;
  {
    const std::lock_guard<std::mutex> guard(flusher_lock_);
    flusher_stop_ = true;
  }
  flusher_wake_.notify_one();
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  if (pthread_timedjoin_np(flusher_, nullptr, &until) != 0) return false;
  flusher_runs_ = false;
  return true;
}

void* Engine::flusher_main(void* engine) {
  prctl(PR_SET_NAME, "scalediag");
  static_cast<Engine*>(engine)->flusher_tid_ = static_cast<pid_t>(syscall(SYS_gettid));
  static_cast<Engine*>(engine)->flush_periodically();
  return nullptr;
}

void Engine::flush_periodically() {
  const auto start = std::chrono::steady_clock::now();
  double next_flush_s = kFlushInterval_s;
  std::unique_lock<std::mutex> guard(flusher_lock_);
  while (!flusher_stop_) {
    // A ring is read when it is at most half full.
    const double fill_s = static_cast<double>(smallest_ring_.load()) / kRecordBytes / settings_.rate_hz;
    const double wait_s = std::clamp(fill_s / 2, 0.05, kFlushInterval_s);
    flusher_wake_.wait_for(guard, std::chrono::duration<double>(wait_s));
    if (flusher_stop_) break;
    guard.unlock();
    const double now_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (now_s >= next_flush_s) {
      flush(raw::Phase::kFlush);
      next_flush_s = now_s + kFlushInterval_s;
    } else {
      drain_all();
    }
    collector_cpu_ns_.store(clock_ns(CLOCK_THREAD_CPUTIME_ID), std::memory_order_relaxed);
    guard.lock();
  }
}

void Engine::drain_all() {
  const std::unique_lock<std::timed_mutex> flush_guard(flush_lock_, within(std::chrono::seconds(1)));
  if (!flush_guard.owns_lock()) return;
  const std::unique_lock<std::timed_mutex> guard(threads_lock_, within(std::chrono::seconds(1)));
  if (!guard.owns_lock()) return;
  if (cpu_sampler_.running()) {
    try {
      charge_cpu_samples();
    } catch (const std::bad_alloc&) {
      out_of_memory_ = true;  // the next flush ends recording
    }
  }
  for (ThreadRecord* t : threads_) drain_own(*t);
}

}  // namespace scalediag::inject
