#include "pmpi-comm/trace/trace_requests.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace scalediag::pmpi {

uint32_t TraceRequests::begin(uintptr_t handle, OpenRequest request) {
  uint32_t number;
  if (free_.empty()) {
    number = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
    free_.reserve(slots_.size());  // end() must not fail
  } else {
    std::pop_heap(free_.begin(), free_.end(), std::greater<>());
    number = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[number];
  slot.used = true;
  slot.next = kNone;
  slot.request = std::move(request);
  slot.request.begun = begun_++;
  const auto [at, is_new] = first_.try_emplace(handle, number);
  if (!is_new) {
    uint32_t last = at->second;
    while (slots_[last].next != kNone) last = slots_[last].next;
    slots_[last].next = number;
  }
  ++open_;
  return number;
}

void TraceRequests::end(uintptr_t handle, uint32_t number) {
  const auto found = first_.find(handle);
  if (found == first_.end() || found->second != number) return;
  Slot& slot = slots_[number];
  if (slot.next == kNone) {
    first_.erase(found);
  } else {
    found->second = slot.next;
  }
  slot.used = false;
  slot.request = {};
  free_.push_back(number);
  std::push_heap(free_.begin(), free_.end(), std::greater<>());
  --open_;
}

}  // namespace scalediag::pmpi
