// The exclusion of MPI from the counts of valgrind's callgrind, in the pass that counts under it.
//
// In that pass nothing is recorded but, where it was asked for, the events with their instructions: `recording` stays
// false, so that the wrappers' usual path has no cost for this.
// Outside valgrind `callgrind_counts` is always false.
#pragma once

#include <atomic>
#include <cstdint>

#include "pmpi-comm/stack_walk.h"

namespace scalediag::pmpi {

// True from the end of MPI_Init to the start of MPI_Finalize in a rank that callgrind counts.
extern std::atomic<bool> callgrind_counts;

// The number of Uncounted objects of the calling thread.
extern __thread int uncounted_depth __attribute__((tls_model("initial-exec")));

void toggle_counting();

// Sees the calls of MPI of one thread that are no polls, as soon as they have returned.
class CallWatcher {
 public:
  virtual ~CallWatcher() = default;
  virtual void called(uint32_t routine, Caller caller) = 0;
};
// Of the calling thread; usually null.
extern __thread CallWatcher* call_watcher __attribute__((tls_model("initial-exec")));

// The calling thread is not counted during the lifetime of this object. callgrind's request flips a switch, so that
// only the outermost object acts; a destructor flips it back, because an error handler may leave MPI by an exception.
class Uncounted {
 public:
  Uncounted() : entered_(callgrind_counts.load(std::memory_order_relaxed)) {
    if (entered_ && uncounted_depth++ == 0) toggle_counting();
  }
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
  // Whether no other one of the thread's was there before.
  bool is_outermost() const { return entered_ && uncounted_depth == 1; }
  ~Uncounted() {
    // After counting has ended the request might reach the switch of another thread.
    if (entered_ && --uncounted_depth == 0 && callgrind_counts.load(std::memory_order_relaxed)) toggle_counting();
  }

 private:
  const bool entered_;
};

}  // namespace scalediag::pmpi
