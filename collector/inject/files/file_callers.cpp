#include "collector/inject/files/file_callers.h"

#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/raw/file_libraries.h"
#include "pmpi-comm/loaded_module.h"

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

struct Walk {
  pmpi::Caller caller;
  Stack to{};
  uintptr_t stack_before = 0;
  uint32_t n_outside = 0;
};

// x86 has the return address at the end of the frame; elsewhere the function has stored it somewhere in it.
const uintptr_t* slot_of(uintptr_t address, uintptr_t frame_begin, uintptr_t frame_end) {
  constexpr uintptr_t kLargestFrame = 1 << 16;
  if (frame_end <= frame_begin) return nullptr;
  const auto* slot = reinterpret_cast<const uintptr_t*>(frame_end);
  const auto* const first =
      reinterpret_cast<const uintptr_t*>(frame_end - std::min(frame_end - frame_begin, kLargestFrame));
  while (--slot >= first) {
    if (*slot == address) return slot;
  }
  return nullptr;
}

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  Stack& to = walk.to;
  const uintptr_t address = _Unwind_GetIP(context);
  const uintptr_t stack = _Unwind_GetCFA(context);
  if (to.n == 0) {
    if (address != walk.caller.address || stack != walk.caller.stack) {
      return stack > walk.caller.stack ? _URC_END_OF_STACK : _URC_NO_REASON;
    }
  } else {
    const uintptr_t* const slot = address != 0 ? slot_of(address, walk.stack_before, stack) : nullptr;
    if (slot == nullptr) return _URC_END_OF_STACK;
    to.distances[to.n] = reinterpret_cast<uintptr_t>(slot) - walk.caller.stack;
    highest_stack = std::max(highest_stack, stack);
  }
  to.frames[to.n++] = address;
  walk.stack_before = stack;
  if (walk.n_outside > 0 || !raw::is_file_library(pmpi::loaded_module_of(address).path)) ++walk.n_outside;
  return to.n < kMostPlaceFrames && walk.n_outside < kOutsideFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

uint32_t place_of(Function function, pmpi::Caller caller) {
  std::atomic<uint32_t>& list = list_of(function, caller.address);
  const uint32_t known = find(list, function, [&](const Stack& stack) { return is_below(stack, caller); });
  if (known != 0 || n_claimed.load(std::memory_order_relaxed) >= kMostPlaces) return known;
  Walk walk;
  walk.caller = caller;
  _Unwind_Backtrace(take_frame, &walk);
  if (walk.to.n == 0) walk.to.frames[walk.to.n++] = caller.address;
  // Another thread may have called from there, whose stack is no sign of how high this one's is.
  const uint32_t same = find(list, function, [&](const Stack& stack) { return stack == walk.to; });
  if (same != 0) return same;
  const uint32_t claimed = n_claimed.fetch_add(1, std::memory_order_relaxed);
  if (claimed >= kMostPlaces) return 0;
  Place& place = all[claimed];
  place.function = function;
  place.stack = walk.to;
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
