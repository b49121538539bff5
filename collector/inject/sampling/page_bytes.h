// The size of a page of memory: rings that the kernel fills are as many whole pages and one before them.
#pragma once

#include <unistd.h>

#include <cstddef>

namespace scalediag::inject {

inline size_t page_bytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace scalediag::inject
