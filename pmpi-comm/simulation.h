// Leaving MPI out of what valgrind's callgrind counts, in the pass that simulates counters.
//
// There nothing is recorded: `recording` stays false, so that the wrappers' usual way costs nothing for this. Outside
// valgrind `simulating` is false for ever.
#pragma once

#include <atomic>

namespace scalediag::pmpi {

// True from the end of MPI_Init to the start of MPI_Finalize in a rank whose counters are simulated.
extern std::atomic<bool> simulating;

// How many of these the calling thread is in.
extern __thread int uncounted_depth __attribute__((tls_model("initial-exec")));

void toggle_counting();

// What the calling thread does while it lives is not counted. callgrind's request flips a switch, so only the outermost
// one acts; a destructor flips it back, because an error handler may leave MPI by an exception.
class Uncounted {
 public:
  Uncounted() : entered_(simulating.load(std::memory_order_relaxed)) {
    if (entered_ && uncounted_depth++ == 0) toggle_counting();
  }
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
  ~Uncounted() {
    // After the simulation has ended the request might reach the switch of another thread.
    if (entered_ && --uncounted_depth == 0 && simulating.load(std::memory_order_relaxed)) toggle_counting();
  }

 private:
  const bool entered_;
};

}  // namespace scalediag::pmpi
