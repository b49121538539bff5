#include "collector/launch/process/interruption.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace scalediag::launch {
namespace {

constexpr std::array<int, 5> kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};
std::array<struct sigaction, kSignals.size()> g_before;
std::atomic<int> g_signal{0};
std::atomic<int> g_wake_fd{-1};
int g_guards = 0;

void note_signal(int number) {
  const int saved_errno = errno;
  int none = 0;
  g_signal.compare_exchange_strong(none, number);
  const char byte = 0;
  [[maybe_unused]] const ssize_t ignored = write(g_wake_fd.load(), &byte, 1);
  errno = saved_errno;
}

}  // namespace

InterruptionGuard::InterruptionGuard() : is_inner_(g_guards++ > 0), outer_wake_fd_(g_wake_fd) {
  int ends[2] = {-1, -1};
  // Without the pipe a signal is noticed only at poll's next time-out.
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
    read_end_ = ends[0];
    write_end_ = ends[1];
  }
  g_wake_fd = write_end_;
  if (is_inner_) return;
  g_signal = 0;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &g_before[i]);
    // Signals that the caller ignores (nohup ignores SIGHUP) stay ignored.
    if (g_before[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = kSignals[i] == SIGPIPE ? SIG_IGN : note_signal;
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptionGuard::~InterruptionGuard() {
  --g_guards;
  for (size_t i = 0; i < kSignals.size() && !is_inner_; ++i) sigaction(kSignals[i], &g_before[i], nullptr);
  g_wake_fd = outer_wake_fd_;
  if (read_end_ >= 0) close(read_end_);
  if (write_end_ >= 0) close(write_end_);
}

int InterruptionGuard::signal() const { return g_signal.load(); }
int InterruptionGuard::latest_signal() { return g_signal.load(); }

void InterruptionGuard::restore_in_child() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &g_before[i], nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace scalediag::launch
