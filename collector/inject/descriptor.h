// File descriptors out of the application's way.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace scalediag::inject {

// Gives the descriptor a high number, closed on exec: applications expect low numbers for their own descriptors, and
// some close all low ones. Returns -1, and leaves `fd` as it is, where the limit allows no such number.
inline int move_out_of_the_way(int fd) {
  constexpr int kLowest = 200;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kLowest);
  if (high >= 0) close(fd);
  return high;
}

// The file behind a descriptor. An application that closes descriptors that it did not open may give our number to a
// file of its own, which must not be written.
class FileBehind {
 public:
  // Returns 0 or an errno.
  int note(int fd) {
    struct stat s {};
    if (fstat(fd, &s) != 0) return errno;
    device_ = s.st_dev;
    inode_ = s.st_ino;
    return 0;
  }
  bool is_still(int fd) const {
    struct stat s {};
    return fstat(fd, &s) == 0 && s.st_dev == device_ && s.st_ino == inode_;
  }

 private:
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace scalediag::inject
