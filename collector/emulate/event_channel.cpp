#include "collector/emulate/event_channel.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

namespace scalediag::emulate {

Result<EventChannel> EventChannel::open(int ranks, const stream::Demands& demands) {
  EventChannel channel;
  const auto n = static_cast<uint32_t>(ranks);
  channel.bytes_ = stream::memory_bytes(n, stream::kRingBytes);
  channel.fd_ = memfd_create(stream::kMemoryName, MFD_CLOEXEC);
  const bool sized = channel.fd_ >= 0 && ftruncate(channel.fd_, static_cast<off_t>(channel.bytes_)) == 0;
  void* const at =
      sized ? mmap(nullptr, channel.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, channel.fd_, 0) : MAP_FAILED;
  if (at == MAP_FAILED) {
    return Error{
        ErrorCode::kEnvironment,
        "no memory to share with the ranks (" + std::to_string(channel.bytes_ >> 20) + " MiB): " + std::strerror(errno),
        "emulate fewer ranks"};
  }
  channel.memory_ = at;
  auto* const header = new (at) stream::Header;
  header->ranks = n;
  header->reader = static_cast<uint32_t>(getpid());
  if (getrandom(&header->run, sizeof header->run, 0) < 0) header->run = static_cast<uint64_t>(time(nullptr));
  header->demands = demands;
  for (uint32_t r = 0; r < n; ++r) new (&channel.lane(r)) stream::Lane;
  channel.path_ = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(channel.fd_);
  return channel;
}

EventChannel::EventChannel(EventChannel&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_),
      path_(std::move(other.path_)),
      far_(other.far_),
      bell_(other.bell_) {}

EventChannel::~EventChannel() {
  if (memory_ != nullptr) {
    close();
    munmap(memory_, bytes_);
  }
  if (fd_ >= 0) ::close(fd_);
}

const std::vector<uint32_t>& EventChannel::read(
    const std::function<void(uint32_t rank, std::string_view bytes)>& take) {
  told_.clear();
  const uint64_t size = header().ring_bytes;
  for (uint32_t r = 0; r < header().ranks; ++r) {
    stream::Lane& from = lane(r);
    uint64_t done = from.read.load(std::memory_order_relaxed);
    const uint64_t end = from.written.load(std::memory_order_acquire);
    if (done == end) continue;
    const char* const ring = stream::ring_of(memory(), r);
    while (done < end) {
      const uint64_t at = done % size;
      const uint64_t n = std::min(end - done, size - at);
      take(r, {ring + at, n});
      done += n;
    }
    from.read.store(done, std::memory_order_release);
    told_.push_back(r);
  }
  return told_;
}

void EventChannel::wait(double seconds) {
  const uint32_t now = memory().bell.load(std::memory_order_acquire);
  if (now == bell_) {
    const auto ns = static_cast<long>(seconds * 1e9);
    const timespec limit = {ns / 1'000'000'000, ns % 1'000'000'000};
    syscall(SYS_futex, &memory().bell, FUTEX_WAIT, now, &limit, nullptr, 0);
  }
  bell_ = memory().bell.load(std::memory_order_acquire);
}

void EventChannel::ring() {
  memory().bell.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &memory().bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void EventChannel::answer(uint32_t rank, const stream::Answer& answer) {
  stream::Lane& to = lane(rank);
  to.answer = answer;
  to.answered.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &to.answered, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  if (far_ != nullptr) far_->answer(rank, answer);
}

void EventChannel::close() {
  memory().is_over.store(1, std::memory_order_release);
  for (uint32_t r = 0; r < header().ranks; ++r) {
    syscall(SYS_futex, &lane(r).answered, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  if (far_ != nullptr) far_->close();
}

size_t EventChannel::append(uint32_t rank, std::string_view bytes) {
  stream::Lane& to = lane(rank);
  const uint64_t size = header().ring_bytes;
  const uint64_t begin = to.written.load(std::memory_order_relaxed);
  const uint64_t room = size - (begin - to.read.load(std::memory_order_acquire));
  bytes = bytes.substr(0, room);
  const uint64_t at = begin % size;
  const size_t first = std::min<size_t>(bytes.size(), size - at);
  char* const ring = stream::ring_of(memory(), rank);
  std::memcpy(ring + at, bytes.data(), first);
  std::memcpy(ring, bytes.data() + first, bytes.size() - first);
  to.written.store(begin + bytes.size(), std::memory_order_release);
  return bytes.size();
}

bool EventChannel::has_attached(uint32_t rank) const {
  return lane(rank).attached.load(std::memory_order_acquire) != static_cast<uint32_t>(stream::Attached::kNot);
}

stream::Idle EventChannel::idle(uint32_t rank) const {
  return static_cast<stream::Idle>(lane(rank).idle.load(std::memory_order_relaxed));
}

core::EmulatedSleep EventChannel::sleep(uint32_t rank) const {
  const auto seconds = [](const std::atomic<uint64_t>& ns) {
    return static_cast<double>(ns.load(std::memory_order_relaxed)) * 1e-9;
  };
  const stream::Lane& of = lane(rank);
  return {seconds(of.slept_ns), seconds(of.waited_ns), seconds(of.blocked_ns)};
}

Polls EventChannel::polls(uint32_t rank) const {
  const stream::Lane& of = lane(rank);
  return {of.polls.load(std::memory_order_relaxed),
          static_cast<double>(of.untold_ns.load(std::memory_order_relaxed)) * 1e-9,
          of.polled_with.load(std::memory_order_relaxed)};
}

bool EventChannel::has_ended(uint32_t rank) const {
  return lane(rank).attached.load(std::memory_order_acquire) == static_cast<uint32_t>(stream::Attached::kEnded);
}

uint64_t EventChannel::real_order() const {
  uint64_t sum = 0;
  for (uint32_t r = 0; r < ranks(); ++r) sum += lane(r).real_order.load(std::memory_order_relaxed);
  return sum;
}

uint64_t EventChannel::unknown_times() const {
  uint64_t sum = 0;
  for (uint32_t r = 0; r < ranks(); ++r) sum += lane(r).unknown_times.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace scalediag::emulate
