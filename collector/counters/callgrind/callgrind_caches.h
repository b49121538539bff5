// The caches that callgrind simulates: first-level instruction and data, and the last level. Callgrind has no levels
// between them: accesses that these would serve are counted as served by the last one.
#pragma once

#include <string>
#include <vector>

namespace scalediag::counters {

struct CacheGeometry {
  uint64_t size = 0;  // bytes
  uint64_t ways = 0;
  uint64_t line = 0;  // bytes
  bool operator==(const CacheGeometry&) const = default;
};

// The cache nearest in size to `real` that callgrind accepts, which has a power of two of sets and of bytes a line; the
// smaller one where two are as near. Lines and, where possible, ways stay. `real` has a size and a line above 0; ways
// of 0, which sysfs gives where it does not know, are taken as 8.
CacheGeometry nearest_simulated(const CacheGeometry& real);

struct CallgrindCaches {
  std::vector<std::string> options;  // of valgrind: "--I1=32768,8,64", ...; empty: valgrind's own guess is used
  std::string description;           // "I1 32 KiB, D1 32 KiB, last level 32 MiB"
  std::vector<std::string> notes;    // differences from the machine
};

// The caches of CPU 0. `root` is the kernel's folder for it, /sys/devices/system/cpu/cpu0/cache.
CallgrindCaches callgrind_caches(const std::string& root);

}  // namespace scalediag::counters
