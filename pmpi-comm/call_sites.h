// The places in the application that call MPI, and how the application got there.
//
// A site is the return address of a wrapper and those of the functions above it, so that a call that lies in a wrapper
// library can be charged to who called that library. Walking the stack takes some microseconds and is done once for
// each place. After that a call is recognised by its return address and those above it, at the distances from the stack
// pointer at which the walk found them: a few loads, without any table of the program's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/raw/raw_format.h"
#include "pmpi-comm/entry_log.h"
#include "pmpi-comm/stack_walk.h"

namespace scalediag::pmpi {

// The frames of a site: the function that called MPI and two more, in case that it is a wrapper of the application's
// own; more of them where a library wraps MPI.
constexpr uint32_t kUsualFrames = 3;
constexpr uint32_t kMostFrames = 8;

// A site: return addresses, the innermost first. Site numbers begin at 1; 0 is none.
struct CallSite {
  uint32_t n = 0;
  std::unique_ptr<uintptr_t[]> frames;
};

// The sites of the process. Any thread may read those that have been published while others are added.
const EntryLog<CallSite>& call_sites();

// The sites that one thread called from, by what is on its stack. Owner only.
class KnownCallers {
 public:
  KnownCallers();
  ~KnownCallers();

  uint32_t site_of(Caller caller) {
    const Known* known = recent_[place(caller)];
    return __builtin_expect(is_same(*known, caller), 1) ? known->site : find(caller);
  }

 private:
  // A return address at its distance from the caller's stack pointer: frames have the same size at every depth of the
  // stack, unless they hold arrays of varying length, which then are callers of their own.
  struct Level {
    uintptr_t distance;
    uintptr_t value;
  };
  struct Known {
    uintptr_t address = 0;
    uint32_t site = 0;
    uint32_t n = 0;
    Known* next = nullptr;  // of the same hash
    Level levels[kMostFrames - 1] = {};
  };
  static constexpr size_t kRecent = 512;
  static constexpr size_t kBuckets = 1024;
  static constexpr size_t kMostKnown = 8192;
  static size_t hash(uintptr_t value) { return (value * 0x9E3779B97F4A7C15u) >> 40; }
  static size_t place(Caller c) { return hash(c.address ^ c.stack) % kRecent; }
  bool is_same(const Known& known, Caller caller) const {
    if (known.address != caller.address) return false;
    // Another caller's distances could lead beyond the end of the stack.
    if (known.n > 0 && caller.stack + known.levels[known.n - 1].distance >= highest_stack_) return false;
    for (uint32_t i = 0; i < known.n; ++i) {
      if (*reinterpret_cast<const uintptr_t*>(caller.stack + known.levels[i].distance) != known.levels[i].value) {
        return false;
      }
    }
    return true;
  }
  // The distance to the first return address above a caller, which is the size of its frame.
  struct FirstDistance {
    uintptr_t address = 0;
    uintptr_t distance = 0;
  };
  size_t bucket_of(Caller caller) const;
  uint32_t find(Caller caller);
  uint32_t walk(Caller caller);

  static const Known kNobody;          // whom no caller is the same as
  const Known* recent_[kRecent];       // the latest of each place
  std::unique_ptr<Known*[]> buckets_;  // all, as lists, by their first two return addresses
  FirstDistance first_distances_[256];
  size_t n_known_ = 0;
  uintptr_t highest_stack_ = 0;  // of any function that was seen in a walk
};

}  // namespace scalediag::pmpi
