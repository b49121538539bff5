#include "pmpi-comm/call_table.h"

#include <new>
#include <vector>

#include "core/mpi_routines.h"

namespace scalediag::pmpi {

// A map from key to entry by open addressing; grows by doubling. Only the owner uses it.
template <class Entry> class EntryMap {
 public:
  Entry* find(uint64_t key) const {
    if (slots_.empty()) return nullptr;
    for (size_t i = place(key);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].entry == nullptr) return nullptr;
      if (slots_[i].key == key) return slots_[i].entry;
    }
  }

  // Makes room for one more; false when memory ran out.
  bool reserve() {
    if (2 * (used_ + 1) <= slots_.size()) return true;
    std::vector<Slot> bigger;
    try {
      bigger.resize(slots_.empty() ? 64 : 2 * slots_.size());
    } catch (const std::bad_alloc&) {
      return false;
    }
    bigger.swap(slots_);
    used_ = 0;
    for (const Slot& s : bigger) {
      if (s.entry != nullptr) insert(s.key, s.entry);
    }
    return true;
  }

  // Precondition: reserve() succeeded and the key is not in.
  void insert(uint64_t key, Entry* entry) {
    size_t i = place(key);
    while (slots_[i].entry != nullptr) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = Slot{key, entry};
    ++used_;
  }

 private:
  struct Slot {
    uint64_t key = 0;
    Entry* entry = nullptr;
  };
  size_t place(uint64_t key) const { return ((key * 0x9E3779B97F4A7C15u) >> 32) & (slots_.size() - 1); }
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

struct CallTable::Index {
  EntryMap<CallEntry> calls;
  EntryMap<PeerEntry> peers;
};

CallTable::CallTable()
    : index_(new (std::nothrow) Index),
      recent_(new (std::nothrow) CallEntry*[kRecent]()),
      polls_(new (std::nothrow) uint32_t[mpi::kCountedRoutines]()) {}
CallTable::~CallTable() = default;

CallEntry* CallTable::find_call_entry(uint32_t operation, uint32_t communicator_size, uint32_t size_bin) {
  if (index_ == nullptr || recent_ == nullptr) return nullptr;
  // Operations with their sites take 24 bits and bins 7, so that 32 are left for the size of the communicator.
  const uint64_t key = uint64_t{operation} << 40 | uint64_t{size_bin} << 32 | communicator_size;
  CallEntry* entry = index_->calls.find(key);
  if (entry == nullptr) {
    if (!index_->calls.reserve()) return nullptr;
    entry = calls_.append();
    if (entry == nullptr) return nullptr;
    entry->operation = operation;
    entry->communicator_size = communicator_size;
    entry->size_bin = size_bin;
    calls_.publish();
    index_->calls.insert(key, entry);
  }
  recent_[place(operation)] = entry;
  return entry;
}

PeerEntry* CallTable::peer_entry(uint32_t peer, uint32_t direction) {
  if (index_ == nullptr) return nullptr;
  PeerEntry*& recent = recent_peer_[direction % kDirections];
  if (recent != nullptr && recent->peer == peer && recent->direction == direction) return recent;
  const uint64_t key = uint64_t{direction} << 32 | peer;
  PeerEntry* entry = index_->peers.find(key);
  if (entry == nullptr) {
    if (!index_->peers.reserve()) return nullptr;
    entry = peers_.append();
    if (entry == nullptr) return nullptr;
    entry->peer = peer;
    entry->direction = direction;
    peers_.publish();
    index_->peers.insert(key, entry);
  }
  recent = entry;
  return entry;
}

}  // namespace scalediag::pmpi
