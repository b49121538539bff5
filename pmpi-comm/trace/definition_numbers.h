// The numbers of definitions, in the order in which they come: what a rank looks up once an event.
//
// Ranks that share a core find little of theirs in its caches. A short definition is kept beside its number, so that
// finding it takes one access to memory in most cases.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace scalediag::pmpi {

class DefinitionNumbers {
 public:
  // The number, from 0 on, and whether the definition is a new one. May throw std::bad_alloc.
  std::pair<uint32_t, bool> number(const std::string& definition) {
    if (definition.size() > kShort) {
      const auto [at, is_new] = long_.try_emplace(definition, size_);
      size_ += is_new ? 1 : 0;
      return {at->second, is_new};
    }
    if (2 * n_short_ >= entries_.size()) grow();
    Entry& entry = find(definition);
    if (entry.number_after != 0) return {entry.number_after - 1, false};
    entry.length = static_cast<uint8_t>(definition.size());
    std::memcpy(entry.bytes, definition.data(), definition.size());
    entry.number_after = ++size_;
    ++n_short_;
    return {size_ - 1, true};
  }
  uint32_t size() const { return size_; }

 private:
  static constexpr size_t kShort = 27;
  struct Entry {
    uint32_t number_after = 0;  // 0: not used
    uint8_t length = 0;
    char bytes[kShort] = {};
    std::string_view text() const { return {bytes, length}; }
  };
  static_assert(sizeof(Entry) == 32, "two in a line of the cache");

  // FNV-1a. Its last bits are mixed once more, since they are the place.
  static uint64_t hash(std::string_view text) {
    uint64_t h = 0xcbf29ce484222325;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return h ^ h >> 29;
  }
  // Its entry, or the one for it. Precondition: not all are used.
  Entry& find(std::string_view definition) {
    const size_t mask = entries_.size() - 1;
    size_t at = hash(definition) & mask;
    while (entries_[at].number_after != 0 && entries_[at].text() != definition) at = (at + 1) & mask;
    return entries_[at];
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.number_after != 0) find(entry.text()) = entry;
    }
  }

  std::vector<Entry> entries_;  // of definitions that are short; a power of two
  size_t n_short_ = 0;
  uint32_t size_ = 0;
  std::unordered_map<std::string, uint32_t> long_;
};

}  // namespace scalediag::pmpi
