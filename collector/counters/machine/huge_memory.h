// Memory for measuring, on huge pages where the system gives them, so that a latency is that of a cache and not of the
// translation of addresses.
#pragma once

#include <cstddef>

#include "core/result.h"

namespace scalediag::counters {

class HugeMemory {
 public:
  // At least `bytes`, not touched yet. Error (kEnvironment): the system does not have that much memory.
  static Result<HugeMemory> allocate(size_t bytes);
  HugeMemory(HugeMemory&& other) noexcept;
  HugeMemory(const HugeMemory&) = delete;
  HugeMemory& operator=(const HugeMemory&) = delete;
  ~HugeMemory();

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  // Whether most of the touched memory lies on huge pages; the kernel decides at the first touch.
  bool is_huge() const;

 private:
  HugeMemory() = default;
  void* mapping_ = nullptr;
  size_t mapped_bytes_ = 0;
  void* data_ = nullptr;
  size_t bytes_ = 0;
  bool reserved_ = false;  // from the pool of huge pages
};

}  // namespace scalediag::counters
