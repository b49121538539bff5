#include "collector/inject/interposing/signal_guard.h"

#include <signal.h>

#include <atomic>
#include <cerrno>

namespace scalediag::inject {
namespace {

using Handler = void (*)(int, siginfo_t*, void*);

constexpr int kMostSignals = 65;
std::atomic<Handler> guarded[kMostSignals];
std::atomic<bool (*)()> thread_counts{nullptr};

void forward(int number, siginfo_t* info, void* context) {
  const auto counts = thread_counts.load(std::memory_order_relaxed);
  const Handler handler = guarded[number].load(std::memory_order_relaxed);
  if (counts == nullptr || handler == nullptr || !counts()) return;
  const int saved = errno;
  handler(number, info, context);
  errno = saved;
}

}  // namespace

void guard_signals(uint64_t begin, uint64_t end, bool (*counts)()) {
  thread_counts.store(counts, std::memory_order_relaxed);
  for (int number = SIGRTMIN; number <= SIGRTMAX && number < kMostSignals; ++number) {
    struct sigaction action = {};
    if (sigaction(number, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) == 0) continue;
    const auto address = reinterpret_cast<uint64_t>(action.sa_sigaction);
    if (address < begin || address >= end) continue;
    guarded[number].store(action.sa_sigaction, std::memory_order_relaxed);
    action.sa_sigaction = forward;
    action.sa_flags |= SA_RESTART;
    sigaction(number, &action, nullptr);
  }
}

}  // namespace scalediag::inject
