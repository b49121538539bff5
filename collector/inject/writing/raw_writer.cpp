#include "collector/inject/writing/raw_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <ctime>
#include <vector>

#include "collector/inject/descriptor.h"

namespace scalediag::inject {
namespace {

// Prevents SIGXFSZ. A write beyond RLIMIT_FSIZE, which a program may have set for files of its own, fails with EFBIG,
// as one on a full disk fails with ENOSPC; but it also raises SIGXFSZ in the thread that writes, which ends a program.
// During the lifetime of this object the signal is blocked, and it is removed before the thread can get it. The
// program's handler, its mask and a signal that was pending before are unchanged.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
  }
  ~WithoutFileSizeSignal() {
    const int error = errno;
    const timespec at_once{};
    if (error == EFBIG && !was_pending_) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace

int RawWriter::create(const std::string& path, uint32_t rank, const char* magic, uint32_t version) {
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd_ < 0) return errno;
  const int e = begin(rank, magic, version);
  if (e != 0) unlink(path.c_str());
  return e;
}

int RawWriter::create_nowhere(uint32_t rank) {
  fd_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  return fd_ < 0 ? errno : begin(rank, raw::kMagic, raw::kVersion);
}

int RawWriter::begin(uint32_t rank, const char* magic, uint32_t version) {
  if (const int high = move_out_of_the_way(fd_); high >= 0) fd_ = high;
  rank_ = rank;
  raw::Prelude p{};
  std::memcpy(p.magic, magic, sizeof p.magic);
  p.version = version;
  p.byte_order = raw::kByteOrder;
  if (file_.note(fd_) != 0 || !write_all(reinterpret_cast<const char*>(&p), sizeof p)) {
    const int e = errno;
    close(fd_);
    fd_ = -1;
    return e;
  }
  end_ = sizeof p;
  return 0;
}

bool RawWriter::append(raw::ChunkKind kind, const raw::Encoder& payload) {
  if (!usable()) return false;
  if (!file_.is_still(fd_)) {
    stop(raw::StopReason::kWriteFailed, EBADF);
    return false;
  }
  raw::ChunkHeader h{};
  h.kind = static_cast<uint32_t>(kind);
  h.payload_bytes = static_cast<uint32_t>(payload.size());
  h.rank = rank_;
  h.crc32 = raw::chunk_crc(h, payload.data(), payload.size());
  std::vector<char> chunk(sizeof h + raw::padded(h.payload_bytes), 0);
  std::memcpy(chunk.data(), &h, sizeof h);
  std::memcpy(chunk.data() + sizeof h, payload.data(), payload.size());
  if (!write_all(chunk.data(), chunk.size())) {
    stop(raw::StopReason::kWriteFailed, errno);
    return false;
  }
  end_ += chunk.size();
  ++chunks_;
  crc_ = raw::crc32(&h.crc32, sizeof h.crc32, crc_);
  return true;
}

bool RawWriter::append_footer(uint64_t samples, uint64_t lost_samples) {
  return append(raw::ChunkKind::kFooter, raw::Footer{samples, lost_samples, chunks_, crc_});
}

void RawWriter::stop(raw::StopReason reason, int error_number) {
  if (stop_reason_ != raw::StopReason::kNone) return;
  stop_reason_ = reason;
  if (fd_ < 0 || !file_.is_still(fd_)) return;
  // A chunk that was written in part is removed; the prelude's block exists, so it can be rewritten on a full disk.
  if (ftruncate(fd_, static_cast<off_t>(end_)) != 0) return;
  const WithoutFileSizeSignal no_signal;
  const uint32_t words[2] = {static_cast<uint32_t>(reason), static_cast<uint32_t>(error_number)};
  if (pwrite(fd_, words, sizeof words, offsetof(raw::Prelude, stop_reason)) != sizeof words) return;
}

bool RawWriter::write_all(const char* data, size_t bytes) {
  const WithoutFileSizeSignal no_signal;
  while (bytes > 0) {
    const ssize_t n = write(fd_, data, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = ENOSPC;
      return false;
    }
    data += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

}  // namespace scalediag::inject
