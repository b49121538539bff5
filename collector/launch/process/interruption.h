// Ctrl-C, Ctrl-\, SIGTERM and SIGHUP during runs: the run is ended and marked, and the folder stays resumable.
#pragma once

namespace scalediag::launch {

// During its lifetime these signals are recorded instead of ending this program, and SIGPIPE is ignored, so that a
// reader of our output that ends does not end a measurement. Objects may lie within one another, last made, first gone:
// a signal that came during an inner one is one of the outer, too.
class InterruptionGuard {
 public:
  InterruptionGuard();
  ~InterruptionGuard();
  InterruptionGuard(const InterruptionGuard&) = delete;
  InterruptionGuard& operator=(const InterruptionGuard&) = delete;

  // The first signal that came, 0 if none.
  int signal() const;
  // Becomes readable when a signal comes; for poll(2).
  int fd() const { return read_end_; }

  // The first signal that came during the latest object, which may be gone; 0: none, or there was no object.
  static int latest_signal();

  // Gives a forked child the dispositions that this program was started with.
  static void restore_in_child();

 private:
  const bool is_inner_;
  int read_end_ = -1;
  int write_end_ = -1;
  int outer_wake_fd_ = -1;
};

}  // namespace scalediag::launch
