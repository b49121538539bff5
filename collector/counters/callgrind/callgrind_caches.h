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

// The caches of CPU 0, the last level with `last_bytes` where that is above 0. `root` is the kernel's folder for it,
// /sys/devices/system/cpu/cpu0/cache.
CallgrindCaches callgrind_caches(const std::string& root, double last_bytes = 0);

// The ranks of a run on one host, and the cores that they use.
struct RanksOnHost {
  int ranks = 1;
  int threads_of_rank = 1;
  int cores = 1;  // of the host
};

// One rank's share of a last level of `bytes`, which `shared_by` cores share, where ranks are spread evenly over such
// levels. Ranks that take turns on a core do not divide it further.
double share_of_last_level(double bytes, int shared_by, const RanksOnHost& ranks);

}  // namespace scalediag::counters
