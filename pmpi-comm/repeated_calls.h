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

  // The site of the call before, with its calls and visits until then; null where it is not told apart.
  const raw::RepeatedCall* last() const { return last_ != nullptr ? &last_->call : nullptr; }

  // The sites that were called three times or more, at most `most`, those with the longest time between their first and
  // last call. `now` ends what follows the last call. May throw std::bad_alloc.
  std::vector<raw::RepeatedCall> list(uint64_t now, size_t most) const;

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
  void read_cpu(uint64_t now);
  uint64_t cpu_ns_at(uint64_t now) const;

  const double ns_per_tick_;
  const uint64_t ticks_between_cpu_;
  std::unique_ptr<Row[]> rows_;
  std::unique_ptr<uint16_t[]> places_;  // by hash: row + 1, 0 for none
  const uintptr_t origin_;
  size_t n_rows_ = 0;
  Row* last_ = nullptr;
  uintptr_t frame_ = 0, function_ = 0;  // of the call before
  uint64_t visits_ = 0;
  uint64_t end_ = 0;         // of the call before
  uint64_t end_cpu_ns_ = 0;  // CPU time then
  uint64_t cpu_ticks_ = 0;   // when CPU time was read
  uint64_t cpu_ns_ = 0;
};

}  // namespace scalediag::pmpi
