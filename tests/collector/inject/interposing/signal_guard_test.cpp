#include "collector/inject/interposing/signal_guard.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>

namespace scalediag::inject {
namespace {

std::atomic<int> handled{0};
thread_local bool this_thread_counts = false;

void handle(int /*number*/, siginfo_t* /*info*/, void* /*context*/) { ++handled; }
void handle_another(int /*number*/, siginfo_t* /*info*/, void* /*context*/) { ++handled; }

void install(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(number, &action, nullptr), 0);
}

void guard(void (*handler)(int, siginfo_t*, void*)) {
  const auto address = reinterpret_cast<uint64_t>(handler);
  guard_signals(address, address + 1, [] { return this_thread_counts; });
}

TEST(SignalGuard, RunsTheHandlerOnlyWhereTheThreadCounts) {
  install(SIGRTMIN + 5, handle);
  guard(handle);
  guard(handle);  // again is harmless
  handled = 0;
  this_thread_counts = true;
  raise(SIGRTMIN + 5);
  EXPECT_EQ(handled, 1);
  std::thread([] { raise(SIGRTMIN + 5); }).join();  // does not count
  EXPECT_EQ(handled, 1);
  this_thread_counts = false;
  raise(SIGRTMIN + 5);
  EXPECT_EQ(handled, 1);
  signal(SIGRTMIN + 5, SIG_DFL);
}

TEST(SignalGuard, LetsInterruptedSystemCallsGoOn) {
  install(SIGRTMIN + 5, handle);
  guard(handle);
  struct sigaction action = {};
  ASSERT_EQ(sigaction(SIGRTMIN + 5, nullptr, &action), 0);
  EXPECT_NE(action.sa_flags & SA_RESTART, 0);
  signal(SIGRTMIN + 5, SIG_DFL);
}

TEST(SignalGuard, LeavesTheApplicationsHandlersAlone) {
  install(SIGRTMIN + 6, handle_another);
  guard(handle);
  struct sigaction action = {};
  ASSERT_EQ(sigaction(SIGRTMIN + 6, nullptr, &action), 0);
  EXPECT_EQ(action.sa_sigaction, handle_another);
  signal(SIGRTMIN + 6, SIG_DFL);
}

}  // namespace
}  // namespace scalediag::inject
