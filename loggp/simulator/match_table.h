// The matching of messages and receives: by (source, tag, communicator), in the order in which they were posted. A
// rank's first few unmatched messages and receives are in a list, which is fast; the others are in a hash table, so
// that a rank with many of them is as cheap as one with few.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace scalediag::loggp {

constexpr uint32_t kNoTransfer = 0xFFFFFFFF;
constexpr uint32_t kPathFromStart = 0xFFFFFFFF;  // the critical path has never left the rank
constexpr uint32_t kOwnPath = 0xFFFFFFFE;        // the rank waited for its own latest operation

// A message, a receive, or both once they have met.
struct alignas(64) Transfer {
  enum class Kind : uint8_t { kEagerMessage, kSend, kReceive };
  struct Unmatched {
    uint32_t next = kNoTransfer;  // in the list or table where it waits
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
  uint32_t next_of_owner = kNoTransfer;  // of those that its owner has to wait for
  uint32_t group = 0;
  uint32_t path = kPathFromStart;  // of the rank that posted it; known: of the side that determined its end
  Kind kind = Kind::kReceive;
  bool known = false;  // its completion depends neither on the other side nor on what else is sent
};

// Transfers by number. They never move, and memory is that of the largest number at a time.
class TransferPool {
 public:
  Transfer& operator[](uint32_t i) { return chunks_[i >> kChunkBits][i & kChunkMask]; }
  const Transfer& operator[](uint32_t i) const { return chunks_[i >> kChunkBits][i & kChunkMask]; }

  uint32_t take() {
    if (free_ == kNoTransfer) return take_new();
    const uint32_t i = free_;
    free_ = (*this)[i].unmatched.next;
    return i;
  }
  void give_back(uint32_t i) {
    (*this)[i].unmatched.next = free_;
    free_ = i;
  }

 private:
  static constexpr uint32_t kChunkBits = 12;
  static constexpr uint32_t kChunkMask = (1U << kChunkBits) - 1;
  uint32_t take_new();

  std::vector<std::unique_ptr<Transfer[]>> chunks_;
  uint32_t n_made_ = 0;
  uint32_t free_ = kNoTransfer;
};

// The other side's rank, the tag and the communicator, as the owner of the queue sees them.
struct MatchKey {
  uint32_t owner;
  uint32_t peer;
  int32_t tag;
  uint32_t communicator;
};

// First in, first out for each key of one rank; memory and time follow the number of entries.
class MatchTable {
 public:
  void append(TransferPool& pool, const MatchKey& key, uint32_t transfer);
  // Removes and returns the oldest transfer of this key; kNoTransfer if there is none.
  uint32_t take(const TransferPool& pool, const MatchKey& key);
  bool empty() const { return n_used_ == 0; }
  // visit(index) for all, in an order that depends only on what was appended and taken.
  template <class Visit>
  void each(const TransferPool& pool, Visit visit) const {
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

// One rank's unmatched messages, or its unmatched receives.
class MatchQueue {
 public:
  void append(TransferPool& pool, const MatchKey& key, uint32_t transfer) {
    pool[transfer].unmatched.next = kNoTransfer;
    if (n_listed_ >= kListed || table_ != nullptr) {
      if (table_ == nullptr) table_ = std::make_unique<MatchTable>();
      table_->append(pool, key, transfer);
      return;
    }
    if (head_ == kNoTransfer) {
      head_ = transfer;
    } else {
      pool[tail_].unmatched.next = transfer;
    }
    tail_ = transfer;
    ++n_listed_;
  }

  // Of those that are listed; kNoTransfer if none is.
  uint32_t oldest() const { return head_; }

  // Entries of the list are older than those of the table.
  uint32_t take(TransferPool& pool, const MatchKey& key) {
    uint32_t before = kNoTransfer;
    for (uint32_t i = head_; i != kNoTransfer; before = i, i = pool[i].unmatched.next) {
      const Transfer& t = pool[i];
      const uint32_t other = t.owner == key.owner ? t.peer : t.owner;
      if (other != key.peer || t.tag != key.tag || t.communicator != key.communicator) continue;
      (before == kNoTransfer ? head_ : pool[before].unmatched.next) = t.unmatched.next;
      if (tail_ == i) tail_ = before;
      --n_listed_;
      return i;
    }
    if (table_ == nullptr) return kNoTransfer;
    const uint32_t found = table_->take(pool, key);
    if (table_->empty()) table_.reset();
    return found;
  }

  // visit(index) for all, oldest first as far as they are listed.
  template <class Visit>
  void each(const TransferPool& pool, Visit visit) const {
    for (uint32_t i = head_; i != kNoTransfer; i = pool[i].unmatched.next) visit(i);
    if (table_ != nullptr) table_->each(pool, visit);
  }

 private:
  static constexpr uint32_t kListed = 12;
  uint32_t head_ = kNoTransfer;
  uint32_t tail_ = kNoTransfer;
  uint32_t n_listed_ = 0;
  std::unique_ptr<MatchTable> table_;
};

}  // namespace scalediag::loggp
