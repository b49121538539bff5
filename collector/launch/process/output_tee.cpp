#include "collector/launch/process/output_tee.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/atomic_file.h"

namespace scalediag::launch {
namespace {

void close_and_forget(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// Writes all of it; returns 0 or the errno that stopped it.
int write_all(int fd, const char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = write(fd, data, bytes);
    if (n >= 0) {
      data += n;
      bytes -= static_cast<size_t>(n);
    } else if (errno == EAGAIN) {  // the terminal or pipe may be non-blocking
      pollfd ready{fd, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

Result<OutputTee> OutputTee::open(const std::string& log_path, int target_fd) {
  OutputTee tee;
  tee.log_path_ = log_path;
  tee.target_fd_ = target_fd;
  tee.log_fd_ = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int ends[2];
  if (tee.log_fd_ < 0 || pipe2(ends, O_CLOEXEC) != 0) return core::write_error(log_path, errno);
  tee.read_end_ = ends[0];
  tee.write_end_ = ends[1];
  fcntl(tee.read_end_, F_SETFL, O_NONBLOCK);
  return tee;
}

OutputTee::OutputTee(OutputTee&& other) noexcept
    : log_path_(std::move(other.log_path_)),
      log_error_(std::move(other.log_error_)),
      target_error_(other.target_error_),
      log_fd_(std::exchange(other.log_fd_, -1)),
      target_fd_(std::exchange(other.target_fd_, -1)),
      read_end_(std::exchange(other.read_end_, -1)),
      write_end_(std::exchange(other.write_end_, -1)),
      line_ended_(other.line_ended_) {}

OutputTee::~OutputTee() {
  close_and_forget(log_fd_);
  close_and_forget(read_end_);
  close_and_forget(write_end_);
}

void OutputTee::close_write_end() { close_and_forget(write_end_); }

size_t OutputTee::transfer() {
  char buffer[65536];
  const ssize_t n = read(read_end_, buffer, sizeof buffer);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (n <= 0) {
    close_and_forget(read_end_);
    return 0;
  }
  const auto bytes = static_cast<size_t>(n);
  line_ended_ = buffer[bytes - 1] == '\n';
  // A reader that ended (`| head`) must not end the measurement; the log stays whole.
  if (target_fd_ >= 0) {
    if (const int failed = write_all(target_fd_, buffer, bytes); failed != 0) {
      target_fd_ = -1;
      target_error_ = failed == EPIPE ? 0 : failed;
    }
  }
  if (log_error_.empty()) {
    if (const int failed = write_all(log_fd_, buffer, bytes); failed != 0) {
      log_error_ = log_path_ + " could not be written: " + std::strerror(failed);
    }
  }
  return bytes;
}

}  // namespace scalediag::launch
