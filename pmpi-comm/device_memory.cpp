#include "pmpi-comm/device_memory.h"

#include "core/mpi_routines.h"

namespace scalediag::pmpi {
namespace {

DeviceCalls calls_of_routines[2][mpi::kCountedRoutines];

bool begins_with_a_buffer(const mpi::Routine& routine) {
  using mpi::Group;
  switch (routine.group) {
    case Group::kSend:
    case Group::kReceive:
    case Group::kSendReceive:
    case Group::kOneSided:
    case Group::kNeighborhood: return true;
    case Group::kCollective: return routine.collective != mpi::Collective::kBarrier;
    default: return false;
  }
}

}  // namespace

DeviceMemory device_memory, copied_memory;

void DeviceMemory::add(uintptr_t begin, uint64_t bytes) {
  if (begin == 0 || bytes == 0) return;
  remove(begin);
  uintptr_t lowest = lowest_.load(std::memory_order_relaxed), highest = highest_.load(std::memory_order_relaxed);
  while (begin < lowest && !lowest_.compare_exchange_weak(lowest, begin, std::memory_order_release)) {
  }
  while (begin + bytes > highest &&
         !highest_.compare_exchange_weak(highest, begin + bytes, std::memory_order_release)) {
  }
  for (size_t i = 0; i < kMostRanges; ++i) {
    uintptr_t none = 0;
    if (ranges_[i].begin.load(std::memory_order_relaxed) != 0) continue;
    if (!ranges_[i].begin.compare_exchange_strong(none, begin, std::memory_order_acq_rel)) continue;
    ranges_[i].end.store(begin + bytes, std::memory_order_release);
    size_t n = n_slots_.load(std::memory_order_relaxed);
    while (n <= i && !n_slots_.compare_exchange_weak(n, i + 1, std::memory_order_release)) {
    }
    return;
  }
}

uint64_t DeviceMemory::remove(uintptr_t begin) {
  if (begin == 0) return 0;
  uint64_t bytes = 0;
  for (size_t i = 0, n = n_slots_.load(std::memory_order_acquire); i < n; ++i) {
    if (ranges_[i].begin.load(std::memory_order_relaxed) != begin) continue;
    const uintptr_t end = ranges_[i].end.exchange(0, std::memory_order_acq_rel);
    if (end > begin) bytes = end - begin;
    ranges_[i].begin.store(0, std::memory_order_release);
  }
  return bytes;
}

bool DeviceMemory::contains(uintptr_t address) const {
  if (address < lowest_.load(std::memory_order_acquire) || address >= highest_.load(std::memory_order_acquire))
    return false;
  for (size_t i = 0, n = n_slots_.load(std::memory_order_acquire); i < n; ++i) {
    const uintptr_t begin = ranges_[i].begin.load(std::memory_order_relaxed);
    if (begin != 0 && begin <= address && address < ranges_[i].end.load(std::memory_order_acquire)) return true;
  }
  return false;
}

const DeviceCalls& device_calls(Origin origin, uint32_t routine) {
  return calls_of_routines[static_cast<size_t>(origin)][routine];
}

void note_device_buffer(uint32_t routine, uintptr_t first_argument, uint64_t bytes) {
  if (!begins_with_a_buffer(mpi::kRoutineTable[routine])) return;
  const bool is_device = device_memory.contains(first_argument);
  if (!is_device && !copied_memory.contains(first_argument)) return;
  DeviceCalls& of = calls_of_routines[static_cast<size_t>(is_device ? Origin::kDevice : Origin::kCopied)][routine];
  of.calls.fetch_add(1, std::memory_order_relaxed);
  of.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace scalediag::pmpi
