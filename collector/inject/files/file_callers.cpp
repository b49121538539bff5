#include "collector/inject/files/file_callers.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/raw/file_libraries.h"
#include "pmpi-comm/loaded_module.h"
#include "pmpi-comm/stack_walk.h"

namespace scalediag::inject::files {
namespace {

constexpr uint32_t kOutsideFrames = 3;
constexpr size_t kLists = 512;

struct Stack {
  uint32_t n;  // frames
  uintptr_t frames[kMostPlaceFrames];
  uintptr_t distances[kMostPlaceFrames];  // of the word that holds frames[i] from the caller's stack pointer; i > 0
};
struct Place {
  Function function;
  Stack stack;
  uint32_t next;  // of the same list
  std::atomic<uint64_t> calls, bytes, ticks;
};
Place all[kMostPlaces];
std::atomic<uint32_t> n_claimed{0};
std::atomic<uint32_t> lists[kLists];  // by function and innermost return address

// Of any function that was seen in a walk on this thread.
__thread uintptr_t highest_stack __attribute__((tls_model("initial-exec"))) = 0;

std::atomic<uint32_t>& list_of(Function function, uintptr_t address) {
  const uint64_t hash = (address + static_cast<uint64_t>(function)) * 0x9E3779B97F4A7C15u;
  return lists[(hash >> 40) % kLists];
}

// Each frame is looked at only where those below it are the same, and so as large as they were.
bool is_below(const Stack& stack, pmpi::Caller caller) {
  if (stack.frames[0] != caller.address) return false;
  for (uint32_t i = 1; i < stack.n; ++i) {
    const uintptr_t at = caller.stack + stack.distances[i];
    if (at >= highest_stack || *reinterpret_cast<const uintptr_t*>(at) != stack.frames[i]) return false;
  }
  return true;
}

bool operator==(const Stack& a, const Stack& b) {
  return a.n == b.n && std::equal(a.frames, a.frames + a.n, b.frames) &&
         std::equal(a.distances, a.distances + a.n, b.distances);
}

template <class Condition>
uint32_t find(const std::atomic<uint32_t>& list, Function function, Condition condition) {
  for (uint32_t at = list.load(std::memory_order_acquire); at != 0; at = all[at - 1].next) {
    if (all[at - 1].function == function && condition(all[at - 1].stack)) return at;
  }
  return 0;
}

Stack stack_above(pmpi::Caller caller) {
  Stack stack{};
  uintptr_t below = 0;
  uint32_t n_outside = 0;
  pmpi::walk_stack(caller, [&](uintptr_t address, uintptr_t end) {
    if (stack.n > 0) {
      const uintptr_t* const slot = pmpi::slot_of(address, below, end);
      if (slot == nullptr) return false;
      stack.distances[stack.n] = reinterpret_cast<uintptr_t>(slot) - caller.stack;
      highest_stack = std::max(highest_stack, end);
    }
    stack.frames[stack.n++] = address;
    below = end;
    if (n_outside > 0 || !raw::is_file_library(pmpi::loaded_module_of(address).path)) ++n_outside;
    return stack.n < kMostPlaceFrames && n_outside < kOutsideFrames;
  });
  if (stack.n == 0) stack.frames[stack.n++] = caller.address;
  return stack;
}

}  // namespace

uint32_t place_of(Function function, pmpi::Caller caller) {
  std::atomic<uint32_t>& list = list_of(function, caller.address);
  const uint32_t known = find(list, function, [&](const Stack& stack) { return is_below(stack, caller); });
  if (known != 0 || n_claimed.load(std::memory_order_relaxed) >= kMostPlaces) return known;
  const Stack above = stack_above(caller);
  // Another thread may have called from there, whose stack is no sign of how high this one's is.
  const uint32_t same = find(list, function, [&](const Stack& stack) { return stack == above; });
  if (same != 0) return same;
  const uint32_t claimed = n_claimed.fetch_add(1, std::memory_order_relaxed);
  if (claimed >= kMostPlaces) return 0;
  Place& place = all[claimed];
  place.function = function;
  place.stack = above;
  place.next = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(place.next, claimed + 1, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return claimed + 1;
}

void add_at(uint32_t place, int64_t bytes, uint64_t ticks) {
  Place& to = all[place - 1];
  to.calls.fetch_add(1, std::memory_order_relaxed);
  if (bytes > 0) to.bytes.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed);
  to.ticks.fetch_add(ticks, std::memory_order_relaxed);
}

std::vector<PlaceRecord> places() {
  std::vector<PlaceRecord> found;
  for (const std::atomic<uint32_t>& list : lists) {
    for (uint32_t at = list.load(std::memory_order_acquire); at != 0; at = all[at - 1].next) {
      const Place& place = all[at - 1];
      found.push_back({at,
                       place.function,
                       {place.stack.frames, place.stack.frames + place.stack.n},
                       place.calls.load(std::memory_order_relaxed),
                       place.bytes.load(std::memory_order_relaxed),
                       place.ticks.load(std::memory_order_relaxed)});
    }
  }
  std::sort(found.begin(), found.end(), [](const PlaceRecord& a, const PlaceRecord& b) { return a.number < b.number; });
  return found;
}

}  // namespace scalediag::inject::files
