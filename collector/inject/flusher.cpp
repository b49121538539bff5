#include "collector/inject/flusher.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "collector/inject/clock_points.h"
#include "collector/inject/files/file_totals.h"

namespace scalediag::inject {
namespace {

constexpr double kFlushInterval_s = 1.5;

}  // namespace

int Flusher::start() {
  stop_ = false;
  return thread_.start(&Flusher::main, this);
}

bool Flusher::stop() {
  if (!thread_.runs()) return true;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    stop_ = true;
  }
  wake_.notify_one();
  return thread_.join(2);
}

void* Flusher::main(void* flusher) {
  const files::OwnCalls own;
  prctl(PR_SET_NAME, "scalediag");
  static_cast<Flusher*>(flusher)->tid_ = static_cast<pid_t>(syscall(SYS_gettid));
  static_cast<Flusher*>(flusher)->run();
  return nullptr;
}

void Flusher::run() {
  const auto start = std::chrono::steady_clock::now();
  double next_flush_s = kFlushInterval_s;
  std::unique_lock<std::mutex> guard(lock_);
  while (!stop_) {
    // A ring is read when it is at most half full.
    const double until_flush_s =
        next_flush_s - std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double wait_s = std::clamp(std::min(client_.fill_s() / 2, until_flush_s), 0.05, kFlushInterval_s);
    wake_.wait_for(guard, std::chrono::duration<double>(wait_s));
    if (stop_) break;
    guard.unlock();
    const double now_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (now_s >= next_flush_s) {
      client_.flush();
      next_flush_s = now_s + kFlushInterval_s;
    } else {
      client_.drain();
    }
    cpu_ns_.store(clock_ns(CLOCK_THREAD_CPUTIME_ID), std::memory_order_relaxed);
    guard.lock();
  }
}

}  // namespace scalediag::inject
