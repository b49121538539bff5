#include "pmpi-comm/call_sites.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>

#include "core/raw/wrapper_libraries.h"
#include "pmpi-comm/loaded_module.h"
#include "pmpi-comm/stack_walk.h"

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

// The frames from that of the caller on.
struct Frames {
  uint32_t n = 0;
  uintptr_t address[kMostFrames] = {};
  uintptr_t stack[kMostFrames] = {};  // the stack pointer in that function at its call
};

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
  Frames frames;
  const bool ends_at_signal = walk_stack(caller, [&frames](uintptr_t address, uintptr_t stack) {
    frames.address[frames.n] = address;
    frames.stack[frames.n] = stack;
    return ++frames.n < kMostFrames;
  });
  // The outermost functions are those of the C library that start a thread, or the one to which a signal handler
  // returns: the same for all.
  if (frames.n > 0 && frames.n < kMostFrames) frames.n -= std::min(frames.n - 1, ends_at_signal ? 1u : 2u);
  if (frames.n > kUsualFrames && !may_be_wrapped(frames.address[0])) frames.n = kUsualFrames;
  if (frames.n == 0) {
    frames.n = 1;
    frames.address[0] = caller.address;
    frames.stack[0] = caller.stack;
  }
  std::unique_ptr<Known> known(new (std::nothrow) Known);
  if (known == nullptr) return 0;
  known->address = caller.address;
  uint32_t n = 1;
  for (; n < frames.n; ++n) {
    const uintptr_t* slot = slot_of(frames.address[n], frames.stack[n - 1], frames.stack[n]);
    if (slot == nullptr) break;  // what lies above cannot be recognised again
    known->levels[known->n++] = {reinterpret_cast<uintptr_t>(slot) - caller.stack, frames.address[n]};
    highest_stack_ = std::max(highest_stack_, frames.stack[n]);
  }
  known->site = Registry::get().number_of(frames.address, n);
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
