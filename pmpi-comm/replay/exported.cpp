#include "pmpi-comm/replay/exported.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "pmpi-comm/mpi_library.h"

namespace scalediag::pmpi {

void* NextSymbol::get() {
  void* found = found_.load(std::memory_order_relaxed);
  if (found != nullptr) return found;
  found = next_symbol(name_);
  if (found == nullptr) {
    for (const char* part : {"scalediag: the application called ", name_, ", which no library that is loaded has\n"}) {
      if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
    }
    std::abort();
  }
  found_.store(found, std::memory_order_relaxed);
  return found;
}

bool is_profiler(const void* code) {
  struct Range {
    uintptr_t begin = 0, end = 0;
  };
  static const Range profiler = [] {
    Range found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* to) {
          const char* name = info->dlpi_name != nullptr ? std::strrchr(info->dlpi_name, '/') : nullptr;
          if (name == nullptr || std::strcmp(name, "/libscalediag.so") != 0) return 0;
          Range& range = *static_cast<Range*>(to);
          range.begin = info->dlpi_addr;
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            range.end = std::max(range.end, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
          }
          return 1;
        },
        &found);
    return found;
  }();
  const auto at = reinterpret_cast<uintptr_t>(code);
  return at >= profiler.begin && at < profiler.end;
}

}  // namespace scalediag::pmpi
