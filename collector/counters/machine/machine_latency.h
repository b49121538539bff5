// Latency of caches and memory by a chase of pointers: a random cycle over lines, so that no prefetcher knows the next
// one and every load waits for the one before.
//
// A set that is larger than a block (kChaseBlock) is chased block by block: the whole set is touched in order, as fast
// as the machine can, and then the block that was touched first is chased once around. Its lines have been unused for
// longest, so that a cache smaller than the set has evicted them, as in a chase around the whole set. Such a chase
// would take so long that neighbours who share the last level (other cores, other virtual machines) evict our lines
// meanwhile: at 15 ns a load a round over 8 MiB takes 2 ms, in which a few of them bring in as much as a last level
// holds. Then loads take longer, the next round as well, and a chase of 4 MiB finds nothing of its set in a cache of 32
// MiB. By touching, a round over 8 MiB takes 0.1 ms.
//
// Every second line of a block is chased: many cores fetch lines in pairs.
//
// A block has as many pages of 4 KiB as a first-level TLB holds, so that a page's address is translated once for all
// its lines. In an order that is random over the whole set, nearly every load would wait for a translation as well,
// wherever the system, or the hypervisor below it, maps small pages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/counters/machine/huge_memory.h"
#include "core/experiment/machine.h"
#include "core/result.h"

namespace scalediag::counters {

constexpr size_t kChaseBlock = size_t{256} << 10;

// Makes every line of memory[0, lines x line_bytes) hold the address of another one, all in one cycle in an order that
// is random and the same every time for the same `seed`. Precondition: lines >= 1, line_bytes >= sizeof(void*).
void link_random_cycle(void* memory, size_t lines, size_t line_bytes, uint64_t seed);

class LatencyProbe {
 public:
  // Error (kEnvironment): not enough memory.
  static Result<LatencyProbe> create(size_t largest_bytes, size_t line_bytes);

  // Seconds of a load from a working set of `bytes` (rounded down to lines), wherever that set lies in the hierarchy;
  // the median of `repeats` of at least a block or half a millisecond. Precondition: line_bytes <= bytes <=
  // largest_bytes.
  core::MachineValue latency_s(size_t bytes, int repeats);
  bool on_huge_pages() const { return memory_.is_huge(); }

 private:
  LatencyProbe(HugeMemory memory, size_t line_bytes);
  char* block(size_t i) const { return static_cast<char*>(memory_.data()) + i * kChaseBlock; }
  void link_block(size_t i);
  core::MachineValue latency_within_block(size_t bytes, int repeats);
  core::MachineValue latency_of_blocks(size_t bytes, int repeats);

  HugeMemory memory_;
  size_t line_bytes_;
};

}  // namespace scalediag::counters
