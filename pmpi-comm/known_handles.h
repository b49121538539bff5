// The data about MPI handles of one kind, shared by all threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

namespace scalediag::pmpi {

// Handle -> Info. A thread asks its own Cache first, which costs a few instructions; the shared map behind it is
// locked. MPI hands out the handle of a freed object again, so forgetting one makes every thread's cache invalid.
template <class Info> class KnownHandles {
 public:
  // Plain data without constructors, for thread-local storage.
  struct Cache {
    static constexpr size_t kSlots = 8;
    struct Slot {
      uintptr_t handle;
      uint64_t generation;  // of `known`; 0 in a slot that was never used
      Info* info;
    };
    Slot slots[kSlots];
  };

  // nullptr when the handle is not known.
  Info* find(uintptr_t handle, Cache& cache) {
    typename Cache::Slot& slot = slot_of(handle, cache);
    if (slot.handle == handle && slot.generation == generation_.load(std::memory_order_acquire)) return slot.info;
    return find_shared(handle, slot);
  }

  // Adds the handle; an entry that another thread made at the same time stays. nullptr: out of memory.
  Info* insert(uintptr_t handle, std::unique_ptr<Info> info, Cache& cache) {
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      const auto at = known_.emplace(handle, std::move(info)).first;
      slot_of(handle, cache) = {handle, generation_.load(std::memory_order_relaxed), at->second.get()};
      return at->second.get();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  // To be called before the call that frees the handle: afterwards MPI may already have given it to another thread.
  void forget(uintptr_t handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = known_.find(handle);
    if (found == known_.end()) return;
    generation_.fetch_add(1, std::memory_order_release);
    // A thread in a call on this very handle may still read its info, so that it is kept for a while.
    try {
      forgotten_.push_back(std::move(found->second));
    } catch (const std::bad_alloc&) {
      (void)found->second.release();
    }
    known_.erase(found);
    if (forgotten_.size() > kKeptAfterFree) forgotten_.pop_front();
  }

  size_t size() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return known_.size();
  }

 private:
  static constexpr size_t kKeptAfterFree = 64;
  // Objects are at least 8 bytes apart, and MPICH's ints differ in their low bits: both have to be spread.
  static typename Cache::Slot& slot_of(uintptr_t handle, Cache& cache) {
    return cache.slots[(handle ^ handle >> 4 ^ handle >> 9) % Cache::kSlots];
  }

  // Not inlined, so that the code for every call stays small.
  __attribute__((noinline)) Info* find_shared(uintptr_t handle, typename Cache::Slot& slot) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = known_.find(handle);
    if (found == known_.end()) return nullptr;
    slot = {handle, generation_.load(std::memory_order_relaxed), found->second.get()};
    return slot.info;
  }

  std::mutex mutex_;
  std::unordered_map<uintptr_t, std::unique_ptr<Info>> known_;
  std::deque<std::unique_ptr<Info>> forgotten_;
  std::atomic<uint64_t> generation_{1};
};

}  // namespace scalediag::pmpi
