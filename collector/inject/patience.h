// The time limit for locks.
#pragma once

#include <chrono>

namespace scalediag::inject {

// The end of a wait that begins now. It uses the system's clock, because the thread sanitizer of GCC 12 does not know
// the call that waits on a steady one; if that clock is set meanwhile, a single wait is shorter or longer.
inline std::chrono::system_clock::time_point within(std::chrono::seconds patience) {
  return std::chrono::system_clock::now() + patience;
}

}  // namespace scalediag::inject
