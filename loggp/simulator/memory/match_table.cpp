#include "loggp/simulator/memory/match_table.h"

#include <new>

namespace scalediag::loggp {

TransferPool::TransferPool() = default;

TransferPool::~TransferPool() {
  for (Transfer* chunk : chunks_) LargePages<Transfer>().deallocate(chunk, size_t{1} << kChunkBits);
}

uint32_t TransferPool::take_table() {
  if (free_tables_.empty()) {
    tables_.push_back(std::make_unique<MatchTable>());
    return static_cast<uint32_t>(tables_.size() - 1);
  }
  const uint32_t i = free_tables_.back();
  free_tables_.pop_back();
  return i;
}

MatchTable& TransferPool::table(uint32_t i) { return *tables_[i]; }
const MatchTable& TransferPool::table(uint32_t i) const { return *tables_[i]; }

uint32_t TransferPool::take_new() {
  if ((n_made_ & kChunkMask) == 0) {
    LargePages<Transfer> pages;
    constexpr size_t kTransfers = size_t{1} << kChunkBits;
    chunks_.push_back(chunks_.empty() ? pages.allocate_small(kTransfers) : pages.allocate(kTransfers));
  }
  new (&(*this)[n_made_]) Transfer;
  return n_made_++;
}

size_t MatchTable::find(const TransferPool& pool, const MatchKey& key, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = home(hash);; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.head == kNoTransfer) return i;
    if (slot.hash != hash) continue;
    if (key.is_of(pool[slot.head])) return i;
  }
}

void MatchTable::append(TransferPool& pool, const MatchKey& key, uint32_t transfer) {
  if (2 * (n_used_ + 1) > slots_.size()) grow();
  const uint32_t hash = key.hash();
  Slot& slot = slots_[find(pool, key, hash)];
  if (slot.head == kNoTransfer) {
    slot = {hash, transfer, transfer};
    ++n_used_;
    return;
  }
  pool[slot.tail].unmatched.next = transfer;
  slot.tail = transfer;
}

uint32_t MatchTable::take(const TransferPool& pool, const MatchKey& key) {
  const size_t i = find(pool, key, key.hash());
  Slot& slot = slots_[i];
  if (slot.head == kNoTransfer) return kNoTransfer;
  const uint32_t taken = slot.head;
  slot.head = pool[taken].unmatched.next;
  if (slot.head == kNoTransfer) erase(i);
  return taken;
}

void MatchTable::grow() {
  std::vector<Slot> old(slots_.empty() ? 32 : 2 * slots_.size());
  shift_ = slots_.empty() ? 27 : shift_ - 1;
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.head == kNoTransfer) continue;
    size_t i = home(slot.hash);
    while (slots_[i].head != kNoTransfer) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

// Moves the following entries up, so that no search ends at the gap.
void MatchTable::erase(size_t slot) {
  const size_t mask = slots_.size() - 1;
  size_t hole = slot;
  for (size_t i = (hole + 1) & mask; slots_[i].head != kNoTransfer; i = (i + 1) & mask) {
    if (((i - home(slots_[i].hash)) & mask) < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole].head = kNoTransfer;
  --n_used_;
}

}  // namespace scalediag::loggp
