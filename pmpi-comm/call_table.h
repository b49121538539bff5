// Counters of one thread: calls, bytes and time per (operation, call site, communicator size, message-size bin), and
// messages and bytes per peer. The owner finds and adds in constant time; another thread may visit all
// entries at any moment.
#pragma once

#include <cstdint>
#include <memory>

#include "core/raw/raw_format.h"
#include "pmpi-comm/call_sites.h"
#include "pmpi-comm/entry_log.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::pmpi {

struct CallEntry {
  uint32_t operation = 0;  // with its site
  uint32_t communicator_size = 0;
  uint32_t size_bin = 0;
  Counter calls, bytes, ticks, min_ticks, max_ticks;
};

struct PeerEntry {
  uint32_t peer = 0;  // rank in MPI_COMM_WORLD, or raw::kUnknownPeer
  uint32_t direction = raw::kSent;
  Counter messages, bytes;
};

class CallTable {
 public:
  CallTable();
  ~CallTable();

  // Owner only. Entries are never removed; nullptr when memory ran out (the call is then counted in uncounted()).
  // `operation` is a raw::operation_at().
  CallEntry* call_entry(uint32_t operation, uint32_t communicator_size, uint32_t size_bin) {
    CallEntry* entry = recent_ != nullptr ? recent_[place(operation)] : nullptr;
    if (entry != nullptr && entry->operation == operation && entry->communicator_size == communicator_size &&
        entry->size_bin == size_bin) {
      return entry;
    }
    return find_call_entry(operation, communicator_size, size_bin);
  }
  uint32_t site_of(Caller caller) { return callers_.site_of(caller); }
  PeerEntry* peer_entry(uint32_t peer, uint32_t direction);
  void count_uncounted() { uncounted_.add(1); }
  void count_spawned(uint64_t processes) { spawned_.add(processes); }

  // Owner only. Reading the clock twice costs more than the rest of the wrapper of a polled routine, so that such a
  // routine's calls are timed one in kPollsPerTimed after the first kPollsTimed. Returns the factor for the time of the
  // call that is about to be made; 0: it is not timed. The sum of weights over n calls is n, so that the sum of
  // weighted times estimates the sum of times without bias.
  uint32_t next_poll_weight(uint32_t operation) {
    if (polls_ == nullptr) return 1;
    const uint32_t before = polls_[operation]++;
    if (before < kPollsTimed) return 1;
    return before % kPollsPerTimed == 0 ? kPollsPerTimed : 0;
  }
  static constexpr uint32_t kPollsTimed = 64;
  static constexpr uint32_t kPollsPerTimed = 8;

  const EntryLog<CallEntry>& calls() const { return calls_; }
  const EntryLog<PeerEntry>& peers() const { return peers_; }
  uint64_t uncounted() const { return uncounted_.get(); }
  uint64_t spawned() const { return spawned_.get(); }

 private:
  struct Index;
  static constexpr size_t kRecent = 512;
  static size_t place(uint32_t operation) { return (operation * 0x9E3779B9u) >> 23; }
  static constexpr size_t kDirections = 3;
  CallEntry* find_call_entry(uint32_t operation, uint32_t communicator_size, uint32_t size_bin);
  EntryLog<CallEntry> calls_;
  EntryLog<PeerEntry> peers_;
  std::unique_ptr<Index> index_;
  std::unique_ptr<CallEntry*[]> recent_;  // the latest entry by operation: most calls repeat the one before
  std::unique_ptr<uint32_t[]> polls_;     // by operation without its site
  KnownCallers callers_;
  PeerEntry* recent_peer_[kDirections] = {};
  Counter uncounted_;
  Counter spawned_;
};

}  // namespace scalediag::pmpi
