// Counts of one thread between two overflows, passed from the signal handler to the thread that drains them. There is
// one writer, the thread itself in its signal handler, and one reader at a time; memory is allocated before the first
// overflow.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace scalediag::inject {

class CountRing {
 public:
  // False where there is no memory.
  bool allocate(size_t n_counts, size_t slots = kSlots) {
    n_counts_ = n_counts;
    slots_ = slots;
    words_.reset(new (std::nothrow) uint64_t[slots * (2 + n_counts)]);
    return words_ != nullptr;
  }

  bool full() const { return head_.load(std::memory_order_relaxed) - tail_.load(std::memory_order_acquire) >= slots_; }
  // Precondition: not full. `counts` are what is charged to this place, a value for each event.
  void push(uint64_t address, uint32_t operation, const uint64_t* counts) {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    uint64_t* slot = slot_of(head);
    slot[0] = address;
    slot[1] = operation;
    std::copy(counts, counts + n_counts_, slot + 2);
    head_.store(head + 1, std::memory_order_release);
  }

  // Calls take(uint64_t address, uint32_t operation, const uint64_t* counts) for each new entry.
  template <class Take> void drain(Take take) {
    uint64_t tail = tail_.load(std::memory_order_relaxed);
    const uint64_t head = head_.load(std::memory_order_acquire);
    for (; tail != head; ++tail) {
      const uint64_t* slot = slot_of(tail);
      take(slot[0], static_cast<uint32_t>(slot[1]), slot + 2);
    }
    tail_.store(tail, std::memory_order_release);
  }

  static constexpr size_t kSlots = 2048;

 private:
  uint64_t* slot_of(uint64_t position) const { return words_.get() + (position % slots_) * (2 + n_counts_); }

  size_t n_counts_ = 0;
  size_t slots_ = 0;
  std::unique_ptr<uint64_t[]> words_;
  std::atomic<uint64_t> head_{0};
  std::atomic<uint64_t> tail_{0};
};

}  // namespace scalediag::inject
