// Charges samples of a thread of the application to the collector while that works on it.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/raw/raw_format.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::pmpi {

inline void drain(ThreadState& state) {
  if (__builtin_expect(state.may_have_been_sampled(), 0)) hooks().drain(state);
}

// As long as it lives, samples of the thread are the collector's, also in what it calls: they would be the
// application's otherwise, as long as a rank waits for its emulated time.
class OwnWork {
 public:
  explicit OwnWork(ThreadState& state) : state_(state), before_(state.operation.load(std::memory_order_relaxed)) {
    become(raw::kOfCollector);
  }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;
  ~OwnWork() { become(before_); }

 private:
  void become(uint32_t operation) {
    drain(state_);
    state_.operation.store(operation, std::memory_order_relaxed);
  }
  ThreadState& state_;
  const uint32_t before_;
};

}  // namespace scalediag::pmpi
