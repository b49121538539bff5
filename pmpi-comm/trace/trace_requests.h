// The requests of a rank that is traced: the operation of each handle.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace scalediag::pmpi {

constexpr uint64_t kNotHeld = ~uint64_t{0};

// An operation without a request of MPI's: a handle that MPI never gives, and its number.
struct PartOfCall {
  uintptr_t handle = 0;
  uint32_t number = 0;
};

// An operation that has begun and is not complete.
struct OpenRequest {
  bool collective = false;
  std::unique_ptr<const std::string> definition = {};  // collectives: the event of their completion
  std::vector<PartOfCall> parts = {};  // neighbourhood collectives: their messages, which are complete with them
  uint64_t held = kNotHeld;            // a receive whose sender is not known yet: its number among the held events
  bool late = false;                   // the same, but its event was given up: it is recorded at its completion
  bool cancelled = false;              // MPI_Cancel was called
  uint32_t routine = 0, communicator = 0;
  uint64_t bytes = 0;
  uint64_t begun = 0;  // order of beginning

  bool needs_status() const { return held != kNotHeld || late || cancelled; }
};

// The operation of a persistent request when it is started. communicator, tag and rank are MPI's own.
struct PersistentRequest {
  bool sends = false;
  uint32_t routine = 0, communicator = 0;
  int rank = 0, tag = 0;
  uint64_t bytes = 0;
};

// Operations have the lowest number that is free when they begin, so that a loop uses the same ones each time round.
// MPI may give several operations one handle (those that are complete already); they end in the order of beginning.
class TraceRequests {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  uint32_t begin(uintptr_t handle, OpenRequest request);
  PartOfCall begin_part();
  // The number of the oldest operation of the handle; kNone where no known operation has it.
  uint32_t find(uintptr_t handle) const {
    const First& near = near_[place(handle)];
    if (near.number != kNone && near.handle == handle) return near.number;
    if (far_.empty()) return kNone;
    const auto found = far_.find(handle);
    return found != far_.end() ? found->second : kNone;
  }
  OpenRequest& operator[](uint32_t number) { return slots_[number].request; }
  // Ends an operation that find() gave.
  void end(uintptr_t handle, uint32_t number);
  size_t open() const { return open_; }
  template <class Visit> void each(Visit visit) {
    for (Slot& slot : slots_) {
      if (slot.used) visit(slot.request);
    }
  }

  std::unordered_map<uintptr_t, PersistentRequest>& persistent() { return persistent_; }

 private:
  struct Slot {
    bool used = false;
    uint32_t next = kNone;  // of the same handle
    OpenRequest request;
  };
  // The oldest operation of a handle. Few requests are open in most programs: each has a place of its own, so that a
  // search takes one access to memory. Those whose place is taken are in `far_`.
  struct First {
    uintptr_t handle = 0;
    uint32_t number = kNone;
  };
  static constexpr size_t kPlaces = 64;
  // Handles are pointers that are far apart, or small numbers.
  static size_t place(uintptr_t handle) { return (handle ^ handle >> 6 ^ handle >> 12) % kPlaces; }
  // Replaces the oldest operation of a handle that has one; kNone: it has none any more.
  void set_first(uintptr_t handle, uint32_t number);

  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;  // a heap, the lowest on top
  std::array<First, kPlaces> near_;
  std::unordered_map<uintptr_t, uint32_t> far_;
  std::unordered_map<uintptr_t, PersistentRequest> persistent_;
  size_t open_ = 0;
  uint64_t parts_ = 0;
  uint64_t begun_ = 0;
};

}  // namespace scalediag::pmpi
