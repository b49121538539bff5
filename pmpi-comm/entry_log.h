// A list that its owner appends to while another thread may read it.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

namespace scalediag::pmpi {

// Append-only storage in blocks that never move.
template <class Entry> class EntryLog {
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
  template <class Visit> void for_each(Visit visit) const;

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

template <class Entry> EntryLog<Entry>::~EntryLog() {
  for (Block* b = first_.load(); b != nullptr;) {
    Block* next = b->next.load();
    delete b;
    b = next;
  }
}

template <class Entry> Entry* EntryLog<Entry>::append() {
  const size_t at = size_.load(std::memory_order_relaxed) % kPerBlock;
  if (at == 0) {
    Block* b = new (std::nothrow) Block;
    if (b == nullptr) return nullptr;
    (last_ == nullptr ? first_ : last_->next).store(b, std::memory_order_release);
    last_ = b;
  }
  return &last_->entries[at];
}

template <class Entry> template <class Visit> void EntryLog<Entry>::for_each(Visit visit) const {
  size_t left = size();
  for (const Block* b = first_.load(std::memory_order_acquire); b != nullptr && left > 0;
       b = b->next.load(std::memory_order_acquire)) {
    for (size_t i = 0; i < kPerBlock && left > 0; ++i, --left) visit(b->entries[i]);
  }
}

}  // namespace scalediag::pmpi
