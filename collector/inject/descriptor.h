// File descriptors out of the application's way.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace scalediag::inject {

// Gives the descriptor a high number, closed on exec: applications expect low numbers for their own descriptors, and
// some close all low ones. Returns -1, and leaves `fd` as it is, where the limit allows no such number.
inline int move_out_of_the_way(int fd) {
  constexpr int kLowest = 200;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kLowest);
  if (high >= 0) close(fd);
  return high;
}

}  // namespace scalediag::inject
