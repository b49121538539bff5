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
  uint32_t last = find(handle);
  if (last != kNone) {
    while (slots_[last].next != kNone) last = slots_[last].next;
    slots_[last].next = number;
  } else if (First& near = near_[place(handle)]; near.number == kNone) {
    near = {handle, number};
  } else {
    far_.emplace(handle, number);
  }
  ++open_;
  return number;
}

PartOfCall TraceRequests::begin_part() {
  // Neither addresses nor small numbers have the highest bit.
  const uintptr_t handle = uintptr_t{1} << 63 | parts_++;
  return {handle, begin(handle, {})};
}

void TraceRequests::set_first(uintptr_t handle, uint32_t number) {
  if (First& near = near_[place(handle)]; near.number != kNone && near.handle == handle) {
    near.number = number;
  } else if (number == kNone) {
    far_.erase(handle);
  } else {
    far_[handle] = number;
  }
}

void TraceRequests::end(uintptr_t handle, uint32_t number) {
  if (number == kNone || find(handle) != number) return;
  Slot& slot = slots_[number];
  set_first(handle, slot.next);
  slot.used = false;
  slot.request = {};
  free_.push_back(number);
  std::push_heap(free_.begin(), free_.end(), std::greater<>());
  --open_;
}

}  // namespace scalediag::pmpi
