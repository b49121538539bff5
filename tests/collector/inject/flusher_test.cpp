#include "collector/inject/flusher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "tests/collector/inject/plain_pthread_create.h"

namespace scalediag::inject {
namespace {

// Holds the flusher in its work, as a lock does that an interrupted thread of the application has.
class Holder : public Flusher::Client {
 public:
  double fill_s() override { return 0; }
  void drain() override { hold(); }
  void flush() override { hold(); }

  void hold() {
    holds = true;
    while (!released) std::this_thread::yield();
  }
  std::atomic<bool> holds{false}, released{false};
};

TEST(Flusher, TellsThatItCannotBeStopped) {
  Holder client;
  Flusher flusher(client);
  ASSERT_EQ(flusher.start(), 0);
  while (!client.holds) std::this_thread::yield();
  EXPECT_FALSE(flusher.stop());
  client.released = true;
  EXPECT_TRUE(flusher.stop());
}

TEST(Flusher, TellsWhyItDoesNotStart) {
  Holder client;
  Flusher flusher(client);
  thread_error = EAGAIN;
  EXPECT_EQ(flusher.start(), EAGAIN);
  thread_error = 0;
  EXPECT_TRUE(flusher.stop());
}

}  // namespace
}  // namespace scalediag::inject
