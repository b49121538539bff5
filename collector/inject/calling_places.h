// The places from which the application calls functions that stand in front of others, by what is on the stack.
//
// A place is a key, which names the function, and the return addresses above it, so that a call that lies in a library
// that does such work for others can be charged to who called that library. Walking the stack takes some microseconds
// and is done once for each place. After that a call is recognised by its return address and those above it, at the
// distances from the stack pointer at which the walk found them.
//
// The functions may be called from signal handlers, so that nothing here takes a lock of ours or allocates: places are
// kept in a table of fixed size, to which any thread adds. Beyond its end calls have no place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pmpi-comm/stack_walk.h"

namespace scalediag::inject {

// To be used as a variable with static storage: all of it begins as zeros, and takes no memory before it is needed.
class CallingPlaces {
 public:
  static constexpr uint32_t kMost = 1024;
  // The innermost function outside of such libraries and two more are recorded, if they are no further up than this.
  static constexpr uint32_t kMostFrames = 32;
  using IsLayer = bool(std::string_view path);  // whether the module works for others

  // The number of the place, from 1 on, or 0 where there is no room for another one.
  uint32_t place_of(uint32_t key, pmpi::Caller caller, IsLayer* is_layer) {
    const uint32_t known = find(list_of(key, caller.address), key, caller);
    return __builtin_expect(known != 0, 1) ? known : add(key, caller, is_layer);
  }

  // Calls visit(number, key, frames, n_frames) for all places so far, in no order; frames are return addresses, the
  // innermost first.
  template <class Visit> void each(Visit visit) const {
    for (const std::atomic<uint32_t>& list : lists_) {
      for (uint32_t at = list.load(std::memory_order_acquire); at != 0; at = all_[at - 1].next) {
        const Place& place = all_[at - 1];
        visit(at, place.key, place.stack.frames, place.stack.n);
      }
    }
  }

 private:
  struct Stack {
    uint32_t n;  // frames
    uintptr_t frames[kMostFrames];
    uintptr_t distances[kMostFrames];  // of the word that holds frames[i] from the caller's stack pointer; i > 0
  };
  struct Place {
    uint32_t key;
    Stack stack;
    uint32_t next;  // of the same list
  };
  static constexpr size_t kLists = 512;

  std::atomic<uint32_t>& list_of(uint32_t key, uintptr_t address) {
    const uint64_t hash = (address + key) * 0x9E3779B97F4A7C15u;
    return lists_[(hash >> 40) % kLists];
  }
  static bool is_below(const Stack& stack, pmpi::Caller caller);
  uint32_t find(const std::atomic<uint32_t>& list, uint32_t key, pmpi::Caller caller) const;
  uint32_t find(const std::atomic<uint32_t>& list, uint32_t key, const Stack& stack) const;
  static Stack stack_above(pmpi::Caller caller, IsLayer* is_layer);
  uint32_t add(uint32_t key, pmpi::Caller caller, IsLayer* is_layer);

  Place all_[kMost];
  std::atomic<uint32_t> n_claimed_;
  std::atomic<uint32_t> lists_[kLists];  // by key and innermost return address
};

}  // namespace scalediag::inject
