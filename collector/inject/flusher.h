// The engine's own thread: drains the rings before they are full and writes to the file at least every two seconds, so
// that the file of a rank that is killed lacks only its last moments.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "collector/inject/own_thread.h"

namespace scalediag::inject {

class Flusher {
 public:
  // Does the work; all functions are called by the flusher's thread.
  class Client {
   public:
    // The time in which rings fill up.
    virtual double fill_s() = 0;
    virtual void drain() = 0;
    virtual void flush() = 0;

   protected:
    ~Client() = default;
  };

  explicit Flusher(Client& client) : client_(client) {}
  // Returns 0 or an errno.
  int start();
  // False when it could not be stopped within two seconds: a signal handler that calls exit may have interrupted a
  // thread that the flusher waits for.
  bool stop();
  pid_t tid() const { return tid_; }
  uint64_t cpu_ns() const { return cpu_ns_.load(std::memory_order_relaxed); }

 private:
  static void* main(void* flusher);
  void run();

  Client& client_;
  std::mutex lock_;
  std::condition_variable wake_;
  bool stop_ = false;
  OwnThread thread_;
  std::atomic<pid_t> tid_{0};
  std::atomic<uint64_t> cpu_ns_{0};
};

}  // namespace scalediag::inject
