// Latency of caches and memory by a chase of pointers: a random cycle over the lines of a working set, so that no
// prefetcher knows the next one and every load waits for the one before.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "collector/counters/huge_memory.h"
#include "core/machine.h"
#include "core/result.h"

namespace scalediag::counters {

// Makes every line of memory[0, lines x line_bytes) hold the address of another one, all in one cycle in an order that
// is random and the same every time. Returns the line that was written first, which is the one unused for longest.
// Precondition: lines >= 1, line_bytes >= sizeof(void*).
void** link_random_cycle(void* memory, size_t lines, size_t line_bytes);

class LatencyProbe {
 public:
  // Error (kEnvironment): not so much memory.
  static core::Result<LatencyProbe> create(size_t largest_bytes, size_t line_bytes);

  // Seconds a load, over a working set of `bytes` (rounded down to lines), `repeats` of about a millisecond or more.
  // Precondition: line_bytes <= bytes <= largest_bytes. The first call for a larger set than before touches its memory.
  core::MachineValue latency_s(size_t bytes, int repeats);
  bool on_huge_pages() const { return memory_.is_huge(); }

 private:
  LatencyProbe(HugeMemory memory, size_t line_bytes) : memory_(std::move(memory)), line_bytes_(line_bytes) {}
  HugeMemory memory_;
  size_t line_bytes_;
};

}  // namespace scalediag::counters
