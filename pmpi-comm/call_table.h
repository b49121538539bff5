// Counters of one thread: calls, bytes and time per (operation, communicator size, message-size bin), and
// messages and bytes per peer. The owner finds and adds in constant time; another thread may visit all
// entries at any moment.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "core/raw/raw_format.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::pmpi {

struct CallEntry {
  uint32_t operation = 0;
  uint32_t communicator_size = 0;
  uint32_t size_bin = 0;
  Counter calls, bytes, ticks, min_ticks, max_ticks;
};

struct PeerEntry {
  uint32_t peer = 0;  // rank in MPI_COMM_WORLD, or raw::kUnknownPeer
  uint32_t direction = raw::kSent;
  Counter messages, bytes;
};

// Append-only storage in blocks that never move.
template <class Entry>
class EntryLog {
 public:
  EntryLog() = default;
  EntryLog(const EntryLog&) = delete;
  EntryLog& operator=(const EntryLog&) = delete;
  ~EntryLog();

  // Owner only. nullptr when memory ran out. The entry becomes visible to readers with publish().
  Entry* append();
  void publish() { size_.fetch_add(1, std::memory_order_release); }
  size_t size() const { return size_.load(std::memory_order_acquire); }

  // Any thread: calls visit(const Entry&) for each published entry, in order of appearance.
  template <class Visit>
  void for_each(Visit visit) const;

 private:
  static constexpr size_t kPerBlock = 64;
  struct Block {
    Entry entries[kPerBlock];
    std::atomic<Block*> next{nullptr};
  };
  std::atomic<Block*> first_{nullptr};
  Block* last_ = nullptr;
  std::atomic<size_t> size_{0};
};

class CallTable {
 public:
  CallTable();
  ~CallTable();

  // Owner only. Entries are never removed; nullptr when memory ran out (the call is then counted in uncounted()).
  CallEntry* call_entry(uint32_t operation, uint32_t communicator_size, uint32_t size_bin) {
    CallEntry* entry = recent_ != nullptr ? recent_[operation].entry : nullptr;
    if (entry != nullptr && entry->communicator_size == communicator_size && entry->size_bin == size_bin) return entry;
    return find_call_entry(operation, communicator_size, size_bin);
  }
  PeerEntry* peer_entry(uint32_t peer, uint32_t direction);
  void count_uncounted() { uncounted_.add(1); }
  void count_spawned(uint64_t processes) { spawned_.add(processes); }

  // Owner only. Reading the clock twice costs more than the rest of the wrapper of a polled routine, so that such a
  // routine's calls are timed one in kPollsPerTimed after the first kPollsTimed. Returns the factor for the time of the
  // call that is about to be made; 0: it is not timed. The sum of weights over n calls is n, so that the sum of
  // weighted times estimates the sum of times without bias.
  uint32_t next_poll_weight(uint32_t operation) {
    if (recent_ == nullptr) return 1;
    const uint32_t before = recent_[operation].polls++;
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
  // The latest key and entry of an operation: most calls repeat the one before.
  struct Recent {
    CallEntry* entry = nullptr;
    uint32_t polls = 0;
  };
  static constexpr size_t kDirections = 3;
  CallEntry* find_call_entry(uint32_t operation, uint32_t communicator_size, uint32_t size_bin);
  EntryLog<CallEntry> calls_;
  EntryLog<PeerEntry> peers_;
  std::unique_ptr<Index> index_;
  std::unique_ptr<Recent[]> recent_;  // by operation
  PeerEntry* recent_peer_[kDirections] = {};
  Counter uncounted_;
  Counter spawned_;
};

template <class Entry>
EntryLog<Entry>::~EntryLog() {
  for (Block* b = first_.load(); b != nullptr;) {
    Block* next = b->next.load();
    delete b;
    b = next;
  }
}

template <class Entry>
Entry* EntryLog<Entry>::append() {
  const size_t at = size_.load(std::memory_order_relaxed) % kPerBlock;
  if (at == 0) {
    Block* b = new (std::nothrow) Block;
    if (b == nullptr) return nullptr;
    (last_ == nullptr ? first_ : last_->next).store(b, std::memory_order_release);
    last_ = b;
  }
  return &last_->entries[at];
}

template <class Entry>
template <class Visit>
void EntryLog<Entry>::for_each(Visit visit) const {
  size_t left = size();
  for (const Block* b = first_.load(std::memory_order_acquire); b != nullptr && left > 0;
       b = b->next.load(std::memory_order_acquire)) {
    for (size_t i = 0; i < kPerBlock && left > 0; ++i, --left) visit(b->entries[i]);
  }
}

}  // namespace scalediag::pmpi
