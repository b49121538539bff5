// How long to wait for a lock.
#pragma once

#include <chrono>

namespace scalediag::inject {

// The end of a wait that begins now. On the system's clock, because the thread sanitizer of GCC 12 does not know the
// call that waits on a steady one; where that clock is set, a wait is shorter or longer for once.
inline std::chrono::system_clock::time_point within(std::chrono::seconds patience) {
  return std::chrono::system_clock::now() + patience;
}

}  // namespace scalediag::inject
