// The requests of a rank that is traced: the operation of each handle.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace scalediag::pmpi {

constexpr uint64_t kNotHeld = ~uint64_t{0};

// An operation that has begun and is not complete.
struct OpenRequest {
  bool collective = false;
  std::string definition = {};  // collectives: the event of their completion
  uint64_t held = kNotHeld;     // a receive whose sender is not known yet: its number among the held events
  bool late = false;            // the same, but its event was given up: it is recorded at its completion
  bool cancelled = false;       // MPI_Cancel was called
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
  // The number of the oldest operation of the handle; kNone where no known operation has it.
  uint32_t find(uintptr_t handle) const {
    const auto found = first_.find(handle);
    return found != first_.end() ? found->second : kNone;
  }
  OpenRequest& operator[](uint32_t number) { return slots_[number].request; }
  // Ends an operation that find() gave.
  void end(uintptr_t handle, uint32_t number);
  size_t open() const { return open_; }
  template <class Visit>
  void each(Visit visit) {
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
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;  // a heap, the lowest on top
  std::unordered_map<uintptr_t, uint32_t> first_;
  std::unordered_map<uintptr_t, PersistentRequest> persistent_;
  size_t open_ = 0;
  uint64_t begun_ = 0;
};

}  // namespace scalediag::pmpi
