// When a wait for a lock gives up.
#pragma once

#include <chrono>

namespace scalediag::inject {

// It uses the system's clock, because the thread sanitizer of GCC 12 does not know
// the call that waits on a steady one; if that clock is set meanwhile, a single wait is shorter or longer.
inline std::chrono::system_clock::time_point deadline_after(std::chrono::seconds patience) {
  return std::chrono::system_clock::now() + patience;
}

}  // namespace scalediag::inject
