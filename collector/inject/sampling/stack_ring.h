// Copies of a thread's stack that the handler of a signal makes, until they are unwound by another thread. A copy holds
// the registers and the stack from the interrupted function on, as much of it as there is and at most as many bytes as
// were asked for.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/inject/unwinding/unwinder.h"

namespace scalediag::inject {

// The place of a copy in its ring.
struct KeptStack {
  uint64_t position = 0;
  uint32_t bytes = 0;  // registers included; 0: there is no copy
};

class StackRing {
 public:
  // As many of the largest copies have room.
  static constexpr size_t kStacks = 64;

  StackRing() = default;
  StackRing(const StackRing&) = delete;
  StackRing& operator=(const StackRing&) = delete;
  ~StackRing();

  // For a thread of this process, which is alive. False for want of memory.
  bool open(pthread_t thread, pid_t tid, size_t most_bytes);
  bool is_open() const { return memory_ != nullptr; }

  // Called by the signal handler on the thread: `context` is its third argument. No copy is made where there is no
  // room, or where the thread runs on a stack that is not the one that it was made with.
  KeptStack keep(const void* context);
  // The copy, which has bytes; valid until it is released.
  StackCopy copy_of(const KeptStack& kept) const;
  void release(const KeptStack& kept) {
    if (kept.bytes > 0) tail_.store(kept.position + kept.bytes, std::memory_order_release);
  }

 private:
  char* memory_ = nullptr;
  size_t size_ = 0;
  size_t most_bytes_ = 0;
  uint64_t low_ = 0, high_ = 0;  // of the thread's stack
  uint64_t head_ = 0;            // of the handler
  std::atomic<uint64_t> tail_{0};
};

}  // namespace scalediag::inject
