// Samples summed by where they fell.
#pragma once

#include <cstdint>
#include <vector>

namespace scalediag::inject {

struct SampleKey {
  uint32_t thread_class = 0;
  uint32_t operation = 0;  // raw::kOutsideMpi outside MPI
  uint32_t epoch = 0;      // of the module map the address belongs to
  uint64_t address = 0;    // 0 inside MPI
  bool operator==(const SampleKey& o) const {
    return address == o.address && operation == o.operation && epoch == o.epoch && thread_class == o.thread_class;
  }
};

struct SampleValue {
  uint64_t samples = 0;
  uint64_t cpu_ns = 0;
  uint64_t system_ns = 0;
};

// Open addressing over entries kept in order of appearance. Grows; may throw std::bad_alloc, and is unchanged then.
// Not thread-safe.
class SampleTable {
 public:
  struct Entry {
    SampleKey key;
    SampleValue value;
    bool changed = false;  // since clear_changes()
  };

  void add(const SampleKey& key, const SampleValue& value);
  const std::vector<Entry>& entries() const { return entries_; }
  void clear();
  void clear_changes();

 private:
  void grow();
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // index + 1 into entries_, 0 for free; size is a power of two
};

}  // namespace scalediag::inject
