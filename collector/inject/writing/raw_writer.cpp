#include "collector/inject/writing/raw_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <memory>
#include <new>
#include <vector>

#include "core/raw/node_format.h"

namespace scalediag::inject {
namespace {

constexpr int kAppending = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;

// A number that no other stream of the node's file has.
uint64_t new_stream() {
  uint64_t number = 0;
  if (syscall(SYS_getrandom, &number, sizeof number, 0) == static_cast<long>(sizeof number)) return number;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(getpid()) << 40 ^ static_cast<uint64_t>(now.tv_sec) << 30 ^
         static_cast<uint64_t>(now.tv_nsec);
}

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

int RawWriter::create_in_node(const std::string& path, const std::string& scratch, uint32_t rank, const char* magic,
                              uint32_t version) {
  node_path_ = path;
  stream_ = new_stream();
  if (!scratch.empty()) {
    place_ = Place::kScratch;
    // A rank that was killed leaves its file there, and numbers of processes are used again.
    char own[32];
    std::snprintf(own, sizeof own, ".%016llx", static_cast<unsigned long long>(stream_));
    return create(scratch + own, rank, magic, version);
  }
  place_ = Place::kNode;
  const int fd = ::open(path.c_str(), kAppending, 0644);
  return fd < 0 ? errno : begin(fd, path, rank, magic, version);
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
  const int again =
      ::open(path_.c_str(), place_ == Place::kNode ? O_WRONLY | O_APPEND | O_CLOEXEC : O_WRONLY | O_CLOEXEC);
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
  if (payload.size() > 0) std::memcpy(chunk.data() + sizeof h, payload.data(), payload.size());
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
  if (prelude_at_ != 0) mark_stopped(reason, error_number);
  if (place_ == Place::kNode) return;
  const int fd = descriptor();
  if (fd < 0) return;
  // A chunk that was written in part is removed; the prelude's block exists, so it can be rewritten on a full disk.
  if (ftruncate(fd, static_cast<off_t>(end_)) != 0) return;
  const WithoutFileSizeSignal no_signal;
  const uint32_t words[2] = {static_cast<uint32_t>(reason), static_cast<uint32_t>(error_number)};
  if (pwrite(fd, words, sizeof words, offsetof(raw::Prelude, stop_reason)) != sizeof words) return;
}

void RawWriter::mark_stopped(raw::StopReason reason, int error_number) const {
  // Not by the descriptor that appends, since it would put this at the end, too.
  const raw::OwnDescriptor node(::open(node_path_.c_str(), O_RDWR | O_CLOEXEC));
  if (!node.is_kept()) return;
  const WithoutFileSizeSignal no_signal;
  raw::SegmentHeader header{};
  const auto at = static_cast<off_t>(prelude_at_ - sizeof header);
  if (pread(node.get(), &header, sizeof header, at) != sizeof header || header.stream != stream_) return;
  const uint32_t words[2] = {static_cast<uint32_t>(reason), static_cast<uint32_t>(error_number)};
  const auto place = static_cast<off_t>(prelude_at_ + offsetof(raw::Prelude, stop_reason));
  if (pwrite(node.get(), words, sizeof words, place) != sizeof words) return;
}

int RawWriter::append_segment(uint64_t offset, const char* data, size_t bytes) {
  const raw::OwnDescriptor opened(place_ == Place::kNode ? -1 : ::open(node_path_.c_str(), kAppending, 0644));
  const int fd = place_ == Place::kNode ? descriptor() : opened.get();
  if (fd < 0) return errno;
  raw::SegmentHeader header = raw::segment_header(stream_, offset, bytes, rank_);
  const iovec parts[2] = {{&header, sizeof header}, {const_cast<char*>(data), bytes}};
  const WithoutFileSizeSignal no_signal;
  ssize_t n = 0;
  do {
    n = writev(fd, parts, 2);
  } while (n < 0 && errno == EINTR);
  if (n < 0) return errno;
  const off_t end = lseek(fd, 0, SEEK_CUR);  // of what was appended
  const uint64_t begin = static_cast<uint64_t>(end) - static_cast<uint64_t>(n);
  if (static_cast<size_t>(n) == sizeof header + bytes) {
    if (offset == 0) prelude_at_ = begin + sizeof header;
    return 0;
  }
  // Others may append behind a part. Its header then says what there is.
  const raw::OwnDescriptor again(::open(node_path_.c_str(), O_WRONLY | O_CLOEXEC));
  if (static_cast<size_t>(n) >= sizeof header && again.is_kept()) {
    header = raw::segment_header(stream_, offset, static_cast<size_t>(n) - sizeof header, rank_);
    if (pwrite(again.get(), &header, sizeof header, static_cast<off_t>(begin)) != sizeof header) return ENOSPC;
  }
  return ENOSPC;
}

void RawWriter::publish(bool is_last) {
  if (place_ != Place::kScratch || !file_.is_kept()) return;
  constexpr uint64_t kMost = 4 << 20;  // bytes of a segment
  const raw::OwnDescriptor scratch(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  const std::unique_ptr<char[]> data(new (std::nothrow) char[kMost]);
  int error = scratch.is_kept() ? 0 : errno;
  if (data == nullptr) error = ENOMEM;
  while (error == 0 && published_ < end_) {
    const auto bytes = static_cast<size_t>(std::min(end_ - published_, kMost));
    const ssize_t n = pread(scratch.get(), data.get(), bytes, static_cast<off_t>(published_));
    if (n < 0 && errno == EINTR) continue;
    error = n > 0 ? append_segment(published_, data.get(), static_cast<size_t>(n)) : EIO;
    if (error == 0) published_ += static_cast<uint64_t>(n);
  }
  if (error != 0) return stop(raw::StopReason::kWriteFailed, error);
  if (!is_last) return;
  ::unlink(path_.c_str());
  file_.close();
}

bool RawWriter::write_all(const char* data, size_t bytes) {
  if (place_ == Place::kNode) {
    const int e = append_segment(end_, data, bytes);
    if (e != 0) errno = e;
    return e == 0;
  }
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
