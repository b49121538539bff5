// A thread of the collector inside the application. It is not counted among the application's, and gets none of its
// signals.
#pragma once

#include <pthread.h>

namespace scalediag::inject {

class OwnThread {
 public:
  OwnThread() = default;
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

  // Returns 0 or an errno.
  int start(void* (*work)(void*), void* argument);
  bool runs() const { return runs_; }
  // Waits for its end. False where that has not come within the seconds; true where it was not started.
  bool join(int patience_s);
  // In a child of fork, where it does not exist.
  void forget() { runs_ = false; }

 private:
  pthread_t thread_{};
  bool runs_ = false;
};

}  // namespace scalediag::inject
