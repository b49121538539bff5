#include "collector/inject/writing/raw_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <ctime>
#include <vector>

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
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  const int e = begin(fd, path, rank, magic, version);
  if (e != 0) unlink(path.c_str());
  return e;
}

int RawWriter::create_nowhere(uint32_t rank) {
  constexpr char kNowhere[] = "/dev/null";
  const int fd = ::open(kNowhere, O_WRONLY | O_CLOEXEC);
  return fd < 0 ? errno : begin(fd, kNowhere, rank, raw::kMagic, raw::kVersion);
}

int RawWriter::begin(int fd, const std::string& path, uint32_t rank, const char* magic, uint32_t version) {
  file_ = raw::OwnDescriptor(fd);
  path_ = path;
  rank_ = rank;
  raw::Prelude p{};
  std::memcpy(p.magic, magic, sizeof p.magic);
  p.version = version;
  p.byte_order = raw::kByteOrder;
  if (!write_all(reinterpret_cast<const char*>(&p), sizeof p)) {
    const int e = errno;
    file_.close();
    return e;
  }
  end_ = sizeof p;
  return 0;
}

int RawWriter::descriptor() {
  if (const int fd = file_.get(); fd >= 0 || !file_.is_kept()) return fd;
  const int again = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (again < 0) return -1;
  if (file_.replace_by(raw::OwnDescriptor(again))) return file_.get();
  errno = ESTALE;
  return -1;
}

bool RawWriter::append(raw::ChunkKind kind, const raw::Encoder& payload) {
  if (!usable()) return false;
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
  const int fd = descriptor();
  if (fd < 0) return;
  // A chunk that was written in part is removed; the prelude's block exists, so it can be rewritten on a full disk.
  if (ftruncate(fd, static_cast<off_t>(end_)) != 0) return;
  const WithoutFileSizeSignal no_signal;
  const uint32_t words[2] = {static_cast<uint32_t>(reason), static_cast<uint32_t>(error_number)};
  if (pwrite(fd, words, sizeof words, offsetof(raw::Prelude, stop_reason)) != sizeof words) return;
}

bool RawWriter::write_all(const char* data, size_t bytes) {
  const int fd = descriptor();
  if (fd < 0) return false;
  const WithoutFileSizeSignal no_signal;
  for (uint64_t at = end_; bytes > 0;) {
    const ssize_t n = pwrite(fd, data, bytes, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = ENOSPC;
      return false;
    }
    data += n;
    at += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

}  // namespace scalediag::inject
