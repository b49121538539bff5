#include "collector/inject/sampling/sample_table.h"

#include <algorithm>

namespace scalediag::inject {
namespace {

// The finaliser of MurmurHash3: every input bit reaches every output bit.
uint64_t mix(uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

uint64_t hash(const SampleKey& k) {
  const uint64_t place = (static_cast<uint64_t>(k.operation) << 32) | (k.epoch << 2) | k.thread_class;
  return mix(k.address ^ mix(place ^ mix(k.callers)));
}

}  // namespace

void SampleTable::add_counts(size_t index, const uint64_t* counts) {
  if (counts == nullptr) return;
  for (size_t c = 0; c < n_counts_; ++c) counts_[index * n_counts_ + c] += counts[c];
}

void SampleTable::add(const SampleKey& key, const SampleValue& value, const uint64_t* counts) {
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash(key) & mask;; at = (at + 1) & mask) {
    if (slots_[at] == 0) {
      counts_.resize((entries_.size() + 1) * n_counts_);
      entries_.push_back({key, value, true});
      slots_[at] = static_cast<uint32_t>(entries_.size());
      add_counts(entries_.size() - 1, counts);
      return;
    }
    Entry& e = entries_[slots_[at] - 1];
    if (e.key == key) {
      e.value.samples += value.samples;
      e.value.cpu_ns += value.cpu_ns;
      e.value.system_ns += value.system_ns;
      add_counts(slots_[at] - 1, counts);
      e.changed = true;
      return;
    }
  }
}

void SampleTable::clear() {
  entries_.clear();
  counts_.clear();
  std::fill(slots_.begin(), slots_.end(), 0u);
}

void SampleTable::clear_changes() {
  for (Entry& e : entries_) e.changed = false;
}

void SampleTable::grow() {
  std::vector<uint32_t> slots(std::max<size_t>(256, slots_.size() * 2), 0);
  const size_t mask = slots.size() - 1;
  for (size_t i = 0; i < entries_.size(); ++i) {
    size_t at = hash(entries_[i].key) & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = static_cast<uint32_t>(i + 1);
  }
  slots_.swap(slots);
}

}  // namespace scalediag::inject
