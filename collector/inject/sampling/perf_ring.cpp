#include "collector/inject/sampling/perf_ring.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "collector/inject/sampling/page_bytes.h"
#include "collector/inject/sampling/perf_registers.h"

namespace scalediag::inject {
namespace {

constexpr size_t kLargestRing = 64 * 1024;

int open_event(pid_t tid, uint64_t period_ns, bool exclude_kernel) {
  perf_event_attr a;
  std::memset(&a, 0, sizeof a);
  a.size = sizeof a;
  a.type = PERF_TYPE_SOFTWARE;
  a.config = PERF_COUNT_SW_CPU_CLOCK;
  a.sample_period = period_ns;
  // The user-mode instruction pointer is in the application's function even when the sample fell into a system call or
  // a page fault.
  a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_REGS_USER;
  a.sample_regs_user = 1ULL << kInstructionPointerRegister;
  a.disabled = 1;
  a.exclude_kernel = exclude_kernel;
  a.exclude_hv = 1;
  a.exclude_guest = 1;
  // The ring is polled; no reader is to be woken.
  a.watermark = 1;
  a.wakeup_watermark = 0x7fffffff;
  return static_cast<int>(syscall(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

int PerfRing::open(pid_t tid, uint64_t period_ns) {
  sees_kernel_ = true;
  int fd = open_event(tid, period_ns, false);
  if (fd < 0 && (errno == EACCES || errno == EPERM)) {
    sees_kernel_ = false;
    fd = open_event(tid, period_ns, true);
  }
  if (fd < 0) return errno;
  // Locked memory may be scarce: a smaller ring is read more often.
  void* p = MAP_FAILED;
  size_t ring = std::max(kLargestRing, page_bytes());
  for (;; ring /= 2) {
    p = mmap(nullptr, page_bytes() + ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED || (errno != EPERM && errno != ENOMEM) || ring == page_bytes()) break;
  }
  if (p == MAP_FAILED) {
    const int e = errno;
    ::close(fd);
    return e;
  }
  page_ = static_cast<perf_event_mmap_page*>(p);
  data_ = static_cast<const char*>(p) + page_bytes();
  ring_bytes_ = ring;
  tail_ = 0;
  const int failed = ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0 ? errno : 0;
  // The mapping keeps the event alive; a low descriptor would shift the numbers the application gets.
  event_ = raw::OwnDescriptor(fd);
  if (!event_.has_high_number()) event_.close();
  if (failed != 0) close();
  return failed;
}

void PerfRing::close() {
  if (page_ == nullptr) return;
  munmap(page_, page_bytes() + ring_bytes_);
  page_ = nullptr;
  event_.close();
}

bool PerfRing::control(unsigned long request) {
  const int fd = event_.get();
  return fd >= 0 && ioctl(fd, request, 0) == 0;
}

const volatile uint64_t* PerfRing::head() const {
  return reinterpret_cast<const volatile uint64_t*>(&page_->data_head);
}

uint64_t PerfRing::load_head() const { return __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE); }

void PerfRing::store_tail(uint64_t tail) { __atomic_store_n(&page_->data_tail, tail, __ATOMIC_RELEASE); }

PerfRing::Record PerfRing::record_at(uint64_t position) const {
  const auto copy = [this](uint64_t from, void* to, size_t n) {
    const size_t at = static_cast<size_t>(from) & (ring_bytes_ - 1);
    const size_t first = std::min(n, ring_bytes_ - at);
    std::memcpy(to, data_ + at, first);
    std::memcpy(static_cast<char*>(to) + first, data_, n - first);
  };
  perf_event_header h;
  copy(position, &h, sizeof h);
  Record r;
  r.type = h.type;
  r.misc = h.misc;
  r.size = h.size;
  if (h.size > sizeof h) copy(position + sizeof h, r.words, std::min(sizeof r.words, h.size - sizeof h));
  return r;
}

bool PerfRing::sample_of(const Record& r, Sample& s) const {
  if (r.type != PERF_RECORD_SAMPLE) return false;
  // words: instruction pointer, count, register ABI, user instruction pointer (when there is an ABI)
  s.in_kernel = (r.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
  s.thread_cpu_ns = r.words[1];
  s.address = s.in_kernel ? (r.words[2] != PERF_SAMPLE_REGS_ABI_NONE ? r.words[3] : 0) : r.words[0];
  return true;
}

void PerfRing::count_loss(const Record& r) {
  if (r.type == PERF_RECORD_LOST) lost_ += r.words[1];  // words: id, lost
}

}  // namespace scalediag::inject
