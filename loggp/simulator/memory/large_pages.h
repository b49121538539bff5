// Memory in pages of 2 MiB, where the system has them. A simulation of many ranks goes through megabytes of their state
// in no order that a processor foresees, and with pages of 4 KiB it looks up where they lie as often as it reads them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace scalediag::loggp {

template <class T> class LargePages {
 public:
  using value_type = T;

  LargePages() = default;
  template <class Other> LargePages(const LargePages<Other>& /*other*/) {}

  T* allocate(size_t n) {
    T* memory = allocate_small(n);
    // A failure costs time only.
    if (n * sizeof(T) >= kPage) madvise(memory, n * sizeof(T), MADV_HUGEPAGE);
    return memory;
  }
  // The same in small pages, of which those that are not used cost nothing.
  T* allocate_small(size_t n) {
    const size_t bytes = n * sizeof(T);
    return static_cast<T*>(::operator new(bytes, std::align_val_t(bytes < kPage ? alignof(T) : kPage)));
  }
  void deallocate(T* memory, size_t n) {
    ::operator delete(memory, std::align_val_t(n * sizeof(T) < kPage ? alignof(T) : kPage));
  }
  bool operator==(const LargePages& /*other*/) const { return true; }

 private:
  static constexpr size_t kPage = size_t{2} << 20;
};

}  // namespace scalediag::loggp
