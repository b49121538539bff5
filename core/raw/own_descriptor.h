// File descriptors that the library inside an application keeps. Applications expect low numbers for their own, and
// some close all that they did not open: the number may then be that of a file of theirs, which is neither to be
// written nor closed. Header only, C++17.
#pragma once

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace scalediag::raw {

// A number for the file that a descriptor leads to; 0: the descriptor is not open. Files without a name share one
// inode: events of perf differ by their own number, and other such files (eventfd, epoll) are not to be kept. errno
// stays as it is.
inline uint64_t identity_of(int fd) {
  const int before = errno;
  struct stat status {};
  uint64_t identity = 0;
  if (fd >= 0 && fstat(fd, &status) == 0) {
    uint64_t event = 0;
    if ((status.st_mode & S_IFMT) == 0 && ioctl(fd, PERF_EVENT_IOC_ID, &event) != 0) event = 0;
    for (const uint64_t part : {uint64_t{status.st_dev}, uint64_t{status.st_ino}, event}) {
      identity = (identity ^ part) * 0x100000001b3u + 1;
    }
    if (identity == 0) identity = 1;
  }
  errno = before;
  return identity;
}

class OwnDescriptor {
 public:
  OwnDescriptor() = default;
  // Takes over `fd`, which may be -1 (none), and gives it a number from 200 on, closed on exec, if the limit of
  // descriptors allows one.
  explicit OwnDescriptor(int fd) : fd_(fd) {
    if (fd < 0) return;
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, kLowest);
    if (high >= 0) {
      ::close(fd);
      fd_ = high;
    }
    identity_ = identity_of(fd_);
    if (fd_ < kNoted) noted(fd_).store(identity_, std::memory_order_release);
  }
  OwnDescriptor(OwnDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), identity_(std::exchange(other.identity_, 0)) {}
  OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
    if (this != &other) close();
    fd_ = std::exchange(other.fd_, -1);
    identity_ = std::exchange(other.identity_, 0);
    return *this;
  }
  ~OwnDescriptor() { close(); }

  // To be asked before each use. -1: there is none, or the application has closed it.
  int get() const { return identity_ != 0 && identity_of(fd_) == identity_ ? fd_ : -1; }
  bool is_kept() const { return fd_ >= 0; }
  bool has_high_number() const { return fd_ >= kLowest; }
  // `again` takes the place of this one, which the application has closed. False: it leads elsewhere.
  bool replace_by(OwnDescriptor again) {
    if (again.identity_ == 0 || again.identity_ != identity_) return false;
    forget_number(again.fd_);
    fd_ = std::exchange(again.fd_, -1);
    again.identity_ = 0;
    return true;
  }
  void close() {
    const int fd = get();
    forget_number(-1);
    if (fd >= 0) ::close(fd);
    fd_ = -1;
    identity_ = 0;
  }

  // Whether the number is that of such a descriptor, which the application cannot mean to close.
  static bool is_own(int fd) {
    const uint64_t identity = fd >= 0 && fd < kNoted ? noted(fd).load(std::memory_order_acquire) : 0;
    return identity != 0 && identity_of(fd) == identity;
  }
  // The lowest such number from `first` to `last`.
  static std::optional<unsigned> lowest_own(unsigned first, unsigned last) {
    for (unsigned fd = first; fd <= last && fd < kNoted; ++fd) {
      if (is_own(static_cast<int>(fd))) return fd;
    }
    return std::nullopt;
  }
  // For a child of fork, which may then close every descriptor.
  static void disown_all() {
    for (int fd = 0; fd < kNoted; ++fd) {
      if (noted(fd).load(std::memory_order_relaxed) != 0) noted(fd).store(0, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr int kLowest = 200, kNoted = 4096;

  // This one's number is no longer ours, unless it is that of `next`, too.
  void forget_number(int next) const {
    uint64_t identity = identity_;
    if (fd_ >= 0 && fd_ < kNoted && fd_ != next) noted(fd_).compare_exchange_strong(identity, 0);
  }

  // By number; the static of a function, so that it is one of the library's.
  static std::atomic<uint64_t>& noted(int fd) {
    static std::array<std::atomic<uint64_t>, kNoted> all;
    return all[static_cast<size_t>(fd)];
  }

  int fd_ = -1;
  uint64_t identity_ = 0;
};

}  // namespace scalediag::raw
