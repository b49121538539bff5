// The calls of MPI that repeat, and from when to when: what the main loop of a program is found by.
//
// A row a call site, which is a return address and a place on the stack: how often it was called, and what the clocks
// said before its first and after its last call. The loop that a site lies in begins where the call before the site's
// first one ended, and ends where the call after its last one begins. Nothing grows with the number of calls.
//
// Several calls from one function in a row are one visit: a function that sends to all neighbours is visited once an
// iteration, however many neighbours there are. A function is known by where it begins, which unwind tables say, or
// else by its frame on the stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/raw/raw_records.h"

namespace scalediag::pmpi {

// The call site by whose calls the rounds of a loop are counted, of the thread that the RepeatedCalls belong to.
struct RoundSite {
  uint32_t operation = 0;
  uintptr_t address = 0;   // to which the call returns
  uint64_t depth = 0;      // as raw::RepeatedCall has it, give or take kNearDepth; 0: any
  bool is_visited = true;  // rounds are its visits, not its calls
};
constexpr uint64_t kNearDepth = 96;

class RepeatedCalls {
 public:
  // The most sites that are told apart.
  static constexpr size_t kMostSites = 1 << 10;

  // `ns_per_tick` is that of the time-stamp counter. May throw std::bad_alloc; nothing else here throws.
  // `origin` is a place on the thread's stack that all ranks have, from which depths are counted.
  RepeatedCalls(double ns_per_tick, uintptr_t origin);

  // All are called by the thread that the object belongs to. `begin` and `end` are ticks.
  void enter(uint64_t begin) {
    if (begin - cpu_ticks_ > ticks_between_cpu_) read_cpu(begin);
  }
  // `frame` is the caller's place on the stack, `mpi_ticks` what was spent inside MPI before the call. Calls that only
  // look whether something is complete are no part of a loop's structure and are not to be given.
  void leave(uint32_t operation, uintptr_t address, uintptr_t frame, uint64_t begin, uint64_t end, uint64_t mpi_ticks);

  // Rounds are counted by this site from here on.
  void watch(const RoundSite& site) {
    watched_ = site;
    is_watching_ = true;
  }
  bool is_watching() const { return is_watching_; }
  // The number of the round that begins with this call, which is about to be made, from 1 on; 0: none begins.
  uint64_t round_begun_by(uint32_t operation, uintptr_t address, uintptr_t frame);

  // The sites that were called `fewest` times or more, at most `most`, those with the longest time between their first
  // and last call. `now` ends what follows the last call. May throw std::bad_alloc.
  std::vector<raw::RepeatedCall> list(uint64_t now, size_t most, uint64_t fewest = kFewestCalls) const;
  static constexpr uint64_t kFewestCalls = 3;

 private:
  // Times between calls. Square roots are summed, so that one long time among many does not decide.
  struct Gaps {
    double sum = 0, roots = 0;
    void add(uint64_t ticks) {
      sum += static_cast<double>(ticks);
      roots += static_cast<double>(__builtin_sqrtf(static_cast<float>(ticks)));
    }
    uint64_t evenness(uint64_t n) const;  // in millionths
  };
  struct Row {
    uintptr_t frame = 0;
    uintptr_t function = 0;  // where it begins; 0: not known
    uint64_t visit = 0;
    uint64_t visit_begin = 0, last_begin = 0;
    Gaps between_calls, between_visits;
    raw::RepeatedCall call;
  };
  Row* row_of(uint32_t operation, uintptr_t address, uintptr_t frame);
  uint64_t depth_of(uintptr_t frame) const;
  // Whether a call from there is not from the function of the call before.
  bool begins_visit(uintptr_t function, uintptr_t frame) const {
    return function != function_ || (function == 0 && frame != frame_);
  }
  void read_cpu(uint64_t now);
  uint64_t cpu_ns_at(uint64_t now) const;

  const double ns_per_tick_;
  const uint64_t ticks_between_cpu_;
  std::unique_ptr<Row[]> rows_;
  std::unique_ptr<uint16_t[]> places_;  // by hash: row + 1, 0 for none
  const uintptr_t origin_;
  size_t n_rows_ = 0;
  RoundSite watched_;
  bool is_watching_ = false;
  uint64_t rounds_ = 0;  // that began at the watched site
  Row* last_ = nullptr;
  uintptr_t frame_ = 0, function_ = 0;  // of the call before
  uint64_t visits_ = 0;
  uint64_t end_ = 0;         // of the call before
  uint64_t end_cpu_ns_ = 0;  // CPU time then
  uint64_t cpu_ticks_ = 0;   // when CPU time was read
  uint64_t cpu_ns_ = 0;
};

}  // namespace scalediag::pmpi
