// The MPI operations of a thread by time, as far as samples need them.
//
// A sample of a CPU has a time, but not the thread's MPI operation. A thread that enters or leaves an operation
// therefore writes down the time and the operation that ends there, but only when a sample may have been taken since it
// last did: some hundred times a second. The operation of a sample is that of the first entry at or after its time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace scalediag::inject {

// One thread writes, and one other at a time reads.
class OperationLog {
 public:
  // `operation` lasted until `time_ns`, which grows from call to call. False when there is no room because the reader
  // is late.
  bool add(uint64_t time_ns, uint32_t operation) {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) >= kEntries) return false;
    entries_[head % kEntries] = {time_ns, operation};
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // The operation at `time_ns`; `now` is the variable that holds the thread's present operation.
  uint32_t operation_at(uint64_t time_ns, const std::atomic<uint32_t>& now) const {
    for (;;) {
      const uint64_t end = head_.load(std::memory_order_acquire);
      const uint64_t found = first_not_before(time_ns, end);
      if (found != end) return entries_[found % kEntries].operation;
      const uint32_t operation = now.load(std::memory_order_acquire);
      // The thread may have gone on to another operation since we looked; then it has left an entry.
      if (head_.load(std::memory_order_acquire) == end) return operation;
    }
  }

  // The end of the entries that exist now; forget() takes it when their samples have been looked up.
  uint64_t position() const { return head_.load(std::memory_order_acquire); }
  void forget(uint64_t position) { tail_.store(position, std::memory_order_release); }
  bool empty() const { return position() == tail_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kEntries = 1024;
  struct Entry {
    uint64_t time_ns;
    uint32_t operation;
  };

  uint64_t first_not_before(uint64_t time_ns, uint64_t end) const {
    uint64_t begin = tail_.load(std::memory_order_relaxed);
    while (begin < end) {
      const uint64_t middle = begin + (end - begin) / 2;
      if (entries_[middle % kEntries].time_ns < time_ns) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  std::atomic<uint64_t> head_{0};
  std::atomic<uint64_t> tail_{0};
  Entry entries_[kEntries];
};

}  // namespace scalediag::inject
