// The matching of messages and receives: by (source, tag, communicator), in the order in which they were posted. A
// rank's first few unmatched messages and receives are in a line of the cache of their own, because simulations of many
// ranks mostly wait for memory; the others are in a hash table, so that a rank with many of them is as cheap as one
// with few.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "loggp/simulator/memory/large_pages.h"

namespace scalediag::loggp {

constexpr uint32_t kNoTransfer = 0xFFFFFFFF;
constexpr uint32_t kPathFromStart = 0xFFFFFFFF;  // the critical path has never left the rank
constexpr uint32_t kOwnPath = 0xFFFFFFFE;        // the rank waited for its own latest operation

// A message, a receive, or both once they have met.
struct alignas(64) Transfer {
  // kAccess: of another rank's memory without data that come back, kAnswer: with them (remote_accesses.h).
  enum class Kind : uint8_t { kEagerMessage, kSend, kReceive, kAccess, kAnswer };
  bool is_access() const { return kind == Kind::kAccess || kind == Kind::kAnswer; }
  struct Unmatched {
    uint32_t next = kNoTransfer;  // in the list or table where it waits; kSend that is matched: its receive
    uint32_t event = 0;           // of the owner; of the sender for a kEagerMessage
  };

  double posted_s = 0;  // by the side that made it; known: by the other side
  double known_s = 0;   // kSend: when the request is at the receiver, then the earliest end, then the end.
                        // kEagerMessage, kReceive that is known: when the first byte reaches the receiver
  // Of one that waits to be matched; afterwards of a kReceive that is known.
  union {
    Unmatched unmatched = {};
    double last_byte_s;  // of a message that shared its sender's adapter, 0 of others: when the last byte reaches the
                         // receiver, unless its adapter is busy
  };
  uint64_t bytes = 0;
  uint32_t owner = 0;  // rank: of the receiver for a kEagerMessage
  uint32_t peer = 0;
  int32_t tag = 0;
  uint32_t communicator = 0;
  uint32_t group = 0;
  uint32_t path = kPathFromStart;  // of the rank that posted it; known: of the side that determined its end
  Kind kind = Kind::kReceive;
  bool known = false;    // its completion depends neither on the other side nor on what else is sent
  bool awaited = false;  // its owner cannot go on before it is known
  // kSend, where handshakes wait for calls:
  bool matched = false;
  bool seen = false;  // its request was read, at known_s
  // Known: the number of control messages between what determined its end and the data.
  uint8_t n_control = 0;
  uint16_t operation = 0;  // that sent the message (operation_of)
};
static_assert(sizeof(Transfer) == 64);

class MatchTable;

// Transfers by number. They never move, and memory is that of the largest number at a time.
class TransferPool {
 public:
  TransferPool();
  ~TransferPool();
  TransferPool(const TransferPool&) = delete;
  TransferPool& operator=(const TransferPool&) = delete;

  Transfer& operator[](uint32_t i) { return chunks_[i >> kChunkBits][i & kChunkMask]; }
  const Transfer& operator[](uint32_t i) const { return chunks_[i >> kChunkBits][i & kChunkMask]; }
  void prefetch(uint32_t i) const { __builtin_prefetch(&(*this)[i], 1); }

  uint32_t take() {
    if (free_ == kNoTransfer) return take_new();
    const uint32_t i = free_;
    free_ = (*this)[i].unmatched.next;
    if (free_ != kNoTransfer) prefetch(free_);
    return i;
  }
  void give_back(uint32_t i) {
    (*this)[i].unmatched.next = free_;
    free_ = i;
  }

  // Tables for ranks with many unmatched transfers, also by number. They keep their memory when they are given back.
  uint32_t take_table();
  void give_back_table(uint32_t i) { free_tables_.push_back(i); }
  MatchTable& table(uint32_t i);
  const MatchTable& table(uint32_t i) const;

 private:
  static constexpr uint32_t kChunkBits = 15;  // 2 MiB, of which pages that are not used are not there
  static constexpr uint32_t kChunkMask = (1U << kChunkBits) - 1;
  uint32_t take_new();

  std::vector<Transfer*> chunks_;
  uint32_t n_made_ = 0;
  uint32_t free_ = kNoTransfer;
  std::vector<std::unique_ptr<MatchTable>> tables_;
  std::vector<uint32_t> free_tables_;
};

// The other side's rank, the tag and the communicator, as the owner of the queue sees them.
struct MatchKey {
  uint32_t owner;
  uint32_t peer;
  int32_t tag;
  uint32_t communicator;

  // Fibonacci hashing: peers that follow one another, the usual case, spread evenly.
  uint32_t hash() const {
    const uint32_t rest = static_cast<uint32_t>(tag) * 0x85ebca6bU ^ communicator * 0xc2b2ae35U;
    return (peer + (rest ^ (rest >> 15))) * 0x9e3779b9U;
  }
  // Whether it is that of a transfer in a queue of `owner`. A rendezvous send belongs to its sender and waits at its
  // receiver.
  bool is_of(const Transfer& t) const {
    const uint32_t other = t.owner == owner ? t.peer : t.owner;
    return other == peer && t.tag == tag && t.communicator == communicator;
  }
};

// First in, first out for each key of one rank; memory and time follow the number of entries.
class MatchTable {
 public:
  void append(TransferPool& pool, const MatchKey& key, uint32_t transfer);
  // Removes and returns the oldest transfer of this key; kNoTransfer if there is none.
  uint32_t take(const TransferPool& pool, const MatchKey& key);
  bool empty() const { return n_used_ == 0; }
  // visit(index) for all, in an order that depends only on what was appended and taken.
  void each(const TransferPool& pool, auto visit) const {
    for (const Slot& slot : slots_) {
      for (uint32_t i = slot.head; i != kNoTransfer; i = pool[i].unmatched.next) visit(i);
    }
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t head = kNoTransfer;  // kNoTransfer: the slot is empty
    uint32_t tail = kNoTransfer;
  };
  size_t home(uint32_t hash) const { return hash >> shift_; }
  size_t find(const TransferPool& pool, const MatchKey& key, uint32_t hash) const;
  void grow();
  void erase(size_t slot);

  std::vector<Slot> slots_;  // a power of two of them, at most half of them used
  int shift_ = 32;
  size_t n_used_ = 0;
};

// One rank's unmatched messages, or its unmatched receives. kListed: how many of them are beside one another.
template <uint32_t kListed> class MatchQueue {
 public:
  void append(TransferPool& pool, const MatchKey& key, uint32_t transfer) {
    pool[transfer].unmatched.next = kNoTransfer;
    if (n_listed_ >= kListed || table_ != kNoTable) {
      append_to_table(pool, key, transfer);
      return;
    }
    hashes_[n_listed_] = key.hash();
    transfers_[n_listed_++] = transfer;
  }

  // Entries of the list are older than those of the table.
  uint32_t take(TransferPool& pool, const MatchKey& key) {
    const uint32_t hash = key.hash();
    for (uint32_t i = 0; i < n_listed_; ++i) {
      if (hashes_[i] != hash || !key.is_of(pool[transfers_[i]])) continue;
      const uint32_t found = transfers_[i];
      --n_listed_;
      for (; i < n_listed_; ++i) {
        hashes_[i] = hashes_[i + 1];
        transfers_[i] = transfers_[i + 1];
      }
      return found;
    }
    return table_ == kNoTable ? kNoTransfer : take_from_table(pool, key);
  }

  // Fetches what take() will look at into the cache; false: nothing that is listed has the key.
  bool prefetch(const TransferPool& pool, const MatchKey& key) const {
    const uint32_t hash = key.hash();
    for (uint32_t i = 0; i < n_listed_; ++i) {
      if (hashes_[i] != hash) continue;
      pool.prefetch(transfers_[i]);
      return true;
    }
    return false;
  }
  void prefetch_all(const TransferPool& pool) const {
    for (uint32_t i = 0; i < n_listed_; ++i) pool.prefetch(transfers_[i]);
  }

  // visit(index) for all, oldest first as far as they are listed.
  void each(const TransferPool& pool, auto visit) const {
    for (uint32_t i = 0; i < n_listed_; ++i) visit(transfers_[i]);
    if (table_ != kNoTable) pool.table(table_).each(pool, visit);
  }

 private:
  static constexpr uint32_t kNoTable = 0xFFFFFFFF;

  void append_to_table(TransferPool& pool, const MatchKey& key, uint32_t transfer) {
    if (table_ == kNoTable) table_ = pool.take_table();
    pool.table(table_).append(pool, key, transfer);
  }
  uint32_t take_from_table(TransferPool& pool, const MatchKey& key) {
    MatchTable& table = pool.table(table_);
    const uint32_t found = table.take(pool, key);
    if (table.empty()) {
      pool.give_back_table(table_);
      table_ = kNoTable;
    }
    return found;
  }

  uint32_t hashes_[kListed];     // of the keys
  uint32_t transfers_[kListed];  // the oldest first
  uint32_t n_listed_ = 0;
  uint32_t table_ = kNoTable;  // of the pool
};

}  // namespace scalediag::loggp
