#include "pmpi-comm/virtual_clock/event_stream.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "pmpi-comm/ticks.h"

namespace scalediag::pmpi {
namespace {

constexpr int kWaitsUntilLook = 100;  // between looks whether the reader still runs
constexpr long kWait_ns = 1'000'000;

}  // namespace

// Returns why there is no memory of an emulation, or null. On another host the path may be that of any other file,
// which is not to be opened.
const char* EventStream::map(const std::string& path) {
  char target[64] = "";
  if (readlink(path.c_str(), target, sizeof target - 1) < 0) return std::strerror(errno);
  if (std::string(target).find(stream::kMemoryName) == std::string::npos) return "it is another file";
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return std::strerror(errno);
  struct stat status {};
  const bool known = fstat(fd, &status) == 0;
  bytes_ = known ? static_cast<size_t>(status.st_size) : 0;
  void* const at =
      bytes_ < sizeof(stream::Header) ? MAP_FAILED : mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at == MAP_FAILED) return "it cannot be mapped";
  memory_ = at;
  header_ = static_cast<stream::Header*>(memory_);
  return nullptr;
}

EventStream::~EventStream() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

std::string EventStream::open(const std::string& address, uint32_t rank, uint32_t size, bool& is_out_of_reach) {
  const size_t colon = address.find(':');
  const uint64_t run = colon == address.npos ? 0 : std::strtoull(address.c_str() + colon + 1, nullptr, 10);
  const char* why = map(address.substr(0, colon));
  is_out_of_reach = why != nullptr;
  if (is_out_of_reach) return why;
  if (header_->magic != stream::kMagic || header_->version != stream::kVersion) return stream::kOtherVersionText;
  is_out_of_reach = header_->run != run;
  if (is_out_of_reach) return "it is that of another emulation";
  if (size != header_->ranks || rank >= size) {
    return "MPI_COMM_WORLD has " + std::to_string(size) + " ranks, not " + std::to_string(header_->ranks);
  }
  use(*header_, rank);
  return stream::attach(*lane_) ? "" : "there are two processes of rank " + std::to_string(rank);
}

void EventStream::use(stream::Header& memory, uint32_t rank) {
  header_ = &memory;
  lane_ = stream::lane_of(memory, rank);
  ring_ = stream::ring_of(memory, rank);
}

void EventStream::tell_through(stream::Header& memory, Relay& relay) {
  relay_ = &relay;
  use(memory, 0);
  stream::attach(*lane_);
}

void EventStream::end() {
  lane_->attached.store(static_cast<uint32_t>(stream::Attached::kEnded), std::memory_order_release);
  ring_bell();
  if (relay_ != nullptr) relay_->finish();
}

void EventStream::ring_bell() {
  header_->bell.fetch_add(1, std::memory_order_release);
  if (relay_ != nullptr) return relay_->ring();
  syscall(SYS_futex, &header_->bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// System calls are made directly: sleeping is interposed, as what the application does.
bool EventStream::is_read(int waits) const {
  if (header_->is_over.load(std::memory_order_acquire) != 0) return false;
  return waits % kWaitsUntilLook != 0 || syscall(SYS_kill, header_->reader, 0) == 0 || errno != ESRCH;
}

// The reader comes by itself from time to time, and is called when half of the ring is full.
void EventStream::look_at_reader() {
  read_ = lane_->read.load(std::memory_order_acquire);
  if (written_ - read_ >= header_->ring_bytes / 2) ring_bell();
  look_at_ = written_ + header_->ring_bytes / 4;
}

// False: nobody reads.
bool EventStream::wait_for_room() {
  for (int i = 1; is_read(i); ++i) {
    read_ = lane_->read.load(std::memory_order_acquire);
    if (read_ + header_->ring_bytes > written_) return true;
    ring_bell();
    const timespec pause = {0, kWait_ns / 10};
    syscall(SYS_nanosleep, &pause, nullptr);
  }
  return false;
}

bool EventStream::ask(const std::string& question, stream::Answer& answer) {
  const uint32_t before = asked_++;
  if (!write(static_cast<trace::ChunkKind>(stream::kQuestion), question)) return false;
  ring_bell();
  for (int i = 1; is_read(i); ++i) {
    if (lane_->answered.load(std::memory_order_acquire) != before) {
      answer = lane_->answer;
      return true;
    }
    const timespec limit = {0, kWait_ns * 10};
    syscall(SYS_futex, &lane_->answered, FUTEX_WAIT, before, &limit, nullptr, 0);
  }
  return false;
}

bool EventStream::append(const char* bytes, size_t n) {
  if (broken_ || ring_ == nullptr) return false;
  while (n > 0) {
    if (written_ >= look_at_) look_at_reader();
    const uint64_t used = written_ - read_;
    const uint64_t at = written_ % header_->ring_bytes;
    const size_t part = std::min({n, header_->ring_bytes - used, header_->ring_bytes - at});
    if (part == 0) {
      const uint64_t begin_ns = monotonic_ns();
      broken_ = !wait_for_room();
      stalled_ns_ += monotonic_ns() - begin_ns;
      if (broken_) return false;
      continue;
    }
    std::memcpy(ring_ + at, bytes, part);
    written_ += part;
    bytes += part;
    n -= part;
    lane_->written.store(written_, std::memory_order_release);
  }
  return true;
}

bool EventStream::event(uint32_t definition, uint64_t before_ns) {
  char record[20];
  size_t n = 0;
  for (uint64_t v : {2 * static_cast<uint64_t>(definition), before_ns}) {
    for (; v >= 0x80; v >>= 7) record[n++] = static_cast<char>(v | 0x80);
    record[n++] = static_cast<char>(v);
  }
  return append(record, n);
}

bool EventStream::write(trace::ChunkKind kind, const std::string& payload) {
  std::string record;
  trace::put(record, 2 * static_cast<uint64_t>(kind) + 1);
  trace::put(record, payload.size());
  record += payload;
  return append(record.data(), record.size());
}

}  // namespace scalediag::pmpi
