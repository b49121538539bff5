// The places in the application that call MPI, and how the application got there.
//
// A site is the return address of a wrapper and those of the functions above it, so that a call that lies in a wrapper
// library can be charged to who called that library. Walking the stack takes some microseconds and is done once for
// each place. After that a call is recognised by its return address, its stack pointer and the return addresses above
// it, at the places on the stack at which the walk found them: a few loads, without any table of the program's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/raw/raw_format.h"
#include "pmpi-comm/entry_log.h"

namespace scalediag::pmpi {

// Of a wrapper's caller: the address to which the wrapper returns, and the stack pointer before the call.
struct Caller {
  uintptr_t address = 0;
  uintptr_t stack = 0;
};

// To be used in the exported function itself.
#define SCALEDIAG_CALLER                                                   \
  ::scalediag::pmpi::Caller {                                              \
    reinterpret_cast<uintptr_t>(__builtin_return_address(0)),              \
        reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa())                 \
  }

constexpr uint32_t kUsualFrames = 8;   // of a site
constexpr uint32_t kMostFrames = 64;   // where call paths are asked for

// A site: return addresses, the innermost first. Site numbers begin at 1; 0 is none.
struct CallSite {
  uint32_t n = 0;
  std::unique_ptr<uintptr_t[]> frames;
};

// The sites of the process. Any thread may read those that have been published while others are added.
const EntryLog<CallSite>& call_sites();
// The number of frames of the sites that are found from now on.
void set_frames_of_sites(uint32_t frames);

// The sites that one thread called from, by its stack. Owner only.
class KnownCallers {
 public:
  KnownCallers();
  ~KnownCallers();

  uint32_t site_of(Caller caller) {
    const Known* known = recent_ != nullptr ? recent_[place(caller)] : nullptr;
    if (known != nullptr && is_same(*known, caller)) return known->site;
    return find(caller);
  }

 private:
  struct Level {
    const uintptr_t* slot;
    uintptr_t value;
  };
  struct Known {
    Caller caller;
    uint32_t site = 0;
    uint32_t n = 0;
    std::unique_ptr<Level[]> levels;
    Known* next = nullptr;  // of the same hash
  };
  static constexpr size_t kRecent = 256;
  static constexpr size_t kMostKnown = 8192;
  static size_t hash(Caller c) { return ((c.address ^ (c.stack << 20)) * 0x9E3779B97F4A7C15u) >> 40; }
  static size_t place(Caller c) { return hash(c) % kRecent; }
  static bool is_same(const Known& known, Caller caller) {
    if (known.caller.address != caller.address || known.caller.stack != caller.stack) return false;
    for (uint32_t i = 0; i < known.n; ++i) {
      if (*known.levels[i].slot != known.levels[i].value) return false;
    }
    return true;
  }
  uint32_t find(Caller caller);
  uint32_t walk(Caller caller);

  std::unique_ptr<Known*[]> recent_;   // the latest of each place
  std::unique_ptr<Known*[]> buckets_;  // all, as lists
  size_t n_known_ = 0;
};

}  // namespace scalediag::pmpi
