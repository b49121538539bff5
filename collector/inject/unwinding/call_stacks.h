// The call stacks of a process's samples, as a tree of callers: stacks that share their outer functions share nodes, so
// that memory and file grow with the number of different paths and not with the number of samples.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "collector/inject/unwinding/unwinder.h"
#include "core/raw/raw_records.h"

namespace scalediag::inject {

struct TimerSample;

class CallStacks {
 public:
  // Calls work() while no module can be unmapped, one caller at a time. May throw std::bad_alloc.
  template <class Work> void with_modules(Work work) {
    const std::lock_guard<std::mutex> guard(lock_);
    unwinder_.with_modules(work);
  }
  // Only within with_modules(): the sample's callers, as in raw::SampleKey. Inside MPI they begin with the function
  // that has called it, outside with the one that has called the interrupted function. May throw std::bad_alloc.
  uint32_t callers_of(const TimerSample& sample, uint32_t epoch);

  // The callers since the last call of this, in the order of their numbers.
  std::vector<raw::Caller> take_new_callers();

 private:
  struct Key {
    uint32_t parent = 0, epoch = 0;
    uint64_t address = 0;
    bool operator==(const Key& o) const { return parent == o.parent && epoch == o.epoch && address == o.address; }
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      uint64_t h = (k.address ^ (uint64_t{k.parent} << 32 | k.epoch)) * 0x9E3779B97F4A7C15u;
      h = (h ^ (h >> 29)) * 0xC2B2AE3D27D4EB4Fu;
      return static_cast<size_t>(h ^ (h >> 32));
    }
  };
  uint32_t add(uint32_t root, size_t innermost, uint32_t epoch);

  std::mutex lock_;
  Unwinder unwinder_;
  std::vector<UnwoundFrame> frames_;
  std::vector<raw::Caller> callers_;
  size_t taken_ = 0;
  std::unordered_map<Key, uint32_t, Hash> numbers_;
};

// The function that this library starts threads of the application by: a frame of it is none of a wrapper around MPI.
void set_thread_trampoline(uint64_t function);

}  // namespace scalediag::inject
