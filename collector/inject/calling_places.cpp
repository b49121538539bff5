#include "collector/inject/calling_places.h"

#include <algorithm>

#include "pmpi-comm/loaded_module.h"

namespace scalediag::inject {
namespace {

constexpr uint32_t kOutsideFrames = 3;

// The data of any function that was seen in a walk on this thread.
__thread uintptr_t highest_place_stack __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

// Each frame is looked at only where those below it are the same, and so as large as they were.
bool CallingPlaces::is_below(const Stack& stack, pmpi::Caller caller) {
  if (stack.frames[0] != caller.address) return false;
  for (uint32_t i = 1; i < stack.n; ++i) {
    const uintptr_t at = caller.stack + stack.distances[i];
    if (at >= highest_place_stack || *reinterpret_cast<const uintptr_t*>(at) != stack.frames[i]) return false;
  }
  return true;
}

uint32_t CallingPlaces::find(const std::atomic<uint32_t>& list, uint32_t key, pmpi::Caller caller) const {
  for (uint32_t at = list.load(std::memory_order_acquire); at != 0; at = all_[at - 1].next) {
    if (all_[at - 1].key == key && is_below(all_[at - 1].stack, caller)) return at;
  }
  return 0;
}

uint32_t CallingPlaces::find(const std::atomic<uint32_t>& list, uint32_t key, const Stack& stack) const {
  for (uint32_t at = list.load(std::memory_order_acquire); at != 0; at = all_[at - 1].next) {
    const Place& p = all_[at - 1];
    if (p.key == key && p.stack.n == stack.n && std::equal(stack.frames, stack.frames + stack.n, p.stack.frames) &&
        std::equal(stack.distances, stack.distances + stack.n, p.stack.distances)) {
      return at;
    }
  }
  return 0;
}

CallingPlaces::Stack CallingPlaces::stack_above(pmpi::Caller caller, IsLayer* is_layer) {
  Stack stack{};
  uintptr_t below = 0;
  uint32_t n_outside = 0;
  pmpi::walk_stack(caller, [&](uintptr_t address, uintptr_t end) {
    if (stack.n > 0) {
      const uintptr_t* const slot = pmpi::slot_of(address, below, end);
      if (slot == nullptr) return false;
      stack.distances[stack.n] = reinterpret_cast<uintptr_t>(slot) - caller.stack;
      highest_place_stack = std::max(highest_place_stack, end);
    }
    stack.frames[stack.n++] = address;
    below = end;
    if (n_outside > 0 || !is_layer(pmpi::loaded_module_of(address).path)) ++n_outside;
    return stack.n < kMostFrames && n_outside < kOutsideFrames;
  });
  if (stack.n == 0) stack.frames[stack.n++] = caller.address;
  return stack;
}

uint32_t CallingPlaces::add(uint32_t key, pmpi::Caller caller, IsLayer* is_layer) {
  if (n_claimed_.load(std::memory_order_relaxed) >= kMost) return 0;
  std::atomic<uint32_t>& list = list_of(key, caller.address);
  const Stack above = stack_above(caller, is_layer);
  // Another thread may have called from there, whose stack is no sign of how high this one's is.
  const uint32_t same = find(list, key, above);
  if (same != 0) return same;
  const uint32_t claimed = n_claimed_.fetch_add(1, std::memory_order_relaxed);
  if (claimed >= kMost) return 0;
  Place& place = all_[claimed];
  place.key = key;
  place.stack = above;
  place.next = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(place.next, claimed + 1, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return claimed + 1;
}

}  // namespace scalediag::inject
