#include "pmpi-comm/call_sites.h"

#include <unwind.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>

#include "core/raw/wrapper_libraries.h"
#include "pmpi-comm/loaded_module.h"

namespace scalediag::pmpi {
namespace {

constexpr size_t kMostSites = 1 << 14;
// Sites beyond it are told apart by their return address alone.
constexpr size_t kMostWholeSites = 3 * kMostSites / 4;
static_assert(kMostSites <= (1u << (32 - raw::kOperationBits)) - 1, "kOutsideMpi must be no site's operation");

// All sites of the process, by their frames. Never destroyed: MPI may be called from destructors that run after ours.
class Registry {
 public:
  static Registry& get() {
    alignas(Registry) static char storage[sizeof(Registry)];
    static Registry* const registry = new (storage) Registry;
    return *registry;
  }
  // 0 when there is no room.
  uint32_t number_of(const uintptr_t* frames, uint32_t n) {
    const std::lock_guard<std::mutex> guard(lock_);
    if (buckets_ == nullptr) return 0;
    if (sites_.size() >= kMostWholeSites) n = std::min(n, 1u);
    uint32_t& first = buckets_[hash(frames, n) % kBuckets];
    for (uint32_t at = first; at != 0; at = next_[at]) {
      const CallSite& site = *by_number_[at];
      if (site.n == n && std::memcmp(site.frames.get(), frames, n * sizeof *frames) == 0) return at;
    }
    if (n == 0 || sites_.size() + 1 >= kMostSites) return 0;
    CallSite* site = sites_.append();
    if (site == nullptr) return 0;
    site->frames.reset(new (std::nothrow) uintptr_t[n]);
    if (site->frames == nullptr) return 0;
    std::copy(frames, frames + n, site->frames.get());
    site->n = n;
    sites_.publish();
    const auto number = static_cast<uint32_t>(sites_.size());
    by_number_[number] = site;
    next_[number] = first;
    return first = number;
  }
  const EntryLog<CallSite>& sites() const { return sites_; }

 private:
  static constexpr size_t kBuckets = 4096;
  static size_t hash(const uintptr_t* frames, uint32_t n) {
    uint64_t h = n;
    for (uint32_t i = 0; i < n; ++i) h = (h ^ frames[i]) * 0x9E3779B97F4A7C15u;
    return h >> 32;
  }
  std::mutex lock_;
  EntryLog<CallSite> sites_;
  std::unique_ptr<uint32_t[]> buckets_{new (std::nothrow) uint32_t[kBuckets]()};
  const CallSite* by_number_[kMostSites] = {};
  uint32_t next_[kMostSites] = {};
};

bool may_be_wrapped(uintptr_t address) { return raw::holds_wrappers(loaded_module_of(address).path); }

// The frames from that of `caller` on, while the stack is walked from inside our own functions.
struct Walk {
  Caller caller;
  uint32_t n = 0;
  bool found = false;
  uintptr_t address[kMostFrames] = {};
  uintptr_t stack[kMostFrames] = {};  // the stack pointer in that function at its call
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* to) {
  Walk& walk = *static_cast<Walk*>(to);
  const uintptr_t address = _Unwind_GetIP(context);
  const uintptr_t stack = _Unwind_GetCFA(context);
  if (!walk.found && (address != walk.caller.address || stack != walk.caller.stack)) {
    return stack > walk.caller.stack ? _URC_END_OF_STACK : _URC_NO_REASON;
  }
  walk.found = true;
  if (address == 0) return _URC_END_OF_STACK;
  walk.address[walk.n] = address;
  walk.stack[walk.n] = stack;
  return ++walk.n < kMostFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// The place at which the return address is on the stack, in the frame of the function that will return to it. x86 has
// it at the end of the frame; elsewhere the function has stored it somewhere. nullptr where it is not there.
const uintptr_t* slot_of(uintptr_t address, uintptr_t frame_begin, uintptr_t frame_end) {
  constexpr uintptr_t kLargestFrame = 1 << 16;
  if (frame_end <= frame_begin) return nullptr;
  const auto* const last = reinterpret_cast<const uintptr_t*>(frame_end) - 1;
  const auto* const first =
      reinterpret_cast<const uintptr_t*>(frame_end - std::min(frame_end - frame_begin, kLargestFrame));
  for (const uintptr_t* slot = last; slot >= first; --slot) {
    if (*slot == address) return slot;
  }
  return nullptr;
}

}  // namespace

const EntryLog<CallSite>& call_sites() { return Registry::get().sites(); }

const KnownCallers::Known KnownCallers::kNobody;

KnownCallers::KnownCallers() : buckets_(new (std::nothrow) Known*[kBuckets]()) {
  std::fill(std::begin(recent_), std::end(recent_), &kNobody);
}

KnownCallers::~KnownCallers() {
  if (buckets_ == nullptr) return;
  for (size_t i = 0; i < kBuckets; ++i) {
    for (Known* known = buckets_[i]; known != nullptr;) {
      Known* const next = known->next;
      delete known;
      known = next;
    }
  }
}

size_t KnownCallers::bucket_of(Caller caller) const {
  const FirstDistance& first = first_distances_[hash(caller.address) % std::size(first_distances_)];
  uintptr_t above = 0;
  if (first.address == caller.address && caller.stack + first.distance < highest_stack_) {
    above = *reinterpret_cast<const uintptr_t*>(caller.stack + first.distance);
  }
  return hash(caller.address + 3 * above) % kBuckets;
}

uint32_t KnownCallers::find(Caller caller) {
  if (buckets_ == nullptr || caller.address == 0) return 0;
  for (Known* known = buckets_[bucket_of(caller)]; known != nullptr; known = known->next) {
    if (!is_same(*known, caller)) continue;
    recent_[place(caller)] = known;
    return known->site;
  }
  return walk(caller);
}

uint32_t KnownCallers::walk(Caller caller) {
  // A program that calls from ever new places on its stack is not walked for ever.
  if (n_known_ >= kMostKnown) return Registry::get().number_of(&caller.address, 1);
  Walk walk;
  walk.caller = caller;
  _Unwind_Backtrace(take_frame, &walk);
  // The outermost functions are those of the C library that start a thread: the same for all.
  if (walk.n > 0 && walk.n < kMostFrames) walk.n -= std::min(walk.n - 1, 2u);
  if (walk.n > kUsualFrames && !may_be_wrapped(walk.address[0])) walk.n = kUsualFrames;
  if (walk.n == 0) {
    walk.n = 1;
    walk.address[0] = caller.address;
    walk.stack[0] = caller.stack;
  }
  std::unique_ptr<Known> known(new (std::nothrow) Known);
  if (known == nullptr) return 0;
  known->address = caller.address;
  uint32_t n = 1;
  for (; n < walk.n; ++n) {
    const uintptr_t* slot = slot_of(walk.address[n], walk.stack[n - 1], walk.stack[n]);
    if (slot == nullptr) break;  // what lies above cannot be recognised again
    known->levels[known->n++] = {reinterpret_cast<uintptr_t>(slot) - caller.stack, walk.address[n]};
    highest_stack_ = std::max(highest_stack_, walk.stack[n]);
  }
  known->site = Registry::get().number_of(walk.address, n);
  if (known->n > 0) {
    first_distances_[hash(caller.address) % std::size(first_distances_)] = {caller.address, known->levels[0].distance};
  }
  Known*& first = buckets_[bucket_of(caller)];
  known->next = first;
  first = known.release();
  ++n_known_;
  recent_[place(caller)] = first;
  return first->site;
}

}  // namespace scalediag::pmpi
