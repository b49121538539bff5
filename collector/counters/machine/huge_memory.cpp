#include "collector/counters/machine/huge_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

namespace scalediag::counters {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t round_up(size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

void* map(size_t bytes, int flags) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

bool transparent_pages_are_off() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string text;
  std::getline(file, text);
  return text.find("[never]") != text.npos;
}

// The pool of reserved huge pages. A control group's limit would show as SIGBUS at the first touch, so every page is
// faulted in by a call that returns an error instead.
void* map_reserved(size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  void* memory = map(bytes, MAP_HUGETLB);
  if (memory == nullptr) return nullptr;
  if (madvise(memory, bytes, MADV_POPULATE_WRITE) == 0) return memory;
  munmap(memory, bytes);
#else
  static_cast<void>(bytes);
#endif
  return nullptr;
}

}  // namespace

Result<HugeMemory> HugeMemory::allocate(size_t bytes) {
  HugeMemory memory;
  memory.bytes_ = round_up(bytes);
  if (transparent_pages_are_off()) {
    if (void* reserved = map_reserved(memory.bytes_)) {
      memory.mapping_ = memory.data_ = reserved;
      memory.mapped_bytes_ = memory.bytes_;
      memory.reserved_ = true;
      return memory;
    }
  }
  // One page is added, so that the data can begin at a huge page.
  memory.mapped_bytes_ = memory.bytes_ + kHugePage;
  memory.mapping_ = map(memory.mapped_bytes_, MAP_NORESERVE);
  if (memory.mapping_ == nullptr) {
    return Error{ErrorCode::kEnvironment,
                 "cannot get " + std::to_string(memory.bytes_ >> 20) + " MiB of memory: " + std::strerror(errno),
                 "raise the memory limit (ulimit -v, or the job's or container's)"};
  }
  const auto address = reinterpret_cast<uintptr_t>(memory.mapping_);
  memory.data_ = static_cast<char*>(memory.mapping_) + (round_up(address) - address);
  madvise(memory.data_, memory.bytes_, MADV_HUGEPAGE);  // without it the pages are small, which is_huge() tells
  return memory;
}

HugeMemory::HugeMemory(HugeMemory&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      reserved_(other.reserved_) {}

HugeMemory::~HugeMemory() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_bytes_);
}

bool HugeMemory::is_huge() const {
  if (reserved_) return true;
  std::ifstream maps("/proc/self/smaps");
  const auto address = reinterpret_cast<uintptr_t>(data_);
  bool inside = false;
  unsigned long resident_kib = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0;
    unsigned long to = 0;
    unsigned long kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) {
      if (inside) return false;
      inside = from <= address && address < to;
    } else if (inside && std::sscanf(line.c_str(), "Rss: %lu kB", &kib) == 1) {
      resident_kib = kib;
    } else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %lu kB", &kib) == 1) {
      return kib > 0 && 2 * kib >= resident_kib;
    }
  }
  return false;
}

}  // namespace scalediag::counters
