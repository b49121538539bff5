// Samples summed by the place that they fell into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/raw/raw_records.h"

namespace scalediag::inject {

using raw::SampleKey;
using raw::SampleValue;

// Open addressing over entries kept in order of appearance. The table grows; it may throw std::bad_alloc, and then has
// the same entries as before. Not thread-safe.
class SampleTable {
 public:
  struct Entry {
    SampleKey key;
    SampleValue value;
    bool changed = false;  // since clear_changes()
  };

  // Sets the number of counts of each entry; to be called before the first entry.
  void set_counts(size_t n) { n_counts_ = n; }
  size_t n_counts() const { return n_counts_; }

  // `counts` has as many elements as set_counts() said; nullptr stands for zeros.
  void add(const SampleKey& key, const SampleValue& value, const uint64_t* counts = nullptr);
  const std::vector<Entry>& entries() const { return entries_; }
  // The counts of the entry at `index`; nullptr without counts.
  const uint64_t* counts(size_t index) const { return n_counts_ == 0 ? nullptr : &counts_[index * n_counts_]; }
  void clear();
  void clear_changes();

 private:
  void grow();
  void add_counts(size_t index, const uint64_t* counts);
  size_t n_counts_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint64_t> counts_;  // n_counts_ an entry
  std::vector<uint32_t> slots_;   // index + 1 into entries_, 0 for free; size is a power of two
};

}  // namespace scalediag::inject
