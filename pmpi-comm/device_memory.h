// Memory of GPUs that the application has allocated, and calls of MPI that are given it or a copy of it.
//
// Ranges are those of calls that were seen (collector/inject/gpu). Memory that lives on host and device in turn is none
// of it. A call of MPI is given device memory if its first buffer is: what it sends, or where it receives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace scalediag::pmpi {

class DeviceMemory {
 public:
  static constexpr size_t kMostRanges = 1024;

  // A range that begins where another one does takes its place. Of more than kMostRanges at a time the others are not
  // known.
  void add(uintptr_t begin, uint64_t bytes);
  // Returns the bytes of the range; 0: none is known to begin there.
  uint64_t remove(uintptr_t begin);
  bool is_empty() const { return n_slots_.load(std::memory_order_relaxed) == 0; }
  bool contains(uintptr_t address) const;

 private:
  struct Range {
    std::atomic<uintptr_t> begin{0}, end{0};  // begin 0: not used
  };
  Range ranges_[kMostRanges];
  std::atomic<size_t> n_slots_{0};                           // those behind it were never used
  std::atomic<uintptr_t> lowest_{UINTPTR_MAX}, highest_{0};  // no range was ever outside
};
// And memory of the host to which such memory was copied before: a program that copies what it then sends.
extern DeviceMemory device_memory, copied_memory;

// Calls of a routine, by its number, that were given this memory.
struct DeviceCalls {
  std::atomic<uint64_t> calls{0}, bytes{0};
};
enum class Origin { kDevice, kCopied };
inline constexpr Origin kOrigins[] = {Origin::kDevice, Origin::kCopied};
const DeviceCalls& device_calls(Origin origin, uint32_t routine);

// To be called after a call of MPI that succeeded, with its first argument and its bytes.
void note_device_buffer(uint32_t routine, uintptr_t first_argument, uint64_t bytes);

}  // namespace scalediag::pmpi
