// A program's calls for the number of our signal, and their effects.
#include "collector/inject/interposing/signal_shield.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "collector/inject/thread_record.h"

namespace scalediag::inject {
namespace {

std::atomic<int> received{0};
void receive(int) { ++received; }

class SignalShield : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the thread sanitizer holds signals back";
#endif
    SamplerOutcome outcome;
    ASSERT_TRUE(record_.start_sampler(SamplerChoice::kTimer, 3997001, outcome));
    ASSERT_EQ(shield::taken(), timer_signal());
  }
  void TearDown() override {
    shield::program_sigmask(SIG_SETMASK, &before_, nullptr);
    record_.stop_sampler();
  }
  static bool really_blocked() {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return sigismember(&mask, timer_signal()) == 1;
  }
  sigset_t before_ = [] {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return mask;
  }();
  ThreadRecord record_{raw::kMainThread, pthread_self(), static_cast<pid_t>(syscall(SYS_gettid))};
};

TEST_F(SignalShield, AProgramThatBlocksAllSignalsBlocksAllButOurs) {
  sigset_t all, seen;
  sigfillset(&all);
  EXPECT_EQ(shield::program_sigmask(SIG_SETMASK, &all, nullptr), 0);
  EXPECT_FALSE(really_blocked());
  EXPECT_EQ(shield::program_sigmask(SIG_SETMASK, nullptr, &seen), 0);
  EXPECT_EQ(sigismember(&seen, timer_signal()), 1);  // as far as the program can tell
  EXPECT_EQ(sigismember(&seen, SIGUSR1), 1);
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, timer_signal());
  EXPECT_EQ(shield::program_sigmask(SIG_UNBLOCK, &ours, nullptr), 0);
  EXPECT_EQ(shield::program_sigmask(SIG_BLOCK, nullptr, &seen), 0);
  EXPECT_EQ(sigismember(&seen, timer_signal()), 0);
}

TEST_F(SignalShield, AProgramThatResetsOurSignalIsSampledOn) {
  struct sigaction reset = {}, seen = {};
  reset.sa_handler = SIG_DFL;
  EXPECT_EQ(shield::program_sigaction(timer_signal(), &reset, nullptr), 0);
  EXPECT_EQ(shield::program_sigaction(timer_signal(), nullptr, &seen), 0);
  EXPECT_EQ(seen.sa_handler, SIG_DFL);
  SampleTable table;
  volatile double x = 1;
  // The next signal would end the thread if it were not ours.
  for (int i = 0; i < 20000 && table.entries().empty(); ++i) {
    for (int k = 0; k < 20000; ++k) x = x * 1.0000001;
    record_.collect(0, table);
  }
  EXPECT_FALSE(table.entries().empty());
}

TEST_F(SignalShield, WhatTheProgramSendsItselfReachesItsHandler) {
  struct sigaction action = {};
  action.sa_handler = receive;
  ASSERT_EQ(shield::program_sigaction(timer_signal(), &action, nullptr), 0);
  received = 0;
  for (int i = 0; i < 3; ++i) raise(timer_signal());
  EXPECT_EQ(received, 3);
  action.sa_handler = SIG_IGN;
  ASSERT_EQ(shield::program_sigaction(timer_signal(), &action, nullptr), 0);
  raise(timer_signal());
  EXPECT_EQ(received, 3);
}

}  // namespace
}  // namespace scalediag::inject
