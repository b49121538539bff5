#include "loggp/match_table.h"

namespace scalediag::loggp {
namespace {

uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  return x ^ (x >> 32);
}

uint64_t hash_of(const MatchKey& key) {
  const uint64_t pair = (static_cast<uint64_t>(key.owner) << 32) | key.peer;
  const uint64_t rest = (static_cast<uint64_t>(static_cast<uint32_t>(key.tag)) << 32) | key.communicator;
  return mix(pair * 0x9e3779b97f4a7c15ULL + mix(rest));
}

}  // namespace

uint32_t TransferPool::take_new() {
  if ((n_made_ & kChunkMask) == 0) chunks_.push_back(std::make_unique<Transfer[]>(size_t{1} << kChunkBits));
  return n_made_++;
}

size_t MatchTable::find(const MatchKey& key, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.head == kNoTransfer) return i;
    if (slot.hash != hash) continue;
    const Transfer& t = pool_[slot.head];
    // A rendezvous send is its sender's and waits at its receiver.
    const bool is_owners = t.owner == key.owner;
    if ((is_owners ? t.owner : t.peer) == key.owner && (is_owners ? t.peer : t.owner) == key.peer && t.tag == key.tag &&
        t.communicator == key.communicator) {
      return i;
    }
  }
}

void MatchTable::append(const MatchKey& key, uint32_t transfer) {
  if (2 * (n_used_ + 1) > slots_.size()) grow();
  const uint64_t hash = hash_of(key);
  Slot& slot = slots_[find(key, hash)];
  if (slot.head == kNoTransfer) {
    slot = {hash, transfer, transfer};
    ++n_used_;
    return;
  }
  pool_[slot.tail].next = transfer;
  slot.tail = transfer;
}

uint32_t MatchTable::take(const MatchKey& key) {
  if (slots_.empty()) return kNoTransfer;
  const size_t i = find(key, hash_of(key));
  Slot& slot = slots_[i];
  if (slot.head == kNoTransfer) return kNoTransfer;
  const uint32_t taken = slot.head;
  slot.head = pool_[taken].next;
  if (slot.head == kNoTransfer) erase(i);
  return taken;
}

void MatchTable::grow() {
  std::vector<Slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.head == kNoTransfer) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].head != kNoTransfer) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

// Moves what follows up, so that no search ends at the hole.
void MatchTable::erase(size_t slot) {
  const size_t mask = slots_.size() - 1;
  size_t hole = slot;
  for (size_t i = (hole + 1) & mask; slots_[i].head != kNoTransfer; i = (i + 1) & mask) {
    const size_t home = slots_[i].hash & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole].head = kNoTransfer;
  --n_used_;
}

}  // namespace scalediag::loggp
